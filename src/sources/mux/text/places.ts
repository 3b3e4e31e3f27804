import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { CST, Pair, YAMLSeq } from "yaml";

/** A piece of a text, and what stands there instead. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Undefined where one would cut into another. */
export function spliced(text: string, splices: readonly Splice[]): string | undefined {
  const inOrder = splices.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let at = 0;
  let next = "";
  for (const { start, end, text: own } of inOrder) {
    if (start < at) return undefined;
    next += text.slice(at, start) + own;
    at = end;
  }
  return next + text.slice(at);
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Where the line break stands, or the end of the text. */
export function lineEnd(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  if (newline < 0) return text.length;
  return text[newline - 1] === "\r" ? newline - 1 : newline;
}

/** The start of the line after what ends here; what ends with its line break ends there. */
export function nextLine(text: string, end: number): number {
  if (text[end - 1] === "\n") return end;
  const newline = text.indexOf("\n", end);
  return newline < 0 ? text.length : newline + 1;
}

export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** Whole lines below the one on which something ends. */
export function linesBelow(text: string, end: number, lines: readonly string[]): Splice {
  const lineBreak = lineBreakOf(text);
  if (text[end - 1] === "\n") return { start: end, end, text: lines.map((line) => line + lineBreak).join("") };
  const at = lineEnd(text, end);
  return { start: at, end: at, text: lines.map((line) => lineBreak + line).join("") };
}

/** What stands before a place in its line, as white space: a byte order mark counts for nothing. */
export function indentAt(text: string, at: number): string {
  return text.slice(lineStart(text, at), at).replaceAll("\uFEFF", "").replaceAll(/[^\t]/g, " ");
}

/** With its anchor, its tag and its question mark. */
export function pairStart(pair: Pair): number {
  return propsStart(pair.srcToken?.start) ?? startOf(pair.key);
}

/** Undefined where the key has no colon. */
export function colonEnd(pair: Pair): number | undefined {
  const colon = pair.srcToken?.sep?.find(({ type }) => type === "map-value-ind");
  return colon && colon.offset + colon.source.length;
}

/** With its anchor and its tag. */
export function valueStart(pair: Pair): number {
  return propsStart(pair.srcToken?.sep) ?? startOf(pair.value);
}

export function pairEnd(text: string, pair: Pair): number {
  const props = (pair.srcToken?.sep ?? []).filter(({ type }) => type === "anchor" || type === "tag");
  const marks = props.map(({ offset, source }) => offset + source.length);
  const value = isSaid(pair.value) ? contentEnd(text, pair.value) : 0;
  return Math.max(contentEnd(text, pair.key), colonEnd(pair) ?? 0, ...marks, value);
}

/** Where a list's row begins: at its mark, or in a flow list at its anchor. */
export function itemStart(list: YAMLSeq, index: number): number {
  const start = itemToken(list, index)?.start;
  return start?.find(({ type }) => type === "seq-item-ind")?.offset ?? propsStart(start) ?? startOf(list.items[index]);
}

export function itemEnd(text: string, list: YAMLSeq, index: number): number {
  const tokens = itemToken(list, index)?.start ?? [];
  const marks = tokens.filter(({ type }) => type === "seq-item-ind" || type === "anchor" || type === "tag");
  const item = list.items[index];
  return Math.max(...marks.map(({ offset, source }) => offset + source.length), isSaid(item) ? contentEnd(text, item) : 0);
}

/** The end of what is said; of the line break behind it only where it is part of it. */
export function contentEnd(text: string, node: unknown): number {
  if (isMap(node) && !node.flow) return Math.max(startOf(node), ...node.items.slice(-1).map((pair) => pairEnd(text, pair)));
  if (isSeq(node) && !node.flow) return node.items.length === 0 ? startOf(node) : itemEnd(text, node, node.items.length - 1);
  const [start, end] = rangeOf(node) ?? [0, 0];
  if (!isScalar(node) || (node.type !== "BLOCK_LITERAL" && node.type !== "BLOCK_FOLDED")) return end;
  // A block scalar that keeps its last line breaks has them as a part of itself.
  const header = /^[|>]\S*/.exec(text.slice(start, end))?.[0] ?? "";
  return header.includes("+") ? end : start + text.slice(start, end).replace(/[\r\n]+$/, "").length;
}

export function startOf(node: unknown): number {
  return rangeOf(node)?.[0] ?? 0;
}

export function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  const isParsed = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node);
  return (isParsed && node.range) || undefined;
}

/** A value that is only missed has its place behind the comment. */
function isSaid(node: unknown): boolean {
  const range = rangeOf(node);
  return range !== undefined && range[1] > range[0];
}

function itemToken(list: YAMLSeq, index: number): CST.CollectionItem | undefined {
  const token = list.srcToken;
  return token && "items" in token ? token.items[index] : undefined;
}

function propsStart(tokens: readonly CST.SourceToken[] | undefined): number | undefined {
  return tokens?.find(({ type }) => type === "anchor" || type === "tag" || type === "explicit-key-ind")?.offset;
}
