import type { Database } from "../../system/sqlite.ts";

/** What one table keeps of conversations. `clear`: the row is of something else, such as a schedule, and only stops to tell of it. */
export interface Table {
  readonly table: string;
  readonly by: string;
  readonly clear?: readonly string[];
}

export const recordTables: readonly Table[] = [
  { table: "subagent_spawn_queue", by: "root_session_id" },
  { table: "schedule_executions", by: "session_id", clear: ["session_id"] },
  { table: "sessions", by: "session_id" },
];
export const searchTables: readonly Table[] = [
  { table: "session_search", by: "session_id" },
  { table: "indexed_sessions", by: "session_id" },
];
export const eventTables: readonly Table[] = [{ table: "hub_events", by: "session_id" }];
export const runTables: readonly Table[] = [{ table: "hub_runs", by: "session_id" }];
export const taskTables: readonly Table[] = [
  { table: "agenda_task_runs", by: "session_id", clear: ["session_id", "result_summary", "error"] },
  { table: "agenda_tasks", by: "origin_session_id", clear: ["origin_session_id"] },
  { table: "agenda_tasks", by: "last_session_id", clear: ["last_session_id"] },
];
/** Never deleted: of what is to run once, the row is what keeps it from running again. */
export const cronTables: readonly Table[] = [{ table: "cron_runs", by: "session_id", clear: ["session_id"] }];

/** How many rows name it or a sub-agent of it; a table or a column that is not there has none. */
export function countRows(database: Database, tables: readonly Table[], id: string): number {
  return tables
    .filter(({ table, by }) => has(database, table, [by]))
    .map(({ table, by }) =>
      Number(
        database
          .prepare(`SELECT count(*) FROM ${table} WHERE ${isIts(by)}`)
          .pluck()
          .get(named(id)),
      ),
    )
    .reduce((sum, count) => sum + count, 0);
}

export function removeRows(database: Database, tables: readonly Table[], id: string): void {
  for (const { table, by, clear = [] } of tables.filter((each) => has(database, each.table, [each.by]))) {
    const columns = clear.filter((column) => has(database, table, [column]));
    const change = columns.length > 0 ? `UPDATE ${table} SET ${columns.map((column) => `${column} = NULL`).join(", ")}` : `DELETE FROM ${table}`;
    database.prepare(`${change} WHERE ${isIts(by)}`).run(named(id));
  }
}

export function has(database: Database, table: string, columns: readonly string[]): boolean {
  const found = database.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table);
  return columns.every((column) => found.includes(column));
}

/** By the id itself, or by what sub-agents append to it; never by a part of an id. */
export function isIts(column: string): string {
  return `(${column} = @id OR substr(${column}, 1, length(@child)) = @child)`;
}

export function named(id: string): { readonly id: string; readonly child: string } {
  return { id, child: `${id}__` };
}
