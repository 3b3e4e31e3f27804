import { setImmediate as breathe } from "node:timers/promises";
import type { Database } from "../../../system/sqlite.ts";
import { isJsonObject, nameOfRow, parseExact } from "../exactJson.ts";
import type { Json, JsonObject } from "../json.ts";

/** As the tables hold it, unparsed. Undefined: there is no such table. */
export interface Tables {
  readonly sessions: readonly { readonly name: unknown; readonly data: unknown }[] | undefined;
  readonly state: { readonly data: unknown } | "noRow" | undefined;
}

export interface TwinContents {
  /** Those of `sessions`, then those of the document that have other names. */
  readonly rows: readonly JsonObject[];
  readonly identities: JsonObject | undefined;
  /** What could not be parsed: it is listed by nobody, and not written. */
  readonly unreadable: number;
  /** The names in that table, also of what can't be parsed: other programs look for a name there first. */
  readonly sessions: ReadonlySet<string> | undefined;
  readonly unreadableNames: ReadonlySet<string>;
  readonly document: JsonObject | "noRow" | "unreadable" | undefined;
}

export function readTables(database: Database): Tables {
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").pluck().all();
  const sessions = names.includes("sessions") ? database.prepare("SELECT name, data FROM sessions").all() : undefined;
  const state = names.includes("state") ? (database.prepare("SELECT data FROM state WHERE id = 1").get() ?? "noRow") : undefined;
  return { sessions: sessions as Tables["sessions"], state: state as Tables["state"] };
}

export function contentsOf(tables: Tables): TwinContents | undefined {
  return gathered(
    tables,
    (tables.sessions ?? []).map(({ name, data }) => rowIn(name, data)),
  );
}

/** The same for a reader who must not hold up anything: a part at a time. */
export async function tablesIn(tables: Tables): Promise<TwinContents | undefined> {
  const rows: (JsonObject | undefined)[] = [];
  for (const [index, { name, data }] of (tables.sessions ?? []).entries()) {
    if (index % 200 === 199) await breathe();
    rows.push(rowIn(name, data));
  }
  return gathered(tables, rows);
}

function gathered({ sessions, state }: Tables, found: readonly (JsonObject | undefined)[]): TwinContents | undefined {
  if (!sessions && !state) return undefined;
  const document = documentIn(state);
  const own = found.filter((row) => row !== undefined);
  const readable = new Set(own.flatMap((row) => nameOfRow(row) ?? []));
  const names = new Set((sessions ?? []).flatMap(({ name }) => (typeof name === "string" ? [name] : [])));
  const listed = isDocument(document) && Array.isArray(document["tmux_sessions"]) ? (document["tmux_sessions"] as readonly Json[]) : [];
  const inDocument = listed.filter((row) => isNamed(row));
  const identities = isDocument(document) ? document["agent_identities"] : undefined;
  return {
    rows: [...own, ...inDocument.filter((row) => !names.has(nameOfRow(row) ?? ""))],
    identities: isJsonObject(identities) ? identities : undefined,
    unreadable: found.length - own.length + listed.length - inDocument.length + (document === "unreadable" ? 1 : 0),
    sessions: sessions && names,
    unreadableNames: new Set([...names].filter((name) => !readable.has(name))),
    document,
  };
}

/** The name in the table is the one that counts. */
function rowIn(name: unknown, data: unknown): JsonObject | undefined {
  const row = typeof name === "string" && typeof data === "string" ? parseExact(data) : undefined;
  return isJsonObject(row) && typeof name === "string" ? (row["name"] === name ? row : { ...row, name }) : undefined;
}

function documentIn(state: Tables["state"]): TwinContents["document"] {
  if (state === undefined || state === "noRow") return state;
  const document = typeof state.data === "string" ? parseExact(state.data) : undefined;
  const isWhole =
    isJsonObject(document) && (document["tmux_sessions"] === undefined || document["tmux_sessions"] === null || Array.isArray(document["tmux_sessions"]));
  return isWhole ? document : "unreadable";
}

export function isDocument(document: TwinContents["document"]): document is JsonObject {
  return typeof document === "object";
}

export function isNamed(row: Json): row is JsonObject {
  return nameOfRow(row) !== undefined;
}
