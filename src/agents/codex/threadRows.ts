import type { LeftAlone, Store } from "../../core/store.ts";
import { rowStoresIn } from "../../system/erase/rows.ts";
import type { Database } from "../../system/sqlite.ts";
import { readRows } from "./databases.ts";
import type { CodexDatabase } from "./databases.ts";

/** The stores of what the databases say in these conversations, the log apart. By exactly their ids, in columns that are known to hold one. */
export function saidInRows(databases: readonly CodexDatabase[], ids: readonly string[], id: string): Promise<readonly Store[]> {
  return storesOf(said, databases, ids, id);
}

/**
 * The rows by which Codex knows these conversations. Not before their transcripts: where one of these rows is missing as Codex deletes a conversation that
 * it has open, it first writes all of it into the database once more. Who spawned whom comes last, since by that a sub-agent is known.
 */
export function knownByRows(databases: readonly CodexDatabase[], ids: readonly string[], id: string): Promise<readonly Store[]> {
  return storesOf(known, databases, ids, id);
}

/** How many rows of other conversations name it in the list of conversations, such as one that it is attached to. */
export async function rowsOfOthers(databases: readonly CodexDatabase[], ids: readonly string[], id: string): Promise<readonly LeftAlone[]> {
  const own = [...said, ...known].filter(({ kind }) => kind === "state").flatMap(({ columns }) => columns);
  const found: LeftAlone[] = [];
  for (const database of databases.filter(({ kind }) => kind === "state")) {
    const count = (await readRows(database, (rows) => tablesOf(rows).reduce((sum, table) => sum + countOfOthers(rows, table, own, ids, id), 0))) ?? 0;
    if (count > 0)
      found.push({ name: "rows of others in the list of conversations", path: database.path, why: "they are others', and name its id", holds: "id" });
  }
  return found;
}

function countOfOthers(database: Database, table: string, own: readonly Column[], ids: readonly string[], id: string): number {
  const texts = database.prepare("SELECT name FROM pragma_table_info(?) WHERE type LIKE 'TEXT%'").pluck().all(table) as readonly string[];
  if (texts.length === 0) return 0;
  const keys = texts.filter((column) => own.some(([of, name]) => of === table && name === column));
  const isNamed = texts.map((column) => `instr(${quoted(column)}, ?) > 0`).join(" OR ");
  const where = [`(${isNamed})`, ...keys.map((column) => `coalesce(${quoted(column)}, '') NOT IN (${marksFor(ids)})`)].join(" AND ");
  const values = [...texts.map(() => id), ...keys.flatMap(() => ids)];
  return database
    .prepare(`SELECT count(*) FROM ${quoted(table)} WHERE ${where}`)
    .pluck()
    .get(values) as number;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function tablesOf(database: Database): readonly string[] {
  return database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").pluck().all() as readonly string[];
}

interface Rows {
  readonly kind: CodexDatabase["kind"];
  readonly name: string;
  readonly columns: readonly Column[];
  /** Emptied, and the row stays. */
  readonly texts?: { readonly [column: string]: string | null };
}
type Column = readonly [table: string, column: string];

const said: readonly Rows[] = [
  {
    kind: "thread_history",
    name: "its prompts and answers",
    columns: [
      ["thread_items", "thread_id"],
      ["thread_realtime_items", "thread_id"],
      ["thread_turns", "thread_id"],
    ],
  },
  {
    kind: "goals",
    name: "its goal",
    columns: [
      ["thread_goal_continuation_deferrals", "thread_id"],
      ["thread_goals", "thread_id"],
    ],
  },
  {
    kind: "queue",
    name: "its queued prompts",
    // In this order: a deleted prompt leaves a new row among the revisions.
    columns: [
      ["queued_items", "thread_id"],
      ["queued_thread_revisions", "thread_id"],
    ],
  },
  {
    kind: "memories",
    name: "what was noted of it for the memories",
    columns: [
      ["stage1_outputs", "thread_id"],
      ["jobs", "job_key"],
    ],
  },
  {
    kind: "state",
    name: "its tools, attachments and reviews",
    columns: [
      ["thread_dynamic_tools", "thread_id"],
      ["thread_attachments", "thread_id"],
      ["guardian_review_feedback", "thread_id"],
    ],
  },
  {
    kind: "state",
    name: "its title and first prompt in the list of conversations",
    columns: [["threads", "id"]],
    texts: { title: "", first_user_message: "", preview: "", name: null },
  },
];

const known: readonly Rows[] = [
  { kind: "thread_history", name: "how far its transcript was read", columns: [["thread_history_projection_state", "thread_id"]] },
  {
    kind: "state",
    name: "its row in the list of conversations",
    columns: [
      ["thread_read_receipts", "thread_id"],
      ["session_model_ids", "session_id"],
      ["threads", "id"],
    ],
  },
  {
    kind: "state",
    name: "who spawned which sub-agent",
    columns: [
      ["thread_spawn_edges", "parent_thread_id"],
      ["thread_spawn_edges", "child_thread_id"],
    ],
  },
];

async function storesOf(rows: readonly Rows[], databases: readonly CodexDatabase[], ids: readonly string[], id: string): Promise<readonly Store[]> {
  const found = rows.flatMap((each) => databases.filter(({ kind }) => kind === each.kind).map((database) => storesIn(each, database, ids, id)));
  return (await Promise.all(found)).flat();
}

function storesIn({ name, columns, texts }: Rows, { root, path }: CodexDatabase, ids: readonly string[], id: string): Promise<readonly Store[]> {
  const belongsBecause = ids.length > 1 ? "its rows carry the id, or that of a sub-agent of it" : "its rows carry the id";
  const count = (database: Database): number =>
    columns.reduce((sum, column) => {
      const where = whereIn(database, column, ids, texts);
      return where === undefined ? sum : sum + (database.prepare(`SELECT count(*) FROM ${where}`).pluck().get(ids) as number);
    }, 0);
  const remove = (database: Database): void => {
    for (const [table, column] of columns) {
      const where = whereIn(database, [table, column], ids, texts);
      if (where === undefined) continue;
      if (texts === undefined) database.prepare(`DELETE FROM ${where}`).run(ids);
      for (const [name, empty] of Object.entries(textsIn(database, table, texts)))
        database.prepare(`UPDATE ${table} SET ${name} = ? WHERE ${column} IN (${marksFor(ids)})`).run(empty, ids);
    }
  };
  return rowStoresIn({ name, root, path, id, belongsBecause, count, remove, isOneOfSeveral: true });
}

/** Undefined where this version has no such column. */
function whereIn(database: Database, [table, column]: Column, ids: readonly string[], texts: Rows["texts"]): string | undefined {
  if (!isThere(database, [table, column])) return undefined;
  const where = `${table} WHERE ${column} IN (${marksFor(ids)})`;
  if (texts === undefined) return where;
  const filled = Object.keys(textsIn(database, table, texts)).map((name) => `coalesce(${name}, '') <> ''`);
  return filled.length === 0 ? undefined : `${where} AND (${filled.join(" OR ")})`;
}

function textsIn(database: Database, table: string, texts: Rows["texts"]): NonNullable<Rows["texts"]> {
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([column]) => isThere(database, [table, column])));
}

function marksFor(ids: readonly string[]): string {
  return ids.map(() => "?").join(", ");
}

export function isThere(database: Database, [table, column]: Column): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column) !== undefined;
}
