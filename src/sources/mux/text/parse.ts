import { setImmediate as breathe } from "node:timers/promises";
import { Composer, Lexer, LineCounter, Parser, isAlias, isMap, isScalar, isSeq, visit } from "yaml";
import type { Document, Scalar, Tags, YAMLMap, YAMLSeq } from "yaml";
import { isJsonObject, rawNumber } from "../exactJson.ts";
import type { Json, JsonObject } from "../json.ts";

/** The registry's text, with the places of all that is in it. */
export interface Parsed {
  readonly kind: "parsed";
  readonly text: string;
  readonly root: YAMLMap | undefined;
  /** Undefined where it is not there, empty, or told by an alias. */
  readonly list: YAMLSeq | undefined;
  /** A row that is no map or has no name is undefined, and keeps its place. */
  readonly rows: readonly (JsonObject | undefined)[];
  readonly values: readonly Json[];
  readonly whole: JsonObject;
  readonly identities: JsonObject | undefined;
}
export interface Corrupt {
  readonly kind: "corrupt";
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** As YAML 1.1, which PyYAML speaks; a part at a time, since a thousand rows would else hold up everything for a quarter of a second. */
export async function parseRegistry(text: string): Promise<Parsed | Corrupt> {
  const lines = new LineCounter();
  const corruptAt = (offset: number, reason: string): Corrupt => {
    const { line, col } = lines.linePos(offset);
    return { kind: "corrupt", line: Math.max(1, line), column: Math.max(1, col), reason };
  };
  const [document, second] = await documentsIn(text, lines);
  if (second) return corruptAt(second.range[0], "it holds more than one document");
  const [error] = document?.errors ?? [];
  if (error) return corruptAt(error.pos[0], error.message);

  const root = document?.contents ?? undefined;
  if (!document || !root || isEmpty(root)) return nothing(text);
  if (!isMap(root)) return corruptAt(placeOf(root), "it is not a map of keys");
  const list: unknown = root.get("tmux_sessions", true);
  if (list !== undefined && !isSeq(list) && !isAlias(list) && !isEmpty(list)) return corruptAt(placeOf(list), "tmux_sessions is not a list");

  keepNumbers(document);
  const whole = valueOf(document);
  if (!isJsonObject(whole)) return corruptAt(0, "it refers to itself too often");
  const { tmux_sessions: listed, agent_identities: identities } = whole;
  const values: readonly Json[] = Array.isArray(listed) ? listed : [];
  return {
    kind: "parsed",
    text,
    root,
    list: isSeq(list) ? list : undefined,
    rows: values.map((row) => (isJsonObject(row) && typeof row["name"] === "string" ? row : undefined)),
    values,
    whole,
    identities: isJsonObject(identities) ? identities : undefined,
  };
}

async function documentsIn(text: string, lines: LineCounter): Promise<readonly Document.Parsed[]> {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({
    version: "1.1",
    merge: true,
    intAsBigInt: true,
    uniqueKeys: false,
    keepSourceTokens: true,
    customTags: (tags: Tags) => tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:timestamp"),
  });
  lines.addNewLine(0);
  const documents: Document.Parsed[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    if (++count % lexemesAtOnce === 0) await breathe();
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  await breathe();
  documents.push(...composer.end());
  return documents;
}
const lexemesAtOnce = 4_000;

/** What JavaScript can't write again as it was, and with the same type to a reader in another language, is kept as JSON's text of it. */
function keepNumbers(document: Document): void {
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "bigint") node.value = Number.isSafeInteger(Number(node.value)) ? Number(node.value) : rawNumber(String(node.value));
      else if (typeof node.value === "number") node.value = exactFloat(node as Scalar<number>);
      else if (node.value instanceof Uint8Array) node.value = node.source ?? "";
    },
  });
}

function exactFloat({ value, source = "" }: Scalar<number>): Json {
  // JSON has no word for these.
  if (!Number.isFinite(value)) return source;
  if (String(value) === source && !Number.isInteger(value)) return value;
  if (/^-?(0|[1-9]\d*)\.\d+$/.test(source)) return rawNumber(source);
  return rawNumber(Number.isInteger(value) && !String(value).includes("e") ? `${value}.0` : String(value));
}

/** Undefined where aliases of aliases would fill the memory. */
function valueOf(document: Document): Json | undefined {
  try {
    return document.toJS({ maxAliasCount: 10_000 }) as Json;
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

function nothing(text: string): Parsed {
  return { kind: "parsed", text, root: undefined, list: undefined, rows: [], values: [], whole: {}, identities: undefined };
}

function isEmpty(node: unknown): boolean {
  return isScalar(node) && node.value === null;
}

function placeOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) ? (node.range?.[0] ?? 0) : 0;
}
