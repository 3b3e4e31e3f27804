import { setImmediate } from "node:timers/promises";
import { Composer, Lexer, isMap, isScalar, isSeq, LineCounter, Parser } from "yaml";
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import { isMap as isExactMap, valueOf } from "./exact.ts";
import type { Exact, ExactMap } from "./exact.ts";
import { exactReader, Unreadable } from "./exactTree.ts";

/** A registry's text as nodes with their places, and as what they say. */
export interface Composed {
  readonly kind: "composed";
  readonly text: string;
  /** Undefined where the document is empty. */
  readonly root: YAMLMap | undefined;
  /** Of an empty document: where a word may stand that says so. */
  readonly contents: Node | null;
  /** The one that counts, of several. */
  readonly sessions: Pair | undefined;
  /** Undefined where there is no list, or where it is an alias. */
  readonly list: YAMLSeq | undefined;
  readonly rows: readonly Exact[];
  readonly document: ExactMap;
}
export interface Corrupt {
  readonly kind: "corrupt";
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** A part at a time: a thousand rows would else hold up everything for a quarter of a second. */
export async function compose(text: string): Promise<Composed | Corrupt> {
  const lines = new LineCounter();
  const documents = await documentsIn(text, lines);
  const [document] = documents;
  const errors = documents.flatMap((each) => each.errors).sort((a, b) => a.pos[0] - b.pos[0]);
  if (errors[0]) return corruptAt(lines, errors[0].pos[0], errors[0].message);
  if (documents[1]) return corruptAt(lines, documents[1].range[0], "there is more than one document");
  try {
    return registryIn(text, document?.contents ?? null);
  } catch (error) {
    if (error instanceof Unreadable) return corruptAt(lines, error.offset, error.message);
    throw error;
  }
}

/** All scalars as strings: what they mean is not this library's to say, since other programs read them with PyYAML. */
const options = {
  version: "1.1",
  schema: "failsafe",
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  keepSourceTokens: true,
  prettyErrors: false,
} as const;

async function documentsIn(text: string, lines: LineCounter): Promise<readonly Document.Parsed[]> {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(options);
  const documents: Document.Parsed[] = [];
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...(composer.next(token) as Iterable<Document.Parsed>));
    if (++count % lexemesAtOnce === 0) await setImmediate();
  }
  await setImmediate();
  for (const token of parser.end()) documents.push(...(composer.next(token) as Iterable<Document.Parsed>));
  documents.push(...(composer.end(true, text.length) as Iterable<Document.Parsed>));
  await setImmediate();
  return documents;
}
const lexemesAtOnce = 4_000;

function registryIn(text: string, contents: Node | null): Composed {
  const exact = exactReader()(contents);
  if (exact === null) return { kind: "composed", text, root: undefined, contents, sessions: undefined, list: undefined, rows: [], document: new Map() };
  if (!isMap(contents) || !isExactMap(exact)) throw new Unreadable(contents?.range?.[0] ?? 0, "the document is not a map");
  const sessions = contents.items.findLast(({ key }) => isScalar(key) && key.source === sessionsKey);
  const rows = valueOf(exact, sessionsKey) ?? null;
  if (rows !== null && !Array.isArray(rows)) throw new Unreadable(placeOf(sessions) ?? 0, `${sessionsKey} is not a list`);
  const list = isSeq(sessions?.value) ? sessions.value : undefined;
  return { kind: "composed", text, root: contents, contents, sessions, list, rows: rows ?? [], document: exact };
}
export const sessionsKey = "tmux_sessions";

function placeOf(pair: Pair | undefined): number | undefined {
  const node = (pair?.value ?? pair?.key) as Node | undefined;
  return node?.range?.[0];
}

function corruptAt(lines: LineCounter, offset: number, reason: string): Corrupt {
  const { line, col } = lines.linePos(offset);
  return { kind: "corrupt", line, column: col, reason };
}
