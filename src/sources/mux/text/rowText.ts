import type { Composed } from "./document.ts";
import { addedRows, beginList, canBecomeLines, inFlow } from "./addRows.ts";
import { jsonOf } from "./exact.ts";
import type { Exact } from "./exact.ts";
import { isJsonObject } from "../exactJson.ts";
import { withoutItems } from "./flowKeys.ts";
import { flowText } from "./flowText.ts";
import { colonEnd, indentAt, itemEnd, itemStart, lineBreakOf, lineStart, nextLine, pairEnd } from "./places.ts";
import type { Splice } from "./places.ts";

/** A row as it stood, comments and all: to be given back. */
export interface RowText {
  readonly index: number;
  readonly row: Exact;
  readonly style: "lines" | "flow";
  readonly text: string;
  readonly indent: string;
}

export function cutRow({ text, list, rows }: Composed, index: number): RowText | undefined {
  const row = rows[index];
  if (!list || row === undefined) return undefined;
  const [start, end] = [itemStart(list, index), itemEnd(text, list, index)];
  if (list.flow) return { index, row, style: "flow", text: text.slice(start, end), indent: "" };
  return { index, row, style: "lines", text: text.slice(lineStart(text, start), nextLine(text, end)), indent: indentAt(text, start) };
}

/** A list that loses its last row stays a list: a reader that got nothing at all would fall over. */
export function withoutRows({ text, list, sessions }: Composed, indexes: readonly number[], isFilledAgain: boolean): readonly Splice[] | undefined {
  if (indexes.length === 0) return [];
  if (!list) return undefined;
  const ends = list.items.map((_, index) => ({ start: itemStart(list, index), end: itemEnd(text, list, index) }));
  if (list.flow) return withoutItems(ends, (index) => !indexes.includes(index));
  if (
    indexes.some(
      (index) =>
        text
          .slice(lineStart(text, ends[index]?.start ?? 0), ends[index]?.start)
          .replace("\uFEFF", "")
          .trim() !== "",
    )
  )
    return undefined;
  const lines = indexes.map((index) => ({ start: lineStart(text, ends[index]?.start ?? 0), end: nextLine(text, ends[index]?.end ?? 0), text: "" }));
  if (indexes.length < list.items.length || isFilledAgain) return lines;
  const colon = sessions && colonEnd(sessions);
  return colon === undefined ? undefined : [{ start: colon, end: colon, text: " []" }, ...lines];
}

/** Its own text where the list is still of its style, else its content. */
export function givenBack(composed: Composed, { index, row, style, text: own, indent }: RowText): readonly Splice[] | undefined {
  const { text, list, sessions } = composed;
  const lineBreak = lineBreakOf(own.includes("\n") ? own : text);
  if (list?.flow && (style === "flow" || list.items.length > 0 || !canBecomeLines(composed)))
    return [inFlow(text, list, [style === "flow" ? own : flowText(row)], index)];
  if (style === "lines" && sessions && (list?.items.length ?? 0) === 0) {
    const end = Math.max(colonEnd(sessions) ?? 0, pairEnd(text, sessions));
    const isLastLine = nextLine(text, end) === text.length && !text.endsWith("\n");
    const lines = own.replace(/\r?\n$/, "").split(lineBreak);
    const splices = beginList(composed, () => lines, [row]);
    return splices && isLastLine && own.endsWith("\n") ? [...splices, { start: text.length, end: text.length, text: lineBreak }] : splices;
  }
  const isSameIndent = list && list.items.length > 0 && indentAt(text, itemStart(list, 0)) === indent;
  if (style === "lines" && isSameIndent) return [linesAtRow(composed, list, index, own, lineBreak)];
  const json = jsonOf(row);
  return isJsonObject(json) && index >= (list?.items.length ?? 0) ? addedRows(composed, [json]) : undefined;
}

function linesAtRow({ text }: Composed, list: NonNullable<Composed["list"]>, index: number, own: string, lineBreak: string): Splice {
  const whole = own.endsWith("\n") ? own : own + lineBreak;
  if (index < list.items.length) {
    const at = lineStart(text, itemStart(list, index));
    return { start: at, end: at, text: whole };
  }
  const at = nextLine(text, itemEnd(text, list, list.items.length - 1));
  const isOpen = at > 0 && text[at - 1] !== "\n";
  return { start: at, end: at, text: isOpen ? lineBreak + own.replace(/\r?\n$/, "") : whole };
}
