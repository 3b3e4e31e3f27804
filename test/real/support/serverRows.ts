import { expect } from "vitest";
import { openTurns, turnsOf } from "./fakeModel/fakeModel.ts";
import type { Lab } from "./lab.ts";
import type { OpencodeServer } from "./opencodeServer.ts";
import { argvOf, isAlive } from "./processes.ts";
import type { ProcessIdentity } from "./processes.ts";
import { stays, until } from "./until.ts";
import { listed, warden } from "./warden.ts";
import type { Stopped } from "./warden.ts";
import type { Listed } from "../../support/stage.ts";

/** A row of what lives in a server, or is its history. */
export interface ServerRow extends Listed {
  readonly parent: string | null;
  readonly server: { readonly url: string; readonly pid: number | null } | null;
  readonly asks: { readonly tool: string; readonly input: string } | null;
}

/** What the product lists of this lab's OpenCode sessions. */
export async function serverRows(lab: Lab): Promise<readonly ServerRow[]> {
  return ((await listed(lab)) as readonly ServerRow[]).filter(({ key }) => key.startsWith("opencode:"));
}

/** The session's one row, when it has the status; rejects with the row as it is instead. */
export async function untilRow(lab: Lab, id: string, status: string): Promise<ServerRow> {
  let rows: readonly ServerRow[] = [];
  return await until(
    async () => {
      rows = (await serverRows(lab)).filter(({ key }) => key === `opencode:${id}`);
      return rows.length === 1 && rows[0]?.status === status ? rows[0] : undefined;
    },
    15_000,
    () => `Not one row of ${id} that is ${status}:\n${JSON.stringify(rows, undefined, 2)}`,
  );
}

/** One operation on one session, as a script does it. */
export async function operate(lab: Lab, verb: "stop" | "terminate" | "cleanup", id: string, ...flags: readonly string[]): Promise<Stopped> {
  // A whole id leaves nothing to ask.
  const answer = verb === "cleanup" ? await warden(lab, verb, id, ...flags, "--json") : await warden(lab, verb, `opencode:${id}`, "--yes", ...flags, "--json");
  if (!answer.stdout.startsWith("{")) throw new Error(`${verb} ${id} ended with ${answer.code} and said: ${answer.stdout}${answer.stderr}`);
  return { ...answer.json(), code: answer.code };
}

interface EndsWell {
  /** Where it runs: else the server's own folder. */
  readonly folder?: string;
  /** What is to go with it, as it was before the stop. */
  readonly children?: readonly ProcessIdentity[];
}

/** Stops the session and looks, past the product, at what every stop owes: see `isOver`. */
export async function endsWell(server: OpencodeServer, id: string, { folder = server.folder, children = [] }: EndsWell = {}): Promise<Stopped> {
  const receipt = await operate(server.lab, "stop", id);
  const alive = children.filter(isAlive).map(({ pid }) => argvOf(pid));
  expect(receipt, JSON.stringify(receipt, undefined, 2)).toMatchObject({ status: "success", code: 0, survivors: [] });
  expect(alive).toEqual([]);
  await isOver(server, folder);
  return receipt;
}

/** Nothing runs in the folder in either engine, no answer is being written, and for three seconds nothing begins again, as it does after a lost abort. */
export async function isOver(server: OpencodeServer, folder = server.folder): Promise<void> {
  const { model } = server.lab;
  const turns = turnsOf(model).length;
  expect(await server.status(folder)).toEqual({});
  expect(await server.active()).toEqual([]);
  await until(
    () => openTurns(model).length === 0,
    2_000,
    () =>
      `Still being answered: ${openTurns(model)
        .map(({ userText }) => userText)
        .join(", ")}`,
  );
  const until3s = Date.now() + 3_000;
  while (Date.now() < until3s) {
    expect(await server.status(folder)).toEqual({});
    expect(await server.active()).toEqual([]);
    await stays(() => true, 200);
  }
  expect(turnsOf(model).slice(turns)).toEqual([]);
}

/** The process of this lab with exactly this command line. */
export async function untilRunning(lab: Lab, commandLine: string): Promise<ProcessIdentity> {
  return await until(() => findRunning(lab, commandLine));
}

export function findRunning(lab: Lab, commandLine: string): ProcessIdentity | undefined {
  return lab.processes().find(({ pid }) => argvOf(pid).join(" ") === commandLine);
}
