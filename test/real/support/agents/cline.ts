import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { untilScreen } from "../panes.ts";
import { findProcess, signal, untilGone } from "../processes.ts";
import type { ProcessIdentity } from "../processes.ts";
import { until } from "../until.ts";
import { configure, hasArgument, launch, readJson } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";

const hubMark = "--cline-hub-daemon";

/** Resolves when Cline's composer is open. */
export async function startCline(lab: Lab, start: Start): Promise<Agent> {
  configureCline(lab);
  const agent = await launch(
    lab,
    "cline",
    { ...start, env: { CLINE_HUB_PORT: String(lab.freePort), ...start.env } },
    (found) => found.comm === ".cline" && !hasArgument(found, hubMark),
  );
  await untilScreen(agent.pane, "What can I do for you?");
  return agent;
}

/** As `startCline`, with the hub up before: a HOME's first Cline runs its session itself, each later one leaves it to the hub. */
export async function startClineInHub(lab: Lab, start: Start): Promise<Agent> {
  const first = await startCline(lab, { name: `before-${start.name}` });
  await untilClineHub(lab);
  signal(first.process, "SIGTERM");
  await untilGone([first.process]);
  return await startCline(lab, start);
}

/** Resolves with the hub when it has served a first command: it starts well after the composer is open. */
export async function untilClineHub(lab: Lab): Promise<ProcessIdentity> {
  const log = join(lab.home, ".cline/data/logs/hub-daemon.log");
  await until(() => readFileSync(log, "utf8").includes('"ok":true'), 60_000);
  return await until(() => findClineHub(lab));
}

/** What Cline keeps of its sessions, the newest last. */
export function clineSessions(lab: Lab): readonly ClineSession[] {
  const folder = join(lab.home, ".cline/data/sessions");
  return readdirSync(folder)
    .toSorted()
    .map((id) => readJson(join(folder, id, `${id}.json`)) as ClineSession);
}

export interface ClineSession {
  readonly session_id: string;
  /** Of the process that runs the session: the hub's, or the agent's own. */
  readonly pid: number;
  readonly status: string;
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
