import type { Database } from "../../system/sqlite.ts";
import { readDatabase } from "../../system/sqlite.ts";

/** What OpenCode's database (1.18.33) tells of one session. */
export interface Contents {
  /** Itself first, then the sessions of its sub-agents, which are deleted with it. */
  readonly family: readonly [string, ...string[]];
  /** Of it, in all tables. */
  readonly rows: number;
  /** The files that hold long outputs of its tools. */
  readonly outputs: ReadonlySet<string>;
  /** Those that another session names as well, as a fork of it does. */
  readonly sharedOutputs: ReadonlySet<string>;
  /** Those that any session names. */
  readonly namedOutputs: ReadonlySet<string>;
  /** When it and its sub-agents' were at work, in milliseconds; undefined where that is not told. */
  readonly span: { readonly from: number; readonly to: number } | undefined;
  /** What a person has typed. */
  readonly prompts: readonly string[];
  /** What its tools were given. */
  readonly inputs: readonly string[];
}
export type ContentsRead =
  | { readonly kind: "read"; readonly contents: Contents }
  /** There is no such database, or it knows nothing of that session. */
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** It is only read. */
export async function contentsIn(database: string, id: string): Promise<ContentsRead> {
  const read = await readDatabase(database, (opened) => contentsOf(opened, id));
  switch (read.kind) {
    case "done":
      return read.value.rows > 0 ? { kind: "read", contents: read.value } : { kind: "none" };
    case "absent":
      return { kind: "none" };
    case "busy":
      return { kind: "unreadable", reason: "another program holds it" };
    case "unopenable":
      return { kind: "unreadable", reason: read.reason };
  }
}

/** Whether one of these texts stands in a message of a session that is none of these. */
export async function isTypedElsewhere(database: string, { family }: Contents, texts: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const read = await readDatabase(database, (opened) => {
    const others = opened.prepare<[string, string]>(
      `select 1 from part where session_id not in (select value from json_each(?)) and instr(data, ?) > 0 limit 1`,
    );
    return new Set(texts.filter((text) => others.get(JSON.stringify(family), JSON.stringify(text).slice(1, -1)) !== undefined));
  });
  return read.kind === "done" ? read.value : undefined;
}

/** How many rows of these sessions there still are; undefined where that can't be told. */
export async function rowsLeft(database: string, family: Contents["family"]): Promise<number | undefined> {
  const read = await readDatabase(database, (opened) => countOfRows(opened, family));
  return read.kind === "done" ? read.value : read.kind === "absent" ? 0 : undefined;
}

function contentsOf(database: Database, id: string): Contents {
  const family = familyOf(database, id);
  const inParts = has(database, "part", "session_id");
  const of = JSON.stringify(family);
  const told = (which: string): readonly string[] =>
    inParts
      ? database
          .prepare<[string], string>(`select data from part where session_id ${which} (select value from json_each(?)) and instr(data, 'tool-output') > 0`)
          .pluck()
          .all(of)
      : [];
  const outputs = new Set(told("in").flatMap(outputsIn));
  const others = new Set(told("not in").flatMap(outputsIn));
  return {
    family,
    rows: countOfRows(database, family),
    outputs,
    sharedOutputs: new Set([...outputs].filter((name) => others.has(name))),
    namedOutputs: outputs.union(others),
    span: spanOf(database, of),
    prompts: inParts && has(database, "message", "session_id") ? promptsOf(database, of) : [],
    inputs: inParts ? inputsOf(database, of) : [],
  };
}

function familyOf(database: Database, id: string): Contents["family"] {
  if (!has(database, "session", "parent_id")) return [id];
  const children = database
    .prepare<[string]>(
      `with recursive below(id) as (
         select id from session where parent_id = ?
         union select session.id from session join below on session.parent_id = below.id)
       select id from below`,
    )
    .pluck()
    .all(id);
  return [id, ...children.filter((child) => typeof child === "string" && child !== id).map(String)];
}

function spanOf(database: Database, family: string): Contents["span"] {
  if (!has(database, "session", "time_updated")) return undefined;
  const found = database
    .prepare<[string], { readonly from: unknown; readonly to: unknown }>(
      `select min(time_created) as "from", max(time_updated) as "to" from session where id in (select value from json_each(?))`,
    )
    .get(family);
  return typeof found?.from === "number" && typeof found.to === "number" ? { from: found.from, to: found.to } : undefined;
}

function promptsOf(database: Database, family: string): readonly string[] {
  const rows = database
    .prepare<[string]>(
      `select json_extract(part.data, '$.text') from part join message on message.id = part.message_id
       where part.session_id in (select value from json_each(?)) and json_valid(part.data) and json_valid(message.data)
         and json_extract(message.data, '$.role') = 'user' and json_extract(part.data, '$.type') = 'text'`,
    )
    .pluck()
    .all(family);
  return rows.filter((text) => typeof text === "string" && text !== "").map(String);
}

function inputsOf(database: Database, family: string): readonly string[] {
  const rows = database
    .prepare<[string], string>(
      `select json_extract(data, '$.state.input') from part
       where session_id in (select value from json_each(?)) and json_valid(data)
         and json_extract(data, '$.type') = 'tool' and json_type(data, '$.state.input') = 'object'`,
    )
    .pluck()
    .all(family);
  return rows.flatMap((input) => Object.values(JSON.parse(input) as object)).filter((value) => typeof value === "string");
}

function countOfRows(database: Database, family: Contents["family"]): number {
  let count = 0;
  for (const [table, column] of keyed) {
    if (!has(database, table, column)) continue;
    const counted = database
      .prepare<[string], number>(`select count(*) from ${table} where ${column} in (select value from json_each(?))`)
      .pluck()
      .get(JSON.stringify(family));
    count += counted ?? 0;
  }
  return count;
}
const keyed = [
  ["session", "id"],
  ["message", "session_id"],
  ["part", "session_id"],
  ["session_message", "session_id"],
  ["session_input", "session_id"],
  ["session_context_epoch", "session_id"],
  ["todo", "session_id"],
  ["session_share", "session_id"],
  ["event", "aggregate_id"],
  ["event_sequence", "aggregate_id"],
] as const;

function has(database: Database, table: string, column: string): boolean {
  return database.prepare("select 1 from pragma_table_info(?) where name = ?").get(table, column) !== undefined;
}

function outputsIn(data: string): readonly string[] {
  return [...data.matchAll(/tool-output[/\\]+(tool_[0-9A-Za-z]+)/g)].flatMap(([, name]) => name ?? []);
}
