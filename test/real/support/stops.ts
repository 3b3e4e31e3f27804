import { existsSync } from "node:fs";
import { expect } from "vitest";
import type { Agent } from "./agents/agent.ts";
import { openTurns, turnsOf } from "./fakeModel/fakeModel.ts";
import { openPane, panePid, untilScreen } from "./panes.ts";
import type { Pane } from "./panes.ts";
import { argvOf, findProcess, isAlive, treeOf } from "./processes.ts";
import type { SeenProcess } from "./processes.ts";
import { stays, until } from "./until.ts";
import { programArgv, stop, untilListed, warden } from "./warden.ts";
import type { Stopped } from "./warden.ts";
import type { Listed } from "../../support/stage.ts";

export interface WellStopped {
  readonly row: Listed;
  readonly receipt: Stopped;
}

interface StopsWell {
  /** What a pending tool would make. */
  readonly marker?: string;
  /** Of the product's, before its verb. */
  readonly flags?: readonly string[];
}

/**
 * Stops the agent by its row and looks, past the product, at what every stop owes: it is one row with this status; when the receipt comes all of it is gone
 * but a shell around it and a daemon that others share; the receipt says so; no turn is open, none is begun any more, and no pending tool has run.
 */
export async function stopsWell(agent: Agent, status: string, { marker, flags = [] }: StopsWell = {}): Promise<WellStopped> {
  const { model } = agent.lab;
  const row = await untilListed(agent, status, ...flags);
  expect(row.pid).toBe(agent.process.pid);
  const tree = ownTree(agent);
  const turns = turnsOf(model).length;

  const receipt = await stop(agent.lab, row, ...flags);
  expect(tree.filter(isAlive).map(({ pid }) => argvOf(pid))).toEqual([]);
  expect(receipt).toMatchObject({ status: "success", code: 0, verification_result: "session_terminated", termination_method: "graceful", survivors: [] });
  await until(() => openTurns(model).length === 0, 5_000);
  await stays(() => turnsOf(model).length === turns && !(marker && existsSync(marker)), 1_500);
  expect(turnsOf(model).slice(turns)).toEqual([]);
  expect(marker !== undefined && existsSync(marker)).toBe(false);
  return { row, receipt };
}

/** The command that `resume --print` tells for a session that was stopped. */
export async function resumeCommand(agent: Agent, { key }: Pick<Listed, "key">): Promise<string> {
  const printed = await warden(agent.lab, "resume", key, "--print");
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  return printed.stdout;
}

/** Takes the session up again in a new pane, by the product, and resolves when the pane shows what was said before. */
export async function resumeInPane({ lab, pane, cwd }: Agent, { key }: Pick<Listed, "key">, said: string): Promise<Pane> {
  const resumed = openPane(lab, `resumed-${pane.session}`, cwd, [...programArgv, "resume", key]);
  await untilScreen(resumed, said);
  return resumed;
}

/** Agent, launcher and children: without a person's shell above, and without daemons, which go on for others. */
function ownTree({ pane, process }: Agent): readonly SeenProcess[] {
  const inPane = treeOf(panePid(pane));
  const below = treeOf(process.pid).map(({ pid }) => pid);
  const shared = inPane.filter(({ pid }) => argvOf(pid).some((argument) => argument === "app-server" || argument === "--cline-hub-daemon"));
  const outside = new Set(shared.flatMap(({ pid }) => treeOf(pid)).map(({ pid }) => pid));
  const own = inPane.filter(({ pid, comm }) => !outside.has(pid) && (below.includes(pid) || comm !== "bash"));
  expect(own.map(({ pid }) => pid)).toContain(findProcess(process.pid)?.pid);
  return own;
}
