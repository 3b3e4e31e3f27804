import { isJsonObject, isSameJson } from "../exactJson.ts";
import type { Json, JsonObject } from "../json.ts";
import { additions } from "./addRow.ts";
import { changesOfRow } from "./changeKeys.ts";
import { parseRegistry } from "./parse.ts";
import type { Corrupt, Parsed } from "./parse.ts";
import { givenBack, removal } from "./removeRow.ts";
import type { RowText } from "./removeRow.ts";
import { spliced } from "./splice.ts";

export type Edit =
  /** Keys of one row: those that get a value, and those that go. */
  | { readonly kind: "change"; readonly index: number; readonly set: JsonObject; readonly remove: readonly string[] }
  /** At the end. */
  | { readonly kind: "add"; readonly row: JsonObject }
  | { readonly kind: "remove"; readonly index: number }
  /** What a removal took, where it was. */
  | { readonly kind: "insert"; readonly text: RowText };

export type Edited =
  | { readonly kind: "edited"; readonly text: string; readonly cut?: RowText }
  | Corrupt
  | { readonly kind: "unsafe"; readonly reason: string };

/** Only the text of what changes is replaced. The result is parsed again: it says what was wanted, and of everything else what was said before, or it is not given. */
export async function editRegistry(parsed: Parsed, edits: readonly Edit[]): Promise<Edited> {
  const { text } = parsed;
  if (edits.length === 0) return { kind: "edited", text };
  const cuts: RowText[] = [];
  const splices = edits.flatMap((edit) => {
    switch (edit.kind) {
      case "change":
        return changesOfRow(parsed, edit.index, edit.set, edit.remove) ?? [];
      case "remove": {
        const { splices, cut } = removal(parsed, edit.index, edits);
        cuts.push(cut);
        return splices;
      }
      case "insert":
        return givenBack(parsed, edit.text);
      case "add":
        return [];
    }
  });
  const added = edits.flatMap((edit) => (edit.kind === "add" ? [edit.row] : []));
  const next = spliced(text, [...splices, ...additions(parsed, added, parsed.values.length - edits.filter(({ kind }) => kind === "remove").length)]);
  const [cut] = cuts;

  const result = await parseRegistry(next);
  if (result.kind === "corrupt") return unsafe;
  const wanted = { ...parsed.whole, tmux_sessions: rowsAfter(parsed.values, edits) };
  const isAsWanted = isSameJson({ ...result.whole, tmux_sessions: result.values }, wanted);
  return isAsWanted ? { kind: "edited", text: next, ...(cut && { cut }) } : unsafe;
}
const unsafe: Edited = { kind: "unsafe", reason: "its text is so written that this row can't be changed without another" };

/** What the rows have to be. */
function rowsAfter(rows: readonly Json[], edits: readonly Edit[]): readonly Json[] {
  let next: readonly (Json | undefined)[] = rows;
  for (const edit of edits) {
    if (edit.kind === "change") next = next.map((row, index) => (index === edit.index && isJsonObject(row) ? rowAfter(row, edit) : row));
    if (edit.kind === "remove") next = next.with(edit.index, undefined);
  }
  const kept = next.filter((row) => row !== undefined);
  const inserted = edits.reduce<readonly Json[]>((all, edit) => (edit.kind === "insert" ? all.toSpliced(edit.text.index, 0, edit.text.row) : all), kept);
  return [...inserted, ...edits.flatMap((edit) => (edit.kind === "add" ? [edit.row] : []))];
}

function rowAfter(row: JsonObject, { set, remove }: { readonly set: JsonObject; readonly remove: readonly string[] }): JsonObject {
  const kept = Object.entries(row).filter(([key]) => !remove.includes(key));
  return Object.fromEntries([...kept, ...Object.entries(set)]);
}
