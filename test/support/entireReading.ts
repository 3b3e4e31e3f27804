import { join } from "node:path";
import type { ProcessEntry } from "../../src/core/census.ts";
import type { SessionRecord } from "../../src/core/facet.ts";
import { createEntireSource } from "../../src/sources/entire/entireSource.ts";
import { aRepository, aState, claudeWho, recordsIn, writeState } from "./entire.ts";
import type { StateOf } from "./entire.ts";
import { anEntry, censusOf, here, pid } from "./facets.ts";
import type { anAgent } from "./facets.ts";
import { aFolder } from "./folder.ts";

/** An owner, and the process that it means. */
export const owner = { pid: 41, start: "7", boot: "boot-1", host: "build", name: "claude" };
export const living = anEntry({ ...pid(41), host: "build", pidNamespace: here.pidNamespace ?? "" });
export const claude = claudeWho(({ identity }) => identity.pid === 41);
/** The records of these states, in the order of their ids. */
export async function readStates(
  states: readonly StateOf[],
  { agents = [claude], entries = [living] }: { agents?: readonly ReturnType<typeof anAgent>[]; entries?: readonly ProcessEntry[] } = {},
): Promise<readonly SessionRecord[]> {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  for (const state of states) writeState(app, state);
  return await recordsIn(createEntireSource({ repositories: [app], agents }), censusOf(...entries));
}

export async function readState(over: StateOf, how?: Parameters<typeof readStates>[1]): Promise<SessionRecord> {
  const [record] = await readStates([aState("a", over)], how);
  if (!record) throw new Error("It is not listed.");
  return record;
}
