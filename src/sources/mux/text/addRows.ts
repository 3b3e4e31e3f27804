import { isScalar } from "yaml";
import type { JsonObject } from "../json.ts";
import { pairLine } from "./changeKeys.ts";
import { sessionsKey } from "./document.ts";
import type { Composed } from "./document.ts";
import { exactOfJson, isMap } from "./exact.ts";
import type { Exact } from "./exact.ts";
import { flowText } from "./flowText.ts";
import { colonEnd, contentEnd, indentAt, itemEnd, itemStart, lineBreakOf, linesBelow, nextLine, pairEnd, pairStart, startOf, valueStart } from "./places.ts";
import type { Splice } from "./places.ts";

/** New rows at the end of the list, in the style of the list; a list is begun where there is none. */
export function addedRows(composed: Composed, rows: readonly JsonObject[], isEmptied = false): readonly Splice[] | undefined {
  if (rows.length === 0) return [];
  const exact = rows.map(exactOfJson);
  const { text, root, list, sessions } = composed;
  if (list?.flow && (list.items.length > 0 || !canBecomeLines(composed))) return [inFlow(text, list, exact.map(flowText), list.items.length, isEmptied)];
  if (list && list.items.length > 0) {
    const indent = indentAt(text, itemStart(list, 0));
    return [linesBehind(text, itemEnd(text, list, list.items.length - 1), rowLines(exact, indent, lineBreakOf(text)))];
  }
  if (sessions) return beginList(composed, (indent) => rowLines(exact, indent, lineBreakOf(text)), exact);
  if (root?.flow) {
    const last = root.items.at(-1);
    const at = last ? pairEnd(text, last) : startOf(root) + 1;
    return [{ start: at, end: at, text: `${last ? ", " : ""}${sessionsKey}: ${flowText(exact)}` }];
  }
  const indent = root?.items[0] ? indentAt(text, pairStart(root.items[0])) : "";
  return atEnd(composed, [`${indent}${sessionsKey}:`, ...rowLines(exact, indent, lineBreakOf(text))]);
}

/** The list's key has no rows yet: they get lines below it, or in a flow map a list in flow. */
export function beginList(composed: Composed, linesAt: (indent: string) => readonly string[], rows: readonly Exact[]): readonly Splice[] | undefined {
  const { text, sessions } = composed;
  const colon = sessions && colonEnd(sessions);
  if (!sessions || colon === undefined) return undefined;
  const end = Math.max(colon, pairEnd(text, sessions));
  if (!canBecomeLines(composed)) return [{ start: colon, end, text: ` ${flowText(rows)}` }];
  const below = linesBelow(text, end, linesAt(indentAt(text, pairStart(sessions))));
  return [{ start: colon, end, text: "" }, below];
}

/** `[]` or nothing behind the key of a block map. */
export function canBecomeLines({ text, root, sessions }: Composed): boolean {
  if (!root || root.flow || !sessions) return false;
  const colon = colonEnd(sessions);
  return (
    colon !== undefined && /^\s*(?:\[\s*\]|null|~)?$/i.test(text.slice(colon, Math.max(colon, pairEnd(text, sessions)))) && valueStart(sessions) >= colon - 1
  );
}

export function inFlow(
  text: string,
  list: NonNullable<Composed["list"]>,
  rows: readonly (string | undefined)[],
  index = list.items.length,
  isEmptied = false,
): Splice {
  const written = rows.join(", ");
  if (list.items.length === 0) return { start: startOf(list) + 1, end: startOf(list) + 1, text: written };
  if (index < list.items.length) return { start: itemStart(list, index), end: itemStart(list, index), text: `${written}, ` };
  const at = itemEnd(text, list, list.items.length - 1);
  return { start: at, end: at, text: `${isEmptied ? "" : ", "}${written}` };
}

/** Behind the whole of a line, which may go itself. */
function linesBehind(text: string, end: number, lines: readonly string[]): Splice {
  const at = nextLine(text, end);
  return text[at - 1] === "\n" ? linesBelow(text, at, lines) : { start: at, end: at, text: lines.map((line) => lineBreakOf(text) + line).join("") };
}

function rowLines(rows: readonly Exact[], indent: string, lineBreak: string): readonly string[] {
  return rows.flatMap((row) => {
    const pairs = isMap(row) ? [...row.values()] : [];
    if (pairs.length === 0) return [`${indent}- ${flowText(row)}`];
    return pairs.map(({ key, value }) => pairLine(key, value, `${lineBreak}${indent}  `)).map((line, nth) => `${indent}${nth === 0 ? "- " : "  "}${line}`);
  });
}

/** Below all that the document says, but above its end mark. */
function atEnd({ text, root, contents }: Composed, lines: readonly string[]): readonly Splice[] {
  if (root) return [linesBelow(text, contentEnd(text, root), lines)];
  const lineBreak = lineBreakOf(text);
  // A document of one word that says that it is empty.
  if (isScalar(contents) && contents.source !== "") {
    const [start, end] = [startOf(contents), contentEnd(text, contents)];
    return [{ start, end, text: "" }, linesBelow(text, end, lines)];
  }
  const mark = /^---.*$/m.exec(text);
  if (mark) return [linesBelow(text, mark.index + mark[0].trimEnd().length, lines)];
  const at = text.search(/^\.\.\.\s*$/m);
  const end = at < 0 ? text.length : at;
  const isOpen = end > 0 && text[end - 1] !== "\n" && text !== "\uFEFF";
  return [{ start: end, end, text: (isOpen ? lineBreak : "") + lines.map((line) => line + lineBreak).join("") }];
}
