import type { JsonObject } from "../json.ts";
import { addedRows } from "./addRows.ts";
import type { IdentityChange } from "../emptyIdentity.ts";
import { changedIdentity, withIdentity } from "./changeIdentity.ts";
import { changedRow } from "./changeRow.ts";
import { compose, sessionsKey } from "./document.ts";
import type { Composed, Corrupt } from "./document.ts";
import { exactOfJson, isMap, printOf, withChanges } from "./exact.ts";
import type { Exact, ExactMap } from "./exact.ts";
import type { Parsed } from "./parse.ts";
import { spliced } from "./places.ts";
import { cutRow, givenBack, withoutRows } from "./rowText.ts";
import type { RowText } from "./rowText.ts";

/** Places are those of the text as it is given, also where several are edited at once. */
export type Edit =
  /** Keys of one row: those that get a value, and those that go. */
  | { readonly kind: "change"; readonly index: number; readonly set: JsonObject; readonly remove: readonly string[] }
  /** At the end. */
  | { readonly kind: "add"; readonly row: JsonObject }
  | { readonly kind: "remove"; readonly index: number }
  /** What a removal took, where it was. */
  | { readonly kind: "insert"; readonly text: RowText }
  /** Keys of one agent's entry in the cache of ids. */
  | { readonly kind: "identity"; readonly change: IdentityChange };

export type Edited =
  | { readonly kind: "edited"; readonly text: string; readonly cut?: RowText }
  | Corrupt
  | { readonly kind: "unsafe"; readonly reason: string };

/** Only the text of what changes is replaced. The result is parsed again: it says what was wanted, and of everything else what was said before, or it is not given. */
export async function editRegistry({ composed }: Parsed, edits: readonly Edit[]): Promise<Edited> {
  const { text } = composed;
  if (edits.length === 0) return { kind: "edited", text };
  const splices = splicesOf(composed, edits);
  const next = splices && spliced(text, splices);
  const wanted = rowsAfter(composed.rows, edits);
  if (next === undefined || wanted === undefined) return unsafe;

  const result = await compose(next);
  const isAsWanted =
    result.kind === "composed" && isSame(result.rows, wanted) && otherKeys(result.document) === otherKeys(documentAfter(composed.document, edits));
  if (!isAsWanted) return unsafe;
  const removed = edits.find((edit) => edit.kind === "remove");
  const cut = removed && cutRow(composed, removed.index);
  return { kind: "edited", text: next, ...(cut && { cut }) };
}
const unsafe: Edited = { kind: "unsafe", reason: "it is so written that this row can't be changed without another" };

function splicesOf(composed: Composed, edits: readonly Edit[]): ReturnType<typeof changedRow> {
  const removed = edits.flatMap((edit) => (edit.kind === "remove" ? [edit.index] : []));
  const added = edits.flatMap((edit) => (edit.kind === "add" ? [edit.row] : []));
  const isFilledAgain = added.length > 0 || edits.some(({ kind }) => kind === "insert");
  const parts = [
    ...edits.map((edit) => {
      if (edit.kind === "change") return changedRow(composed, edit.index, edit.set, edit.remove);
      if (edit.kind === "identity") return changedIdentity(composed, edit.change);
      return edit.kind === "insert" ? givenBack(composed, edit.text) : [];
    }),
    withoutRows(composed, [...new Set(removed)], isFilledAgain),
    addedRows(composed, added, new Set(removed).size === composed.rows.length),
  ];
  return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
}

/** Undefined where an edit means a row that is not there, or is no map. */
function rowsAfter(rows: readonly Exact[], edits: readonly Edit[]): readonly Exact[] | undefined {
  let next: readonly (Exact | undefined)[] = rows;
  for (const edit of edits) {
    if (edit.kind !== "change" && edit.kind !== "remove") continue;
    const row = next[edit.index];
    if (edit.kind === "change" && !isMap(row)) return undefined;
    if (edit.index < 0 || edit.index >= next.length) return undefined;
    next = next.with(edit.index, edit.kind === "change" && isMap(row) ? withChanges(row, edit.set, edit.remove) : undefined);
  }
  const kept = next.filter((row) => row !== undefined);
  const inserted = edits.reduce((all, edit) => (edit.kind === "insert" ? all.toSpliced(edit.text.index, 0, edit.text.row) : all), kept);
  return [...inserted, ...edits.flatMap((edit) => (edit.kind === "add" ? [exactOfJson(edit.row)] : []))];
}

function isSame(rows: readonly Exact[], wanted: readonly Exact[]): boolean {
  return rows.length === wanted.length && rows.every((row, index) => row === wanted[index] || printOf(row) === printOf(wanted[index] ?? null));
}

function documentAfter(document: ExactMap, edits: readonly Edit[]): ExactMap {
  return edits.reduce((all, edit) => (edit.kind === "identity" ? (withIdentity(all, edit.change) ?? all) : all), document);
}

function otherKeys(document: ExactMap): string {
  const others = new Map(document);
  others.delete(printOf(sessionsKey));
  return printOf(others);
}
