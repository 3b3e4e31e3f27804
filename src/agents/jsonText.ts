/** Of a file that somebody else may be writing: what can't be parsed is no evidence. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Line by line; a line that is cut off or broken is left out. */
export function parseJsonLines(text: string | undefined): readonly unknown[] {
  return (text ?? "").split("\n").flatMap((line) => parseJson(line.trim()) ?? []);
}
