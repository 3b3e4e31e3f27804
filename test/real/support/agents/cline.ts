import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { untilScreen } from "../panes.ts";
import { findProcess } from "../processes.ts";
import type { ProcessIdentity } from "../processes.ts";
import { configure, hasArgument, launch } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";

const hubMark = "--cline-hub-daemon";

/** Resolves when Cline's composer is open. */
export async function startCline(lab: Lab, start: Start): Promise<Agent> {
  configureCline(lab);
  const agent = await launch(lab, "cline", start, (found) => found.comm === ".cline" && !hasArgument(found, hubMark));
  await untilScreen(agent.pane, "What can I do for you?");
  return agent;
}

/** The hub that runs this lab's turns, one for each HOME; undefined before the first Cline has started it. */
export function findClineHub(lab: Lab): ProcessIdentity | undefined {
  return lab
    .processes()
    .map(({ pid }) => findProcess(pid))
    .find((found) => found?.comm === ".cline" && hasArgument(found, hubMark));
}

function configureCline(lab: Lab): void {
  const settings = join(lab.home, ".cline/data/settings");
  // Else an advertisement takes the first keys for its own.
  configure(join(settings, "cli-notices.json"), { shown: { "cline-cli-cline-pass-intro": true, "cline-cli-desktop-launch": true } });
  const provider = { provider: "openai-compatible", apiKey: "fake", model: "fake-model", baseUrl: `${lab.model.url}/v1` };
  configure(join(settings, "providers.json"), {
    version: 1,
    lastUsedProvider: provider.provider,
    modes: {},
    providers: { [provider.provider]: { settings: provider, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" } },
  });
}
