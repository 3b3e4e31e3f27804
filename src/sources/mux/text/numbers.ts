import { rawNumber } from "../exactJson.ts";
import type { RawNumber } from "../json.ts";

/** As PyYAML reads it; undefined where it would fail. */
export function integerOf(source: string): number | RawNumber | undefined {
  const [sign, digits] = unsigned(source.replaceAll("_", ""));
  const size = sizeOf(digits);
  if (size === undefined) return undefined;
  const value = sign * size;
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : rawNumber(String(value));
}

/** As PyYAML reads it: undefined for what is no finite number. */
export function floatOf(source: string): number | RawNumber | undefined {
  const [sign, digits] = unsigned(source.replaceAll("_", "").toLowerCase());
  const prefix = sign < 0n ? "-" : "";
  if (digits.includes(":")) return floatIn(`${prefix}${pointed(String(base60(digits)))}`);
  const [, whole = "", fraction = "", exponent = ""] = /^(\d*)\.(\d*)(e[-+]\d+)?$/.exec(digits) ?? [];
  if (whole === "" && fraction === "") return undefined;
  return floatIn(`${prefix}${whole.replace(/^0+(?=\d)/, "") || "0"}.${fraction || "0"}${exponent}`);
}

/** A number's JSON text, so that YAML 1.1 sees the type that JSON means: `1e5` would be a string. */
export function yamlNumber(json: string): string {
  const [, mantissa = json, exponent] = /^(.+)e(.+)$/i.exec(json) ?? [];
  if (exponent === undefined) return json;
  return `${pointed(mantissa)}e${/^[-+]/.test(exponent) ? exponent : `+${exponent}`}`;
}

/** The same for all texts of the same number of the same type. */
export function numberPrint(json: string): string {
  if (/^-?\d+$/.test(json)) return String(BigInt(json));
  const value = Number(json);
  return `float ${Object.is(value, -0) ? "-0" : value}`;
}

function unsigned(text: string): readonly [bigint, string] {
  return /^[-+]/.test(text) ? [text.startsWith("-") ? -1n : 1n, text.slice(1)] : [1n, text];
}

function sizeOf(digits: string): bigint | undefined {
  if (digits.includes(":")) return digits.split(":").reduce((sum, part) => sum * 60n + BigInt(part), 0n);
  if (/^0b[01]+$|^0x[0-9a-f]+$/i.test(digits)) return BigInt(digits.toLowerCase());
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits}`);
  return /^(0|[1-9]\d*)$/.test(digits) ? BigInt(digits) : undefined;
}

/** Summed from the end, in floats: as PyYAML does. */
function base60(digits: string): number {
  return digits
    .split(":")
    .toReversed()
    .reduce((sum, part, index) => sum + Number(part) * 60 ** index, 0);
}

function floatIn(json: string): number | RawNumber {
  const value = Number(json);
  return Number.isFinite(value) && /[.e]/.test(JSON.stringify(value)) ? value : rawNumber(json);
}

function pointed(mantissa: string): string {
  return /[.e]/.test(mantissa) ? mantissa : `${mantissa}.0`;
}
