/** Undefined where the text is no JSON, or is nested deeper than Go's can be: the program itself could not read it. */
export function parseJson(json: string): unknown {
  try {
    return isTooDeep(json) ? undefined : (JSON.parse(json) as unknown);
  } catch {
    return undefined;
  }
}

/** Where a string's last quotation mark stands, in a text that is JSON. */
export function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

function isTooDeep(json: string): boolean {
  // That many brackets need that many letters, and the same again to close them.
  if (json.length < 2 * deepest) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const letter = json[at];
    if (letter === '"') at = endOfString(json, at);
    else if ((letter === "[" || letter === "{") && ++depth > deepest) return true;
    else if (letter === "]" || letter === "}") depth--;
  }
  return false;
}
const deepest = 10_000;
