import { isAlias, isMap } from "yaml";
import type { JsonObject } from "../json.ts";
import { changedKeys, wholeValue } from "./changeKeys.ts";
import type { Composed } from "./document.ts";
import { exactOfJson, isMap as isExactMap, withChanges } from "./exact.ts";
import type { Splice } from "./places.ts";

/** One row's keys. A row that only points to another is written out; undefined where its text has no place for it. */
export function changedRow({ text, list, rows }: Composed, index: number, set: JsonObject, remove: readonly string[]): readonly Splice[] | undefined {
  const node: unknown = list?.items[index];
  const row = rows[index];
  if (isMap(node) && node.items.length > 0 && !(remove.length > 0 && node.items.every(({ key }) => remove.includes(String(key))))) {
    return changedKeys(
      text,
      node,
      Object.entries(set).map(([key, value]) => [key, exactOfJson(value)] as const),
      remove,
    );
  }
  if (!(isAlias(node) || isMap(node)) || !isExactMap(row)) return undefined;
  const splice = wholeValue(text, node, withChanges(row, set, remove));
  return splice && [splice];
}
