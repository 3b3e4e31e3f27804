import { isNode, isSeq } from "yaml";
import type { JsonObject } from "../json.ts";
import type { Edit } from "./edit.ts";
import type { Parsed } from "./parse.ts";
import { additions } from "./addRow.ts";
import { lineEndOf, lineStart, nextLine } from "./splice.ts";
import type { Splice } from "./splice.ts";
import { flowText } from "./words.ts";

/** A row as it stood: its lines, comments and all, where it was a block of its own. */
export interface RowText {
  readonly index: number;
  readonly row: JsonObject;
  readonly lines: string | undefined;
}

/** A list that loses its last row stays a list: a reader that got nothing at all would fall over. */
export function removal(parsed: Parsed, index: number, edits: readonly Edit[]): { readonly splices: readonly Splice[]; readonly cut: RowText } {
  const { text, list, values } = parsed;
  const row = (values[index] ?? {}) as JsonObject;
  const [start, end] = rangeOf(list?.items[index]);
  if (!list || list.flow) return { splices: list ? [inFlow(list.items, index)] : [], cut: { index, row, lines: undefined } };

  const from = lineStart(text, dashOf(parsed, index) ?? start);
  const to = nextLine(text, end);
  const cut: RowText = { index, row, lines: text.slice(from, to) };
  const isLast =
    index === Math.max(...removedOf(edits)) && removedOf(edits).length === list.items.length && !edits.some(({ kind }) => kind === "add" || kind === "insert");
  if (!isLast) return { splices: [{ start: from, end: to, text: "" }], cut };
  const colon = colonOf(parsed);
  return {
    splices: [
      { start: colon, end: colon, text: " []" },
      { start: from, end: to, text: "" },
    ],
    cut,
  };
}

export function givenBack(parsed: Parsed, { index, row, lines }: RowText): readonly Splice[] {
  const { text, list } = parsed;
  if (list?.flow && index < list.items.length) {
    const [start] = rangeOf(list.items[index]);
    return [{ start, end: start, text: `${flowText(row)}, ` }];
  }
  if (lines === undefined || (list?.flow && list.items.length > 0) || !list) return additions(parsed, [row], parsed.values.length);
  const whole = lines.endsWith("\n") ? lines : lines + lineEndOf(text);
  if (list.flow) {
    const [, end] = rangeOf(list);
    return [{ start: colonOf(parsed), end, text: `${lineEndOf(text)}${whole.replace(/\r?\n$/, "")}` }];
  }
  const dash = dashOf(parsed, index);
  const [, end] = rangeOf(list.items.at(-1));
  const at = dash === undefined ? nextLine(text, end) : lineStart(text, dash);
  const isOpen = at > 0 && text[at - 1] !== "\n";
  return [{ start: at, end: at, text: (isOpen ? lineEndOf(text) : "") + whole }];
}

function removedOf(edits: readonly Edit[]): readonly number[] {
  return edits.flatMap((edit) => (edit.kind === "remove" ? [edit.index] : []));
}

function inFlow(items: readonly unknown[], index: number): Splice {
  const [start, end] = rangeOf(items[index]);
  if (index > 0) return { start: rangeOf(items[index - 1])[1], end, text: "" };
  return { start, end: items.length > 1 ? rangeOf(items[1])[0] : end, text: "" };
}

/** Where the mark of a block list's row stands. */
function dashOf({ list }: Parsed, index: number): number | undefined {
  const token = isSeq(list) ? list.srcToken : undefined;
  if (token?.type !== "block-seq") return undefined;
  return token.items[index]?.start.find(({ type }) => type === "seq-item-ind")?.offset;
}

function colonOf({ text, root }: Parsed): number {
  const key = root?.items.find((pair) => isNode(pair.key) && String(pair.key) === "tmux_sessions")?.key;
  return text.indexOf(":", rangeOf(key)[1]) + 1;
}

function rangeOf(node: unknown): readonly [number, number] {
  const range = isNode(node) ? node.range : undefined;
  return range ? [range[0], range[1]] : [0, 0];
}
