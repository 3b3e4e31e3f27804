import { join } from "node:path";
import * as z from "zod";
import type { ConversationPlace } from "../../core/agent.ts";
import { foundBy } from "../../core/store.ts";
import type { Kept, LeftAlone, Store, StoreOutcome } from "../../core/store.ts";
import { storesAt } from "../../system/erase/files.ts";
import { rowStoresIn } from "../../system/erase/rows.ts";
import type { Rows } from "../../system/erase/rows.ts";
import { unreadableBelow } from "../../system/erase/unreadable.ts";
import { listIfPresent, readIfPresent } from "../../system/files.ts";
import { emptyLog } from "../../system/sqlite.ts";
import { keptInHomes } from "../homes.ts";
import { parseJson } from "../jsonText.ts";
import { mentionsBelow } from "../mentions.ts";
import { keptCheckpoints } from "./checkpoints.ts";
import { keptPrompts } from "./history.ts";
import { dataFolderOf, idPattern, isOf } from "./home.ts";
import { keptLogLines } from "./logs.ts";
import { deleteByCline } from "./ownDelete.ts";
import { readRecords } from "./records.ts";
import { removeFromSearch } from "./search.ts";
import { countRows, cronTables, eventTables, has, isIts, named, recordTables, removeRows, runTables, searchTables, taskTables } from "./tables.ts";
import type { Table } from "./tables.ts";
import { keptTeams } from "./teams.ts";

/** All that Cline CLI keeps of a conversation, its sub-agents' rows and files included: they have no window of their own, and their ids begin with its. */
export async function clineStores(of: ConversationPlace, signal: AbortSignal): Promise<Kept> {
  const { id } = of.conversation;
  if (!idPattern.test(id)) return { stores: [], leftAlone: [] };
  return keptInHomes(of, dataFolderOf, signal, (home) => keptIn(home, id));
}

/** First what only the transcript and the record lead to; then Cline deletes what it would, and what it leaves follows. */
async function keptIn(home: string, id: string): Promise<Kept> {
  const prompts = await keptPrompts(home, id);
  const teams = await keptTeams(home, id);
  const checkpoints = await keptCheckpoints(home, id, await foldersOf(home, id));
  const logLines = await keptLogLines(home, id);
  const kept: Kept = {
    stores: [
      ...foundBy([join(home, "db", "sessions.db"), join(home, "sessions", id)], [...prompts.stores, ...teams.stores, ...checkpoints.stores]),
      ...(await recordStores(home, id)),
      ...(await rowsOf(home, id)),
      ...logLines.stores,
      ...(await folders(home, id)),
    ],
    leftAlone: [...prompts.leftAlone, ...teams.leftAlone, ...checkpoints.leftAlone, ...logLines.leftAlone, ...(await mentions(home, id))],
  };
  const known = [...kept.stores, ...kept.leftAlone];
  const others = await mentionsBelow({ home, id, since: Number.parseInt(id, 10), ofOthers }, known);
  return { ...kept, leftAlone: [...kept.leftAlone, ...others, ...(await unreadableBelow(home, known))] };
}
const ofOthers =
  /^(sessions\/\d{13}_[0-9a-z]{5}(__[^/]*)?\/|db\/(sessions|session-search|tasks|cron|teams|hub-(events|runs)-[\w-]+)\.db(-wal|-shm)?$|cache\/user_input_history\.jsonl$)/;

async function recordStores(home: string, id: string): Promise<readonly Store[]> {
  const stores = await rowStoresIn(rows(home, id, "sessions.db", "its record in Cline's list, and what hangs on it", recordTables));
  return stores.map((record) => ({
    ...record,
    async erase(signal) {
      await deleteByCline(home, id, signal);
      const erased = await record.erase(signal);
      if (erased.kind !== "absent") return erased;
      await emptyLog(record.path);
      return { kind: "erased" };
    },
  }));
}

async function rowsOf(home: string, id: string): Promise<readonly Store[]> {
  const names = await listIfPresent(join(home, "db"));
  const like = (pattern: RegExp) => names.filter((name) => pattern.test(name)).toSorted();
  const all = [
    {
      ...rows(home, id, "session-search.db", "its text in the search index", searchTables),
      remove: (database) => removeFromSearch(database, id),
    } satisfies Rows,
    ...like(/^hub-events-[\w.-]+\.db$/).map((name) => rows(home, id, name, "its events in the hub", eventTables)),
    ...like(/^hub-runs-[\w.-]+\.db$/).map((name) => rows(home, id, name, "its turns in the hub", runTables)),
    rows(home, id, "tasks.db", "its name and its results in the task list", taskTables),
    rows(home, id, "cron.db", "its name in the list of scheduled runs", cronTables),
  ];
  return (await Promise.all(all.map(rowStoresIn))).flat();
}

function rows(home: string, id: string, file: string, name: string, tables: readonly Table[]): Rows {
  return {
    root: home,
    path: join(home, "db", file),
    name,
    belongsBecause: "they name its id",
    id,
    count: (database) => countRows(database, tables, id),
    remove: (database) => removeRows(database, tables, id),
  };
}

/** Its own folder last, with the transcript; Cline has mostly deleted it by then. */
async function folders(home: string, id: string): Promise<readonly Store[]> {
  const sessions = join(home, "sessions");
  const subAgents = (await listIfPresent(sessions)).filter((name) => name !== id && isOf(id, name)).toSorted();
  const at = (name: string, called: string, belongsBecause: string) => storesAt({ root: home, path: join(sessions, name), name: called, belongsBecause });
  const of = await Promise.all(subAgents.map((name) => at(name, "folder of a sub-agent", "its name begins with the conversation's id")));
  const own = await at(id, "transcript", "its name is the conversation's id");
  return [...of.flat(), ...own.map((store) => ({ ...store, erase: async (signal: AbortSignal) => asErased(await store.erase(signal)) }))];
}

function asErased(outcome: StoreOutcome): StoreOutcome {
  return outcome.kind === "absent" ? { kind: "erased" } : outcome;
}

const sessionFile = z.object({ cwd: z.string().startsWith("/") });

/** Where it was at work, by its record and its own file. */
async function foldersOf(home: string, id: string): Promise<readonly string[]> {
  const read = await readRecords(home, (database) =>
    has(database, "sessions", ["session_id", "cwd"]) ? database.prepare(`SELECT cwd FROM sessions WHERE ${isIts("session_id")}`).all(named(id)) : [],
  );
  const file = parseJson(await readIfPresent(join(home, "sessions", id, `${id}.json`), 1024 * 1024));
  const told = [...(read ?? []), file];
  return [...new Set(told.flatMap((each) => sessionFile.safeParse(each).data?.cwd ?? []))];
}

/** Other conversations that tell of it: one that was forked from it holds what was said up to then. */
async function mentions(home: string, id: string): Promise<readonly LeftAlone[]> {
  const read = await readRecords(home, (database) => {
    if (!has(database, "sessions", ["session_id", "parent_session_id", "metadata_json"])) return [];
    const others = `NOT ${isIts("session_id")} AND (instr(coalesce(metadata_json, ''), @id) > 0 OR ${isIts("coalesce(parent_session_id, '')")})`;
    return database.prepare(`SELECT session_id FROM sessions WHERE ${others} LIMIT 1000`).pluck().all(named(id));
  });
  return (read ?? []).map((other) => ({
    name: "another conversation",
    path: join(home, "sessions", String(other)),
    why: "it is a conversation of its own that tells of this one, such as one that was forked from it",
    holds: "text",
  }));
}
