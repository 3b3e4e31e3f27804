import { join } from "node:path";
import type { LeftAlone, Store } from "../../core/store.ts";
import { rowStoresIn } from "../../system/erase/rows.ts";
import { readDatabase } from "../../system/sqlite.ts";
import type { Database } from "../../system/sqlite.ts";

/** The rows of a conversation in the database of all: its turns, what it used, and the search index with the whole text. */
export async function rowStores(home: string, id: string): Promise<readonly Store[]> {
  return rowStoresIn({
    root: home,
    path: pathIn(home),
    name: "its rows in the session store and its search index",
    belongsBecause: "they name the conversation's id",
    id,
    count: (database) => tablesOf(database).reduce((sum, table) => sum + countIn(database, table, id), 0),
    remove: (database) => {
      for (const table of tablesOf(database)) {
        if (countIn(database, table, id) === 0) continue;
        database.prepare(`DELETE FROM "${table.name}" WHERE "${table.column}" = ?`).run(id);
        // The words of deleted rows stay in the index's segments until these are merged; how it merges by itself is left as its program set it.
        if (table.isSearch) database.prepare(`INSERT INTO "${table.name}"("${table.name}") VALUES ('optimize')`).run();
      }
    },
  });
}

/** Rows that are of a folder or a branch, and say something of it all the same. */
export async function rowsLeftAlone(home: string, id: string): Promise<readonly LeftAlone[]> {
  const path = pathIn(home);
  const read = await readDatabase(path, (database) => {
    const own = new Map(tablesOf(database).map((table) => [table.name, table.column]));
    const naming = realTables(database).filter((name) => doesName(database, name, id, own.get(name)));
    return { shared: naming.filter((name) => !own.has(name)), isInOthers: naming.some((name) => own.has(name)) };
  });
  if (read.kind !== "done") return [];
  const { shared, isInOthers } = read.value;
  const whys = [
    ...(shared.length > 0 ? [`${shared.join(" and ")} ${shared.length === 1 ? "is" : "are"} not kept by conversation`] : []),
    ...(isInOthers ? ["they are of other conversations"] : []),
  ];
  return whys.map((why) => ({ name: "rows of the session store that name it", path, why, holds: "id" }));
}

export interface Turn {
  readonly id: string;
  readonly prompt: string;
}

/** What the person typed in conversations, by its own rows; undefined where there is a store that can't be read. */
export async function promptsIn(home: string): Promise<readonly Turn[] | undefined> {
  const read = await readDatabase(pathIn(home), (database) => {
    const has = realTables(database).includes("turns") && ["session_id", "user_message"].every((name) => columnsOf(database, "turns").includes(name));
    if (!has) return undefined;
    return database.prepare("SELECT session_id AS id, user_message AS prompt FROM turns WHERE typeof(user_message) = 'text'").all();
  });
  if (read.kind === "absent") return [];
  return read.kind === "done" ? (read.value as readonly Turn[] | undefined) : undefined;
}

interface Table {
  readonly name: string;
  readonly column: string;
  readonly isSearch: boolean;
}

function pathIn(home: string): string {
  return join(home, "session-store.db");
}

/** Those that have a column for the conversation's id; the one that the others refer to comes last. */
function tablesOf(database: Database): readonly Table[] {
  const searches = virtualTables(database);
  const names = [...searches, ...realTables(database)];
  const of = names.filter((name) => columnsOf(database, name).includes("session_id"));
  const tables = of.map((name): Table => ({ name, column: "session_id", isSearch: searches.includes(name) }));
  const isThere = realTables(database).includes("sessions") && columnsOf(database, "sessions").includes("id");
  return isThere ? [...tables, { name: "sessions", column: "id", isSearch: false }] : tables;
}

function countIn(database: Database, { name, column }: Table, id: string): number {
  return Number(database.prepare(`SELECT count(*) FROM "${name}" WHERE "${column}" = ?`).pluck().get(id));
}

/** In a row that is not its own by this column. */
function doesName(database: Database, name: string, id: string, by?: string): boolean {
  const some = columnsOf(database, name).map((column) => `instr("${column}", @id) > 0`);
  const isOthers = by === undefined ? "" : ` AND "${by}" IS NOT @id`;
  return some.length > 0 && database.prepare(`SELECT 1 FROM "${name}" WHERE (${some.join(" OR ")})${isOthers} LIMIT 1`).get({ id }) !== undefined;
}

function columnsOf(database: Database, table: string): readonly string[] {
  return database.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table).map(String);
}

/** Search indexes of the kind that is known here. */
function virtualTables(database: Database): readonly string[] {
  return tableNames(database, "sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'");
}

/** Without those in which a search index keeps its own. */
function realTables(database: Database): readonly string[] {
  const searches = tableNames(database, "sql LIKE 'CREATE VIRTUAL TABLE%'");
  const isWithin = (name: string): boolean => searches.some((search) => name.startsWith(`${search}_`));
  return tableNames(database, "sql NOT LIKE 'CREATE VIRTUAL TABLE%'").filter((name) => !isWithin(name));
}

/** A name with a quotation mark is nobody's who is known here, and would have to be written otherwise. */
function tableNames(database: Database, that: string): readonly string[] {
  const names = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND ${that}`).pluck().all();
  return names.map(String).filter((name) => /^\w+$/.test(name));
}
