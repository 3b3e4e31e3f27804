import { readDatabase } from "../../system/sqlite.ts";
import type { Database } from "../../system/sqlite.ts";

/** A session whose last message is not at its end: it runs somewhere, or was cut off. */
export interface Unfinished {
  readonly id: string;
  readonly directory: string;
  readonly since: number;
}

/**
 * Looks into OpenCode's own database (1.18.33), which is only read: what a process that can't be asked is at work on, nothing else tells.
 * Of sessions that were touched since then; undefined where it can't be read.
 */
export async function unfinishedIn(database: string, since: number): Promise<readonly Unfinished[] | undefined> {
  const read = await readDatabase(database, (opened) => select(opened, since)).catch(() => undefined);
  return read?.kind === "done" ? read.value : undefined;
}

/** Whether there is such a session at all; undefined where that can't be read. */
export async function isKeptIn(database: string, id: string): Promise<boolean | undefined> {
  const read = await readDatabase(database, (opened) => opened.prepare("select 1 from session where id = ?").get(id) !== undefined).catch(() => undefined);
  return read?.kind === "done" ? read.value : read?.kind === "absent" ? false : undefined;
}

function select(database: Database, since: number): readonly Unfinished[] {
  const tables = new Set(
    database
      .prepare<[], { name: string }>("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => name),
  );
  const rows = engines.filter(({ table }) => tables.has(table)).flatMap(({ query }) => database.prepare<[number], Row>(query).all(since));
  if (!tables.has("message")) throw new Error("a database of another kind");
  return rows.flatMap(({ id, directory, since: begun }) =>
    typeof id === "string" && typeof directory === "string" && typeof begun === "number" ? [{ id, directory, since: begun }] : [],
  );
}
interface Row {
  readonly id: unknown;
  readonly directory: unknown;
  readonly since: unknown;
}

/** Two engines live in one server, each with messages of its own: of both the last one tells. What is no JSON is not at its end. */
const engines = [
  { table: "message", query: lastOpen("message", "time_created desc, id desc", "json_extract(told, '$.role') = 'assistant'") },
  { table: "session_message", query: lastOpen("session_message", "seq desc", "kind = 'assistant'") },
  {
    table: "session_input",
    query: `select session.id as id, session.directory as directory, input.time_created as since
            from session join session_input as input on input.session_id = session.id
            where session.time_updated >= ? and input.promoted_seq is null`,
  },
] as const;

function lastOpen(table: string, order: string, isAnswer: string): string {
  return `select id, directory, since from (
            select session.id as id, session.directory as directory, last.time_created as since, last.${table === "message" ? "id" : "type"} as kind,
              iif(json_valid(last.data), last.data, '{}') as told
            from session join ${table} as last on last.id = (
              select id from ${table} where session_id = session.id order by ${order} limit 1)
            where session.time_updated >= ?
          )
          where not coalesce(${isAnswer} and json_extract(told, '$.time.completed') is not null, 0)`;
}
