import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installHome } from "../install.ts";
import type { Lab } from "../lab.ts";
import { untilScreen } from "../panes.ts";
import { executableOf } from "../processes.ts";
import { configure, launch } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";

/** Resolves when Copilot's composer is open. Its process is the inner one: the outer is blocked and forwards nothing. */
export async function startCopilot(lab: Lab, start: Start): Promise<Agent> {
  configure(join(lab.home, ".copilot/settings.json"), { banner: "never", autoUpdate: false });
  trust(lab, start.cwd ?? lab.work);
  shareUnpacked(lab);
  const model = { COPILOT_PROVIDER_BASE_URL: `${lab.model.url}/v1`, COPILOT_PROVIDER_API_KEY: "fake", COPILOT_MODEL: "fake-model" };
  const env = { COPILOT_OFFLINE: "true", ...model, ...start.env };
  const agent = await launch(lab, "copilot", { ...start, env }, ({ pid }) => executableOf(pid).endsWith("/copilot"));
  await untilScreen(agent.pane, "/ commands");
  return agent;
}

/** Copilot trusts the very folders that it lists, in a file that it writes with comments. */
function trust(lab: Lab, cwd: string): void {
  const path = join(lab.home, ".copilot/config.json");
  configure(path, {});
  const config = JSON.parse(readFileSync(path, "utf8").replaceAll(/^\s*\/\/.*$/gm, "")) as { readonly trustedFolders?: readonly string[] };
  writeFileSync(path, JSON.stringify({ ...config, trustedFolders: [...(config.trustedFolders ?? []), cwd] }));
}

/** At its first start Copilot unpacks 235 MB into the cache; the installation has done that once for all labs. */
function shareUnpacked(lab: Lab): void {
  const own = join(lab.env["XDG_CACHE_HOME"] ?? "", "copilot/pkg");
  if (existsSync(own)) return;
  mkdirSync(dirname(own), { recursive: true });
  symlinkSync(join(installHome, ".cache/copilot/pkg"), own);
}
