import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repoRoot = fileURLToPath(new URL("../../..", import.meta.url));
const cache = join(repoRoot, ".real-agents");
/** HOME of the installation itself: asking a program for its version must not make folders in the person's own. */
export const installHome = join(cache, "home");

/** What is driven here, pinned: a new version is a decision, since the tests say how this one behaves. */
const pinned = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.332", finish: "install.cjs" },
  codex: { package: "@openai/codex", version: "0.171.0" },
  cline: { package: "cline", version: "3.0.65", finish: "postinstall.mjs" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0" },
  opencode: { package: "opencode-ai", version: "1.18.33", finish: "postinstall.mjs" },
  copilot: { package: "@github/copilot", version: "1.0.102" },
} as const satisfies Readonly<Record<string, Pinned>>;

interface Pinned {
  readonly package: string;
  readonly version: string;
  /** The package's own script that puts its native program in place; npm itself runs none here. */
  readonly finish?: string;
}

export type RealAgent = keyof typeof pinned;
export const realAgents = Object.keys(pinned) as readonly RealAgent[];

/**
 * Installs the pinned agents into the ignored cache at the root, one folder each, and leaves alone what is there already.
 * Rejects, naming the agent and npm's last words, if one can't be installed.
 */
export async function installRealAgents(which: readonly RealAgent[] = realAgents): Promise<void> {
  for (const agent of which) await installOne(agent);
}

/** The program as a global install links it: what a person's shell would find. */
export function programOf(agent: RealAgent): string {
  return join(cache, agent, "bin", agent);
}

export function versionOf(agent: RealAgent): string {
  return pinned[agent].version;
}

async function installOne(agent: RealAgent): Promise<void> {
  const { package: name, version, finish }: Pinned = pinned[agent];
  const folder = join(cache, agent);
  const stamp = join(folder, ".installed");
  const wanted = `${name}@${version} on ${process.platform}-${process.arch}`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;

  console.log(`Installing ${name}@${version} …`);
  const startedAt = Date.now();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Globally, as a person does: only so do Codex, Cline and Copilot have their launcher, a second process.
  await run("npm", ["install", "--global", "--prefix", folder, "--ignore-scripts", "--loglevel=error", `${name}@${version}`], folder);
  if (finish !== undefined) await run(process.execPath, [finish], join(folder, "lib/node_modules", name));
  const told = await run(programOf(agent), ["--version"], folder);
  if (!told.includes(version)) throw new Error(`${agent} was installed but says that it is ${told.trim()}, not ${version}`);
  writeFileSync(stamp, wanted);
  console.log(`Installed ${name}@${version} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
  const own = file === "npm" ? {} : { HOME: installHome, XDG_CACHE_HOME: join(installHome, ".cache"), XDG_CONFIG_HOME: join(installHome, ".config") };
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env: { ...process.env, PATH, ...own }, stdio: ["ignore", "pipe", "pipe"] });
    let told = "";
    child.stdout.on("data", (chunk: Buffer) => (told += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (told += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(told);
      else reject(new Error(`${file} ${args.join(" ")} ended with ${code}: ${told.trim().slice(-1500)}`));
    });
  });
}

if (import.meta.main) await installRealAgents();
