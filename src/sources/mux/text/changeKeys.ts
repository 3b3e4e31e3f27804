import { isAlias, isCollection, isMap, isNode, isScalar } from "yaml";
import type { Pair, Range, YAMLMap } from "yaml";
import { isJsonObject } from "../exactJson.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Parsed } from "./parse.ts";
import { columnOf, lineAt, lineStart, nextLine } from "./splice.ts";
import type { Splice } from "./splice.ts";
import { flowText, keyText } from "./words.ts";

/** One row's keys; a row that only points to another is written out. */
export function changesOfRow({ text, list, values }: Parsed, index: number, set: JsonObject, remove: readonly string[]): readonly Splice[] {
  const row: unknown = list?.items[index];
  const value = values[index];
  if (isAlias(row) && row.range && isJsonObject(value)) {
    const kept = Object.entries(value).filter(([key]) => !remove.includes(key));
    return [{ start: row.range[0], end: row.range[1], text: flowText(Object.fromEntries([...kept, ...Object.entries(set)])) }];
  }
  if (!isMap(row)) return [];
  const known = Object.entries(set).filter(([key]) => findPair(row, key));
  const fresh = Object.entries(set).filter(([key]) => !findPair(row, key));
  return [...known.flatMap(([key, each]) => newValue(text, findPair(row, key), each)), ...newKeys(text, row, fresh, remove), ...removals(text, row, remove)];
}

/** Of keys that are there twice the last one counts. */
function findPair(row: YAMLMap, key: string): Pair | undefined {
  return row.items.findLast((pair) => nameOf(pair) === key);
}

function nameOf({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

/** A value on its key's line is replaced where it stands, so that a comment behind it stays. */
function newValue(text: string, pair: Pair | undefined, value: Json): readonly Splice[] {
  const key = rangeOf(pair?.key);
  if (!pair || !key) return [];
  const old = isNode(pair.value) ? pair.value : undefined;
  const colon = text.indexOf(":", key[1]) + 1;
  const [start, end] = rangeOf(old) ?? [colon, colon];
  const own = flowText(value);
  const isEmpty = start === end;
  if (isEmpty) return [{ start: colon, end: colon, text: ` ${own}` }];
  const isBlock = (isCollection(old) && !old.flow) || (isScalar(old) && (old.type === "BLOCK_LITERAL" || old.type === "BLOCK_FOLDED"));
  return isBlock ? [{ start: colon, end, text: ` ${own}${lineEndIn(text.slice(colon, end))}` }] : [{ start, end, text: own }];
}

function lineEndIn(old: string): string {
  return /(\r?\n)$/.exec(old)?.[1] ?? "";
}

/** Behind the last key that ends on its own line and stays. */
function newKeys(text: string, row: YAMLMap, fresh: readonly (readonly [string, Json])[], remove: readonly string[]): readonly Splice[] {
  const [first] = row.items;
  const firstKey = rangeOf(first?.key);
  if (fresh.length === 0 || !firstKey) return [];
  if (row.flow) {
    const at = endOf(row.items.at(-1));
    return [{ start: at, end: at, text: fresh.map(([key, value]) => `, ${keyText(key)}: ${flowText(value)}`).join("") }];
  }
  const before = row.items.findLast((pair) => !remove.includes(nameOf(pair) ?? "") && isOnOneLine(text, pair));
  if (!before) return [];
  const at = nextLine(text, endOf(before));
  const indent = " ".repeat(columnOf(text, firstKey[0]));
  return fresh.map(([key, value]) => lineAt(text, at, `${indent}${keyText(key)}: ${flowText(value)}`));
}

function isOnOneLine(text: string, pair: Pair): boolean {
  const key = rangeOf(pair.key);
  return key !== undefined && (isScalar(pair.value) || pair.value === null) && !text.slice(key[0], endOf(pair)).includes("\n");
}

function removals(text: string, row: YAMLMap, remove: readonly string[]): readonly Splice[] {
  return row.items.flatMap((pair, index): Splice[] => {
    const key = rangeOf(pair.key);
    if (!key || !remove.includes(nameOf(pair) ?? "")) return [];
    const next = rangeOf(row.items[index + 1]?.key);
    if (index === 0) return next ? [{ start: key[0], end: next[0], text: "" }] : [];
    if (row.flow) return [{ start: endOf(row.items[index - 1]), end: endOf(pair), text: "" }];
    return [{ start: lineStart(text, key[0]), end: nextLine(text, endOf(pair)), text: "" }];
  });
}

export function endOf(pair: Pair | undefined): number {
  return Math.max(rangeOf(pair?.value)?.[1] ?? 0, rangeOf(pair?.key)?.[1] ?? 0);
}

function rangeOf(node: unknown): Range | undefined {
  return isNode(node) ? (node.range ?? undefined) : undefined;
}
