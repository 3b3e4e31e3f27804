import type { Database } from "../../system/sqlite.ts";
import { uuidPattern } from "../ids.ts";
import { readRows } from "./databases.ts";
import type { CodexDatabase } from "./databases.ts";
import { isThere } from "./threadRows.ts";
import type { Transcript } from "./transcripts.ts";

/**
 * The conversation and the sub-agents that it has spawned, theirs too, those that are farthest from it first. `codex delete` takes them along. A fork is not
 * among them: it is another conversation.
 */
export async function familyOf(id: string, databases: readonly CodexDatabase[], transcripts: readonly Transcript[]): Promise<readonly string[]> {
  const edges: Edge[] = transcripts.flatMap(({ begins }) => (begins?.spawnedBy === undefined ? [] : [{ parent: begins.spawnedBy, child: begins.id }]));
  for (const database of databases.filter(({ kind }) => kind === "state")) edges.push(...((await readRows(database, edgesIn)) ?? []));
  const family = [id];
  for (const member of family) {
    for (const { parent, child } of edges) if (parent === member && uuidPattern.test(child) && !family.includes(child)) family.push(child);
  }
  return family.toReversed();
}

/** Conversations that can't be read any more once these are gone: forks that have no copy of what came before. */
export function forksOn(ids: readonly string[], transcripts: readonly Transcript[]): readonly Transcript[] {
  return transcripts.filter(({ begins }) => begins !== undefined && !ids.includes(begins.id) && begins.restsOn !== undefined && ids.includes(begins.restsOn));
}

interface Edge {
  readonly parent: string;
  readonly child: string;
}

function edgesIn(database: Database): readonly Edge[] {
  if (!isThere(database, ["thread_spawn_edges", "child_thread_id"])) return [];
  return database.prepare("SELECT parent_thread_id AS parent, child_thread_id AS child FROM thread_spawn_edges").all() as readonly Edge[];
}
