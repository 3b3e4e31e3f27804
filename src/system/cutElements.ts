/** The text of an array without some of its elements: each goes with one comma beside it, and all else stays as it is written. Undefined where that can't be done exactly. */
export function withoutElements(json: string, isToGo: (element: unknown) => boolean): string | undefined {
  const elements = parseJson(json);
  if (!Array.isArray(elements)) return undefined;
  return withoutParts(json, elements.map(isToGo));
}

/** The text of an object without some of its members, likewise. */
export function withoutMembers(json: string, isToGo: (name: string) => boolean): string | undefined {
  const names = namesIn(json);
  return names && withoutParts(json, names.map(isToGo));
}

/** The text of an object with another text for the value of one member; the same text where it has no such member. */
export function withValue(json: string, name: string, change: (value: string) => string | undefined): string | undefined {
  const at = namesIn(json)?.indexOf(name);
  const place = at === undefined ? undefined : elementPlaces(json)[at];
  if (!place) return at === undefined ? undefined : json;
  const colon = json.indexOf(":", endOfString(json, place.start));
  const before = json.slice(0, colon + 1);
  const value = json.slice(colon + 1, place.end);
  const changed = change(value.trimStart());
  return changed === undefined ? undefined : before + value.slice(0, value.length - value.trimStart().length) + changed + json.slice(place.end);
}

/** Undefined where the text is no JSON. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/** Undefined where it is no object, or a name stands in it twice. */
function namesIn(json: string): readonly string[] | undefined {
  const parsed = parseJson(json);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  const names = elementPlaces(json).map(({ start }) => String(parseJson(json.slice(start, endOfString(json, start) + 1))));
  return names.length === Object.keys(parsed).length ? names : undefined;
}

function withoutParts(json: string, goes: readonly boolean[]): string | undefined {
  const places = elementPlaces(json);
  if (places.length !== goes.length) return undefined;
  const cut = withoutPlaces(json, places, goes);
  const kept = places.filter((_, index) => !goes[index]).map(({ start, end }) => json.slice(start, end));
  const left = elementPlaces(cut).map(({ start, end }) => cut.slice(start, end));
  const isExact = left.length === kept.length && left.every((each, index) => each === kept[index]);
  return isExact && parseJson(cut) !== undefined ? cut : undefined;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where the elements stand in a text that is known to be an array or an object: no more than strings and brackets have to be told apart. */
function elementPlaces(json: string): readonly Place[] {
  const places: Place[] = [];
  let depth = 0;
  let start = 0;
  const close = (end: number): void => {
    const element = json.slice(start, end);
    const trimmed = element.trim();
    const from = start + (element.length - element.trimStart().length);
    if (trimmed !== "") places.push({ start: from, end: from + trimmed.length });
    start = end + 1;
  };
  for (let at = 0; at < json.length; at++) {
    const letter = json[at];
    if (letter === '"') at = endOfString(json, at);
    else if (letter === "[" || letter === "{") {
      if (++depth === 1) start = at + 1;
    } else if (letter === "]" || letter === "}") {
      if (--depth === 0) close(at);
    } else if (letter === "," && depth === 1) close(at);
  }
  return places;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

/** With the comma and the space after it; of those at the end, with what is before them. */
function withoutPlaces(json: string, places: readonly Place[], goes: readonly boolean[]): string {
  const lastKept = goes.lastIndexOf(false);
  const kept: string[] = [];
  let from = 0;
  for (const [index, { start, end }] of places.entries()) {
    if (!goes[index]) continue;
    const isOfTheEnd = index > lastKept;
    if (!isOfTheEnd) {
      kept.push(json.slice(from, start));
      from = places[index + 1]?.start ?? end;
    } else {
      kept.push(json.slice(from, places[lastKept]?.end ?? start));
      from = places.at(-1)?.end ?? end;
      break;
    }
  }
  return kept.join("") + json.slice(from);
}
