/** A piece of a text, and what stands there instead. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Those at the same place in the order in which they are given. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const inOrder = splices.map((splice, order) => ({ ...splice, order })).sort((a, b) => a.start - b.start || a.order - b.order);
  let at = 0;
  let next = "";
  for (const { start, end, text: own } of inOrder) {
    next += text.slice(at, Math.max(at, start)) + own;
    at = Math.max(at, end);
  }
  return next + text.slice(at);
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The start of the line after the one that holds what ends here; a block scalar's end is one already. */
export function nextLine(text: string, end: number): number {
  if (end > 0 && text[end - 1] === "\n") return end;
  const newline = text.indexOf("\n", end);
  return newline < 0 ? text.length : newline + 1;
}

/** How far in from its line's start; a byte order mark counts for nothing. */
export function columnOf(text: string, at: number): number {
  const start = lineStart(text, at);
  return at - start - (start === 0 && text.startsWith("\ufeff") ? 1 : 0);
}

export function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** A whole line at that place, which is the start of a line, or the end of a text that does not end with one. */
export function lineAt(text: string, at: number, line: string): Splice {
  const eol = lineEndOf(text);
  const isOpen = at > 0 && text[at - 1] !== "\n";
  return { start: at, end: at, text: isOpen ? eol + line : line + eol };
}
