import { isJsonObject, isRawNumber } from "../exactJson.ts";
import type { Json, JsonObject, RawNumber } from "../json.ts";
import { numberPrint } from "./numbers.ts";

/** What a YAML reader gets, with the types that JSON has no word for. */
export type Exact = null | boolean | number | string | RawNumber | Foreign | ExactMap | readonly Exact[];
/** By the print of their keys. */
export type ExactMap = ReadonlyMap<string, ExactEntry>;
export interface ExactEntry {
  readonly key: Exact;
  readonly value: Exact;
}

/** A value of a type that JSON can't say: what we take for it, and how it is written, where that fits on one line of its own. */
export interface Foreign {
  readonly foreign: string;
  readonly value: Exact;
  readonly source: string | undefined;
}

export function jsonOf(exact: Exact): Json {
  if (typeof exact !== "object" || exact === null || isRawNumber(exact as Json)) return exact as Json;
  if (isList(exact)) return exact.map(jsonOf);
  if (isMap(exact)) return Object.fromEntries([...exact.values()].map(({ key, value }) => [keyWord(key), jsonOf(value)]));
  return jsonOf((exact as Foreign).value);
}

export function exactOfJson(json: Json): Exact {
  if (isJsonObject(json)) return exactMap(Object.entries(json).map(([key, value]) => ({ key, value: exactOfJson(value) })));
  if (Array.isArray(json)) return json.map(exactOfJson);
  return json as Exact;
}

/** Of entries with the same key the last is what counts. */
export function exactMap(entries: readonly ExactEntry[]): ExactMap {
  return new Map(entries.map((entry) => [printOf(entry.key), entry]));
}

/** Two values have the same print if no reader could tell them apart. */
export function printOf(exact: Exact): string {
  if (exact === null || typeof exact === "boolean") return String(exact);
  if (typeof exact === "string") return JSON.stringify(exact.toWellFormed());
  if (typeof exact === "number" || isRawNumber(exact as Json)) return numberPrint(JSON.stringify(exact));
  if (isList(exact)) return `[${exact.map(printOf).join()}]`;
  if (isMap(exact))
    return `{${[...exact]
      .map(([key, { value }]) => `${key}:${printOf(value)}`)
      .sort()
      .join()}}`;
  return `!${(exact as Foreign).foreign} ${printOf((exact as Foreign).value)}`;
}

export function valueOf(map: Exact | undefined, key: string): Exact | undefined {
  return isMap(map) ? map.get(printOf(key))?.value : undefined;
}

export function withChanges(map: ExactMap, set: JsonObject, remove: readonly string[]): ExactMap {
  const after = new Map(map);
  for (const key of remove) after.delete(printOf(key));
  for (const [key, value] of Object.entries(set)) after.set(printOf(key), { key, value: exactOfJson(value) });
  return after;
}

export function isMap(exact: Exact | undefined): exact is ExactMap {
  return exact instanceof Map;
}

export function isForeign(exact: Exact): exact is Foreign {
  return typeof exact === "object" && exact !== null && "foreign" in exact;
}

function isList(exact: Exact): exact is readonly Exact[] {
  return Array.isArray(exact);
}

function keyWord(key: Exact): string {
  const word = jsonOf(key);
  return typeof word === "string" ? word : JSON.stringify(word);
}
