import { appendFileSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { untilScreen } from "../panes.ts";
import { findProcess } from "../processes.ts";
import type { ProcessIdentity } from "../processes.ts";
import { configure, hasArgument, launch, readJson } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";

/** Resolves when Codex's composer is open, with its thread begun in the daemon. */
export async function startCodex(lab: Lab, start: Start): Promise<Agent> {
  const cwd = start.cwd ?? lab.work;
  configureCodex(lab, cwd);
  const agent = await launch(lab, "codex", start, (found) => found.comm === "codex" && !hasArgument(found, "app-server"));
  // The line with the model comes when the app server has answered; a prompt sent before waits for it.
  await untilScreen(agent.pane, "fake-model default");
  return agent;
}

/** The daemon that runs this lab's turns, by its own pid file; undefined before the first Codex has started it. */
export function findCodexDaemon(lab: Lab): ProcessIdentity | undefined {
  const path = join(lab.home, ".codex/app-server-daemon/daemon.pid");
  if (!existsSync(path)) return undefined;
  const { pid } = readJson(path) as { readonly pid: number };
  return findProcess(pid);
}

function configureCodex(lab: Lab, cwd: string): void {
  const path = join(lab.home, ".codex/config.toml");
  configure(
    path,
    `model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "${lab.model.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
`,
  );
  const trust = `\n[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`;
  if (!readFileSync(path, "utf8").includes(trust)) appendFileSync(path, trust);
}

/** The thread whose file on disk was begun last, by the file's own name. */
export function lastCodexThread(lab: Lab): string | undefined {
  const files = readdirSync(join(lab.home, ".codex/sessions"), { recursive: true, encoding: "utf8" });
  // An id, a UUID of version 7, begins with the moment it was made.
  return files
    .flatMap((path) => /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(path)?.[1] ?? [])
    .toSorted()
    .at(-1);
}
