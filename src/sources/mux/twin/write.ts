import type { Database } from "../../../system/sqlite.ts";
import { rowAfter } from "../changeRow.ts";
import { identitiesKey } from "../emptyIdentity.ts";
import type { IdentityChange } from "../emptyIdentity.ts";
import { isJsonObject, nameOfRow, textOfExact } from "../exactJson.ts";
import type { Json, JsonObject } from "../json.ts";
import { isDocument, isNamed } from "./tables.ts";
import type { TwinContents } from "./tables.ts";

/** `nth` of the rows with that name: a document may hold several. */
export type TwinEdit =
  | {
      readonly kind: "set";
      readonly name: string;
      readonly nth: number;
      readonly row: JsonObject;
      /** What else the same transaction changes, in the document. */
      readonly identity?: IdentityChange | undefined;
      /** What was there is overwritten, and not only no longer used. */
      readonly isForGood?: boolean;
    }
  | { readonly kind: "remove"; readonly name: string; readonly nth: number }
  | { readonly kind: "add"; readonly row: JsonObject };

/** Within the caller's transaction, where the row was found. Says why where that can't be; the caller then takes it back. */
export function write(database: Database, edit: TwinEdit, { sessions, unreadableNames, document }: TwinContents): string | undefined {
  const name = edit.kind === "add" ? (nameOfRow(edit.row) ?? "") : edit.name;
  if (unreadableNames.has(name)) return "its table sessions has a row of that name that can't be read";
  const identity = edit.kind === "set" ? edit.identity : undefined;
  if (edit.kind === "set" && edit.isForGood) database.pragma("secure_delete = ON");
  if (edit.kind === "add" ? sessions !== undefined : sessions?.has(name) === true) {
    if (identity && isDocument(document)) writeDocument(database, withIdentity(document, identity));
    return writeRow(database, edit);
  }
  if (document === "unreadable") return "the document in its table state can't be parsed";
  if (!isDocument(document)) return "its table state holds no document yet";
  writeDocument(database, withIdentity(withEdit(document, edit), identity));
  return undefined;
}

function writeDocument(database: Database, document: JsonObject): void {
  database.prepare("UPDATE state SET data = ? WHERE id = 1").run(textOfExact(document));
}

function withIdentity(document: JsonObject, identity: IdentityChange | undefined): JsonObject {
  const identities = document[identitiesKey];
  const entry = isJsonObject(identities) && identity ? identities[identity.agent] : undefined;
  if (!identity || !isJsonObject(identities) || !isJsonObject(entry)) return document;
  return { ...document, [identitiesKey]: { ...identities, [identity.agent]: rowAfter(entry, identity) } };
}

/** Other columns are somebody else's. */
function writeRow(database: Database, edit: TwinEdit): string | undefined {
  const { changes } = rowStatement(database, edit);
  return changes === 1 ? undefined : `its table sessions holds ${changes} rows of one name`;
}

function rowStatement(database: Database, edit: TwinEdit): { readonly changes: number } {
  switch (edit.kind) {
    case "set":
      return database.prepare("UPDATE sessions SET data = ? WHERE name = ?").run(textOfExact(edit.row), edit.name);
    case "remove":
      return database.prepare("DELETE FROM sessions WHERE name = ?").run(edit.name);
    case "add":
      return database.prepare("INSERT INTO sessions (name, data) VALUES (?, ?)").run(nameOfRow(edit.row), textOfExact(edit.row));
  }
}

function withEdit(document: JsonObject, edit: TwinEdit): JsonObject {
  const listed = document["tmux_sessions"];
  const rows: readonly Json[] = Array.isArray(listed) ? listed : [];
  if (edit.kind === "add") return { ...document, tmux_sessions: [...rows, edit.row] };
  let count = 0;
  const next = rows.flatMap((row) => {
    const isMeant = isNamed(row) && nameOfRow(row) === edit.name && ++count === edit.nth;
    return !isMeant ? [row] : edit.kind === "set" ? [edit.row] : [];
  });
  return { ...document, tmux_sessions: next };
}
