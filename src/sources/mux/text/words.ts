import { isRawNumber } from "../exactJson.ts";
import type { Json, JsonObject } from "../json.ts";

/** A value as YAML 1.1 reads it back: strings always quoted, since `no` and times come back as something else. */
export function flowText(value: Json): string {
  if (typeof value === "string") return quoted(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" || isRawNumber(value)) return numberText(JSON.stringify(value));
  if (Array.isArray(value)) return `[${value.map(flowText).join(", ")}]`;
  return `{${Object.entries(value as JsonObject)
    .map(([key, each]) => `${keyText(key)}: ${flowText(each)}`)
    .join(", ")}}`;
}

export function keyText(key: string): string {
  return /^[a-z][a-z0-9_]*$/.test(key) && !otherWords.has(key) ? key : quoted(key);
}
const otherWords = new Set(["y", "n", "yes", "no", "on", "off", "true", "false", "null"]);

/** JSON's escapes are YAML's too; what YAML calls unprintable or a line break has to be escaped as well. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** To PyYAML `1e5` is a word: a float has a point, and its exponent a sign. */
function numberText(text: string): string {
  const [, mantissa = text, sign = "", exponent] = /^(-?[\d.]+)[eE]([-+]?)(\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}e${sign || "+"}${exponent}`;
}
