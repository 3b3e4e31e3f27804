import { isRawNumber } from "../exactJson.ts";
import type { Json } from "../json.ts";
import { isForeign, isMap } from "./exact.ts";
import type { Exact, ExactMap } from "./exact.ts";
import { yamlNumber } from "./numbers.ts";
import { plainValue } from "./scalar.ts";

/** On one line, so that PyYAML reads the same. Undefined where there is a type in it that we could not write. */
export function flowText(exact: Exact): string | undefined {
  if (exact === null || typeof exact === "boolean") return String(exact);
  if (typeof exact === "string") return quoted(exact);
  if (typeof exact === "number" || isRawNumber(exact as Json)) return yamlNumber(JSON.stringify(exact));
  if (isMap(exact)) return joined("{", flowPairs(exact), "}");
  if (isForeign(exact)) return exact.source;
  return joined("[", (exact as readonly Exact[]).map(flowText), "]");
}

/** `key: value`, as it stands in a flow map. */
export function flowPair(key: Exact, value: Exact): string | undefined {
  const written = flowText(value);
  const word = keyText(key);
  if (written === undefined || word === undefined) return undefined;
  return word.length > longestKey ? `? ${word} : ${written}` : `${word}: ${written}`;
}

export function keyText(key: Exact): string | undefined {
  return typeof key === "string" && /^[a-z_][a-z0-9_]*$/i.test(key) && !isOtherWord(key) ? key : flowText(key);
}

/** Both YAML and PyYAML stop looking for the colon of a longer one. */
export const longestKey = 1000;

/** Always with quotes: without them `no`, `12:30` or `1e5` is another thing to some reader. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(unprintable, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
// oxlint-disable-next-line no-control-regex
const unprintable = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** `y` and `n` are booleans to the letter of YAML 1.1, though not to PyYAML. */
function isOtherWord(key: string): boolean {
  return plainValue(key) !== key || /^[yn]$/i.test(key);
}

function flowPairs(map: ExactMap): readonly (string | undefined)[] {
  return [...map.values()].map(({ key, value }) => flowPair(key, value));
}

function joined(open: string, parts: readonly (string | undefined)[], close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(", ")}${close}`;
}
