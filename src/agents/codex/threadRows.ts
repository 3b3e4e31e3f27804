import type { Store } from "../../core/store.ts";
import { rowStoresIn } from "../../system/erase/rows.ts";
import type { Database } from "../../system/sqlite.ts";
import type { CodexDatabase } from "./databases.ts";

/** The stores of what the databases hold of these conversations, the log apart: rows whose column is exactly one of the ids. */
export async function threadRowStores(databases: readonly CodexDatabase[], ids: readonly string[], id: string): Promise<readonly Store[]> {
  const found = databases.map((database) => rowsOf(database, tables[database.kind] ?? [], ids, id));
  return (await Promise.all(found)).flat();
}

/** Who spawned whom: by these rows its sub-agents are known, so they go when all else is gone. */
export async function spawnRowStores(databases: readonly CodexDatabase[], ids: readonly string[], id: string): Promise<readonly Store[]> {
  const spawned: readonly Column[] = [
    ["thread_spawn_edges", "parent_thread_id"],
    ["thread_spawn_edges", "child_thread_id"],
  ];
  const found = databases
    .filter(({ kind }) => kind === "state")
    .map((database) => rowsOf(database, spawned, ids, id, "its rows of who spawned which sub-agent"));
  return (await Promise.all(found)).flat();
}

type Column = readonly [table: string, column: string];

/** In this order: a deleted queue item leaves a new row of the thread among the revisions. */
const tables: { readonly [kind: string]: readonly Column[] } = {
  thread_history: [
    ["thread_items", "thread_id"],
    ["thread_realtime_items", "thread_id"],
    ["thread_turns", "thread_id"],
    ["thread_history_projection_state", "thread_id"],
  ],
  goals: [
    ["thread_goal_continuation_deferrals", "thread_id"],
    ["thread_goals", "thread_id"],
  ],
  queue: [
    ["queued_items", "thread_id"],
    ["queued_thread_revisions", "thread_id"],
  ],
  memories: [
    ["stage1_outputs", "thread_id"],
    ["jobs", "job_key"],
  ],
  state: [
    ["thread_dynamic_tools", "thread_id"],
    ["thread_attachments", "thread_id"],
    ["guardian_review_feedback", "thread_id"],
    ["thread_read_receipts", "thread_id"],
    ["session_model_ids", "session_id"],
    ["threads", "id"],
  ],
};

const names: { readonly [kind: string]: string } = {
  thread_history: "its turns, prompts and answers",
  goals: "its goal",
  queue: "its queued prompts",
  memories: "what Codex noted of it for its memories",
  state: "its row in the list of conversations",
};

function rowsOf(
  { kind, root, path }: CodexDatabase,
  columns: readonly Column[],
  ids: readonly string[],
  id: string,
  name = names[kind],
): Promise<readonly Store[]> {
  if (columns.length === 0 || name === undefined) return Promise.resolve([]);
  const marks = ids.map(() => "?").join(", ");
  const each = <T>(database: Database, use: (where: string) => T): readonly T[] =>
    columns.filter((column) => isThere(database, column)).map(([table, column]) => use(`FROM ${table} WHERE ${column} IN (${marks})`));
  return rowStoresIn({
    name,
    root,
    path,
    id,
    belongsBecause: ids.length > 1 ? "they carry its id, or that of a sub-agent of it" : "they carry its id",
    count: (database) =>
      each(database, (where) => (database.prepare(`SELECT count(*) AS count ${where}`).get(ids) as { readonly count: number }).count).reduce(
        (sum, count) => sum + count,
        0,
      ),
    remove: (database) => void each(database, (where) => database.prepare(`DELETE ${where}`).run(ids)),
  });
}

export function isThere(database: Database, [table, column]: Column): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column) !== undefined;
}
