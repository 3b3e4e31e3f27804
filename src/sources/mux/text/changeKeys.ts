import { isScalar } from "yaml";
import type { Pair, YAMLMap } from "yaml";
import { printOf } from "./exact.ts";
import { isMergeKey, scalarValue } from "./exactTree.ts";
import type { Exact } from "./exact.ts";
import { flowText, keyText, longestKey } from "./flowText.ts";
import { newFlowKeys, withoutFlowKeys } from "./flowKeys.ts";
import { colonEnd, contentEnd, indentAt, lineBreakOf, lineStart, linesBelow, nextLine, pairEnd, pairStart, rangeOf, startOf, valueStart } from "./places.ts";
import type { Splice } from "./places.ts";

export type KeyValue = readonly [key: string, value: Exact];

/** One map's keys: those that get a value, and those that go. Undefined where its text has no place for it. */
export function changedKeys(text: string, map: YAMLMap, set: readonly KeyValue[], remove: readonly string[]): readonly Splice[] | undefined {
  const known = set.filter(([key]) => findPair(map, key));
  const fresh = set.filter(([key]) => !findPair(map, key));
  const kept = map.items.filter((pair) => !remove.some((key) => isNamed(pair, key)));
  const values = known.map(([key, value]) => newValue(text, findPair(map, key), value, map.flow ?? false));
  if (values.includes(undefined)) return undefined;
  const own = map.flow
    ? [...newFlowKeys(text, map, kept, fresh), ...withoutFlowKeys(text, map, kept)]
    : [...newLines(text, map, kept, fresh), ...withoutLines(text, map, kept)];
  return [...values.filter((splice) => splice !== undefined), ...own];
}

/** Of keys that are there twice the last one counts. */
function findPair(map: YAMLMap, key: string): Pair | undefined {
  return map.items.findLast((pair) => isNamed(pair, key));
}

/** `5` and `"5"` are two keys. */
function isNamed({ key }: Pair, name: string): boolean {
  return isScalar(key) && !isMergeKey(key) && printOf(scalarValue(key)) === printOf(name);
}

/** A value on its key's line is replaced where it stands, so that a comment behind it stays. */
function newValue(text: string, pair: Pair | undefined, value: Exact, isFlow: boolean): Splice | undefined {
  const written = flowText(value);
  if (!pair || written === undefined) return undefined;
  const colon = colonEnd(pair);
  if (colon === undefined) {
    const end = contentEnd(text, pair.key);
    return isFlow ? { start: end, end, text: `: ${written}` } : undefined;
  }
  const start = valueStart(pair);
  const end = pairEnd(text, pair);
  const isEmpty = end <= colon;
  if (isEmpty) return { start: colon, end: colon, text: ` ${written}` };
  // What began on a line of its own moves up to its key, if nothing is said in between.
  const isBelow = text.slice(colon, start).includes("\n") && text.slice(colon, start).trim() === "";
  const isKept = text[end - 1] === "\n";
  return { start: isBelow ? colon : start, end, text: `${isBelow ? " " : ""}${written}${isKept ? lineBreakOf(text) : ""}` };
}

/** Behind the last key that ends on its own line and stays; else before all. */
function newLines(text: string, map: YAMLMap, kept: readonly Pair[], fresh: readonly KeyValue[]): readonly Splice[] {
  const [first] = map.items;
  if (fresh.length === 0 || !first) return [];
  const indent = indentAt(text, pairStart(first));
  const lineBreak = lineBreakOf(text);
  const lines = fresh.map(([key, value]) => pairLine(key, value, lineBreak + indent));
  const before = kept.findLast((pair) => isOnOneLine(text, pair));
  if (before)
    return [
      linesBelow(
        text,
        pairEnd(text, before),
        lines.map((line) => indent + line),
      ),
    ];
  const at = pairStart(kept[0] ?? first);
  return [{ start: at, end: at, text: lines.map((line) => line + lineBreak + indent).join("") }];
}

export function pairLine(key: Exact, value: Exact, separator: string): string {
  const word = keyText(key) ?? "";
  const written = flowText(value) ?? "";
  return word.length > longestKey ? `? ${word}${separator}: ${written}` : `${word}: ${written}`;
}

function isOnOneLine(text: string, pair: Pair): boolean {
  const isPlainlyOne = (isScalar(pair.value) || pair.value === null) && colonEnd(pair) !== undefined;
  return isPlainlyOne && !text.slice(pairStart(pair), pairEnd(text, pair)).includes("\n");
}

function withoutLines(text: string, map: YAMLMap, kept: readonly Pair[]): readonly Splice[] {
  const gone = map.items.filter((pair) => !kept.includes(pair));
  const [first] = map.items;
  const [firstKept] = kept;
  if (gone.length === 0 || !first || !firstKept) return [];
  const isBesideMark = text.slice(lineStart(text, pairStart(first)), pairStart(first)).trim() !== "";
  const head = isBesideMark ? map.items.slice(0, map.items.indexOf(firstKept)) : [];
  const lines = gone
    .filter((pair) => !head.includes(pair))
    .map((pair) => ({ start: lineStart(text, pairStart(pair)), end: nextLine(text, pairEnd(text, pair)), text: "" }));
  return head.length > 0 ? [{ start: pairStart(first), end: pairStart(firstKept), text: "" }, ...lines] : lines;
}

/** All of it, where it can't be changed by its keys. */
export function wholeValue(text: string, node: unknown, value: Exact): Splice | undefined {
  const written = flowText(value);
  return written === undefined || !rangeOf(node) ? undefined : { start: startOf(node), end: contentEnd(text, node), text: written };
}
