import type { Pair, YAMLMap } from "yaml";
import type { KeyValue } from "./changeKeys.ts";
import { flowPair } from "./flowText.ts";
import { pairEnd, pairStart, startOf } from "./places.ts";
import type { Splice } from "./places.ts";

/** Behind the last key that stays. */
export function newFlowKeys(text: string, map: YAMLMap, kept: readonly Pair[], fresh: readonly KeyValue[]): readonly Splice[] {
  if (fresh.length === 0) return [];
  const last = kept.at(-1);
  const written = fresh.map(([key, value]) => flowPair(key, value)).join(", ");
  const at = last ? pairEnd(text, last) : startOf(map) + 1;
  return [{ start: at, end: at, text: last ? `, ${written}` : written }];
}

export function withoutFlowKeys(text: string, map: YAMLMap, kept: readonly Pair[]): readonly Splice[] {
  const ends = map.items.map((pair) => ({ start: pairStart(pair), end: pairEnd(text, pair) }));
  return withoutItems(ends, (index) => kept.includes(map.items[index] as Pair));
}

/** What stands between commas, each with the comma that it leaves over. */
export function withoutItems(items: readonly { readonly start: number; readonly end: number }[], isKept: (index: number) => boolean): readonly Splice[] {
  const lastKept = items.findLastIndex((_, index) => isKept(index));
  const [first, last] = [items[0], items.at(-1)];
  if (!first || !last) return [];
  if (lastKept < 0) return [{ start: first.start, end: last.end, text: "" }];
  const inside = items.slice(0, lastKept).flatMap(({ start }, index) => (isKept(index) ? [] : [{ start, end: items[index + 1]?.start ?? start, text: "" }]));
  const behind = items[lastKept]?.end ?? last.end;
  return lastKept === items.length - 1 ? inside : [...inside, { start: behind, end: last.end, text: "" }];
}
