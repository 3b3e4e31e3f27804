import type { Json, JsonObject, RawNumber } from "./json.ts";

/** Undefined where the text is no JSON. */
export function parseExact(text: string): Json | undefined {
  try {
    if (!perhapsUnlike.test(text)) return JSON.parse(text) as Json;
    return parse(text, (_key, value, { source } = {}) =>
      typeof value === "number" && source !== undefined && String(value) !== source ? rawNumber(source) : value,
    ) as Json;
  } catch {
    return undefined;
  }
}

/** A number that JavaScript may write otherwise; a string that looks as if it held one does no harm. To look at each value takes three times as long. */
const perhapsUnlike = /(?:^|[[:,\s])(?:-0|-?\d+[.eE]|-?\d{16})/;

export function textOfExact(value: Json): string {
  return JSON.stringify(value);
}

/** A number's text, kept as it is: for JSON's own syntax only. */
export function rawNumber(text: string): RawNumber {
  return rawJSON(text);
}

/** The same words: 1 and 1.0 are two things to a reader in another language. */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a === null || b === null) return false;
  if (isNumber(a) || isNumber(b)) return isNumber(a) && isNumber(b) && JSON.stringify(a) === JSON.stringify(b);
  if (typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) || Array.isArray(b)) return isList(a) && isList(b) && a.length === b.length && a.every((each, index) => isSameJson(each, b[index]));
  return isSameObject(a as JsonObject, b as JsonObject);
}

export function isRawNumber(value: Json): value is RawNumber {
  return isRawJSON(value);
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isNumber(value: Json): value is number | RawNumber {
  return typeof value === "number" || isRawNumber(value);
}

function isSameObject(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}

/** The name of a row; undefined where it is none. */
export function nameOfRow(row: Json | undefined): string | undefined {
  const name = isJsonObject(row) ? row["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

/** What TypeScript's own library does not know yet. */
interface ExactJson {
  readonly parse: (text: string, reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown) => unknown;
  readonly rawJSON: (text: string) => RawNumber;
  readonly isRawJSON: (value: unknown) => boolean;
}
const { parse, rawJSON, isRawJSON } = JSON as unknown as ExactJson;
