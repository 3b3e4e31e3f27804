import { isNode } from "yaml";
import type { Pair } from "yaml";
import type { Json, JsonObject } from "../json.ts";
import { endOf } from "./changeKeys.ts";
import type { Parsed } from "./parse.ts";
import { columnOf, lineEndOf, nextLine } from "./splice.ts";
import type { Splice } from "./splice.ts";
import { flowText, keyText } from "./words.ts";

/** New rows at the end of the list, in the style of the list; a list is begun where there is none. `staying`: how many of its rows are not taken away. */
export function additions({ text, root, list }: Parsed, rows: readonly JsonObject[], staying: number): readonly Splice[] {
  if (rows.length === 0) return [];
  if (list) return list.flow ? [inFlow(list.items, list.range?.[0] ?? 0, rows, staying)] : [belowLast(text, list.items, list.range?.[0] ?? 0, rows)];
  const begun = root?.items.find(({ key }) => isNode(key) && String(key) === "tmux_sessions");
  if (begun) return [inEmpty(text, begun, rows)];
  if (root?.flow) {
    const last = root.items.at(-1);
    const at = last ? endOf(last) : (root.range?.[0] ?? 0) + 1;
    return [{ start: at, end: at, text: `${last ? ", " : ""}tmux_sessions: ${flowText(rows)}` }];
  }
  const indent = " ".repeat(root ? columnOf(text, root.range?.[0] ?? 0) : 0);
  return [atEnd(text, [`${indent}tmux_sessions:`, ...linesOf(rows, indent)])];
}

function inFlow(items: readonly unknown[], start: number, rows: readonly JsonObject[], staying: number): Splice {
  const last = items.at(-1);
  const at = isNode(last) ? (last.range?.[1] ?? 0) : start + 1;
  return { start: at, end: at, text: `${staying > 0 ? ", " : ""}${rows.map((row) => flowText(row)).join(", ")}` };
}

function belowLast(text: string, items: readonly unknown[], start: number, rows: readonly JsonObject[]): Splice {
  const last = items.at(-1);
  const at = nextLine(text, isNode(last) ? (last.range?.[1] ?? 0) : start);
  return linesAt(text, at, linesOf(rows, " ".repeat(columnOf(text, start))));
}

/** `tmux_sessions:` with nothing, or null, behind it. */
function inEmpty(text: string, pair: Pair, rows: readonly JsonObject[]): Splice {
  const end = endOf(pair);
  const colon = text.indexOf(":", isNode(pair.key) ? (pair.key.range?.[1] ?? 0) : 0) + 1;
  return { start: colon, end: Math.max(colon, end), text: ` ${flowText(rows)}` };
}

function atEnd(text: string, lines: readonly string[]): Splice {
  return linesAt(text, text.length, lines);
}

function linesAt(text: string, at: number, lines: readonly string[]): Splice {
  const eol = lineEndOf(text);
  const isOpen = at > 0 && text[at - 1] !== "\n" && !(at === 1 && text.startsWith("\ufeff"));
  return { start: at, end: at, text: (isOpen ? eol : "") + lines.map((line) => line + eol).join("") };
}

function linesOf(rows: readonly JsonObject[], indent: string): readonly string[] {
  return rows.flatMap((row) =>
    Object.entries(row).map(([key, value]: [string, Json], nth) => `${indent}${nth === 0 ? "- " : "  "}${keyText(key)}: ${flowText(value)}`),
  );
}
