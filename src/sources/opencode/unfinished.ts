import { readDatabase } from "../../system/sqlite.ts";
import type { Database } from "../../system/sqlite.ts";

/** A session whose last message was begun since then and is not at its end: it runs somewhere, or was cut off. */
export interface Unfinished {
  readonly id: string;
  readonly directory: string;
  readonly since: number;
}

/**
 * Looks into OpenCode's own database (1.18.33), which is only read: no server tells which of its directories are at work without being asked about each of
 * them, and to be asked makes it run that directory's plugins. Undefined where it can't be read.
 */
export async function unfinishedIn(database: string, since: number): Promise<readonly Unfinished[] | undefined> {
  const read = await readDatabase(database, (opened) => select(opened, since)).catch(() => undefined);
  return read?.kind === "done" ? read.value : undefined;
}

function select(database: Database, since: number): readonly Unfinished[] {
  const rows = database
    .prepare<[number], { id: unknown; directory: unknown; since: unknown }>(
      `select session.id as id, session.directory as directory, message.time_created as since
       from session join message on message.id = (
         select id from message where session_id = session.id order by time_created desc, id desc limit 1)
       where message.time_created >= ? and not coalesce(
         json_valid(message.data) and json_extract(iif(json_valid(message.data), message.data, '{}'), '$.role') = 'assistant'
           and json_extract(iif(json_valid(message.data), message.data, '{}'), '$.time.completed') is not null, 0)`,
    )
    .all(since);
  return rows.flatMap(({ id, directory, since: begun }) =>
    typeof id === "string" && typeof directory === "string" && typeof begun === "number" ? [{ id, directory, since: begun }] : [],
  );
}
