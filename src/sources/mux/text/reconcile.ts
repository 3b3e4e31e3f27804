import { emptyIdentity } from "../emptyIdentity.ts";
import type { Emptied } from "../emptyIdentity.ts";
import { nameOfRow } from "../exactJson.ts";
import type { JsonObject } from "../json.ts";
import { editRegistry } from "./edit.ts";
import type { Edit, Edited } from "./edit.ts";
import { exactOfJson, printOf } from "./exact.ts";
import { parseRegistry } from "./parse.ts";

/** Makes the rows be exactly these, by the fewest edits: rows of one name are told apart by their order. A row without a name is nobody's, and stays; so does one that is not among them and may not go. */
export async function reconcile(text: string, rows: readonly JsonObject[], mayGo: (name: string) => boolean = () => true, emptied?: Emptied): Promise<Edited> {
  const parsed = await parseRegistry(text);
  if (parsed.kind === "corrupt") return parsed;
  const wanted = new Map(marked(rows).map(({ mark, row }) => [mark, row]));
  const there = marked(parsed.rows);
  const edits = there.flatMap(({ mark, row, index }): Edit[] => {
    const next = wanted.get(mark);
    if (next) return change(row, next, index);
    return mayGo(nameOfRow(row) ?? "") ? [{ kind: "remove", index }] : [];
  });
  const known = new Set(there.map(({ mark }) => mark));
  const added = [...wanted].flatMap(([mark, row]): Edit[] => (known.has(mark) ? [] : [{ kind: "add", row }]));
  const identity = emptyIdentity(parsed.identities, emptied);
  return editRegistry(parsed, [...edits, ...added, ...(identity ? [{ kind: "identity", change: identity } as const] : [])]);
}

function marked(rows: readonly (JsonObject | undefined)[]): readonly { readonly mark: string; readonly row: JsonObject; readonly index: number }[] {
  const counts = new Map<string, number>();
  return rows.flatMap((row, index) => {
    if (!row) return [];
    const { name } = row;
    if (typeof name !== "string") return [];
    const written = name.toWellFormed();
    const nth = (counts.get(written) ?? 0) + 1;
    counts.set(written, nth);
    return [{ mark: `${nth} ${written}`, row, index }];
  });
}

/** By what a reader sees: 1.50 is 1.5, and both are not 1. */
function change(row: JsonObject, next: JsonObject, index: number): Edit[] {
  const set = Object.entries(next).filter(
    ([key, value]) => !Object.hasOwn(row, key) || printOf(exactOfJson(row[key] as JsonObject)) !== printOf(exactOfJson(value)),
  );
  const remove = Object.keys(row).filter((key) => !Object.hasOwn(next, key));
  return set.length === 0 && remove.length === 0 ? [] : [{ kind: "change", index, set: Object.fromEntries(set), remove }];
}
