import { endOfString, parseJson } from "./jsonText.ts";

export interface MemberChanges {
  /** By key, as JSON text. */
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/**
 * The text of an object with some of its own members changed: each value in its place, a new one at the end, and no other byte touched, so that unknown
 * keys, their order and big numbers stay. Undefined where that can't be done exactly.
 */
export function changeMembers(json: string, { set, remove }: MemberChanges): string | undefined {
  const before = membersOf(json);
  if (!before || hasTwins(before)) return undefined;
  let text: string | undefined = json;
  for (const key of remove) text = text && withoutMember(text, key);
  for (const [key, value] of Object.entries(set)) text = text && withMember(text, key, value);
  const after = text === undefined ? undefined : membersOf(text);
  if (!after) return undefined;
  const isLeft = ({ key }: Member): boolean => !remove.includes(key) && !Object.hasOwn(set, key);
  const [kept, left] = [before, after].map((members) => members.filter(isLeft).map(({ key, value }) => `${key} ${value}`));
  const isSet = Object.entries(set).every(([key, value]) => after.filter((member) => member.key === key && member.value === value).length === 1);
  const isRemoved = !after.some(({ key }) => remove.includes(key));
  return isSet && isRemoved && JSON.stringify(kept) === JSON.stringify(left) ? text : undefined;
}

interface Member {
  readonly key: string;
  readonly value: string;
  /** From the key's quotation mark to the end of the value. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

function withMember(json: string, key: string, value: string): string | undefined {
  const members = membersOf(json);
  const [first, last] = [members?.[0], members?.at(-1)];
  const there = members?.find((member) => member.key === key);
  if (there) return json.slice(0, there.valueStart) + value + json.slice(there.end);
  if (!first || !last) return undefined;
  // As the first is set apart from the bracket before it, and from its own value.
  const space = json.slice(json.indexOf("{") + 1, first.start);
  const colon = json.slice(json.indexOf('"', first.start), first.valueStart).endsWith(" ") ? ": " : ":";
  return `${json.slice(0, last.end)},${space}${JSON.stringify(key)}${colon}${value}${json.slice(last.end)}`;
}

function withoutMember(json: string, key: string): string | undefined {
  const members = membersOf(json);
  const index = members?.findIndex((member) => member.key === key) ?? -1;
  const [before, there, after] = [members?.[index - 1], members?.[index], members?.[index + 1]];
  if (!there) return json;
  if (after) return json.slice(0, there.start) + json.slice(after.start);
  return before && json.slice(0, before.end) + json.slice(there.end);
}

/** Go takes a key in any case for the same, and the last of two: which of them it would read is not for us to guess. */
function hasTwins(members: readonly Member[]): boolean {
  return new Set(members.map(({ key }) => key.toLowerCase())).size !== members.length;
}

/** Undefined where the text is no JSON object. */
function membersOf(json: string): readonly Member[] | undefined {
  if (!isObject(json)) return undefined;
  const members: Member[] = [];
  for (let at = json.indexOf("{") + 1; ; at++) {
    const start = json.indexOf('"', at);
    const close = json.indexOf("}", at);
    if (start < 0 || (close >= 0 && close < start)) return members;
    const keyEnd = endOfString(json, start);
    const colon = json.indexOf(":", keyEnd);
    const comma = endOfValue(json, colon + 1);
    const raw = json.slice(colon + 1, comma);
    const valueStart = colon + 1 + (raw.length - raw.trimStart().length);
    const value = raw.trim();
    members.push({ key: JSON.parse(json.slice(start, keyEnd + 1)) as string, value, start, valueStart, end: valueStart + value.length });
    if (json[comma] !== ",") return members;
    at = comma;
  }
}

/** In a text that is known to be JSON no more than strings and brackets have to be told apart. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const letter = json[at];
    if (letter === '"') at = endOfString(json, at);
    else if (letter === "[" || letter === "{") depth++;
    else if (depth === 0 && (letter === "," || letter === "}")) return at;
    else if (letter === "]" || letter === "}") depth--;
  }
  return json.length;
}

function isObject(json: string): boolean {
  const value = parseJson(json);
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
