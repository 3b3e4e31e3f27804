import type { FileHandle } from "node:fs/promises";

/** How far a file has been copied. */
export interface Copied {
  /** Where the first line begins that has not been. */
  readonly end: number;
  readonly removed: number;
  /** How many bytes of a line without an end stand there; some, at least, as long as one has no end. */
  readonly rest: number;
  /** The beginning of a line that is too long to be looked at has been copied. */
  readonly isInLongLine: boolean;
}
export const nothingCopied: Copied = { end: 0, removed: 0, rest: 0, isInLongLine: false };

export interface LineRule {
  /** Of a line without its end. */
  readonly keep: (line: string) => boolean;
  /** Is given every byte that has been copied or left out. */
  readonly onBytes?: (bytes: Buffer) => void;
}

/** The lines that a file has got since, as far as they are kept, appended to another one; the same bytes, whatever they are. A last line without an end only where `isLast` says that it is one. One that is longer than any line can be is kept without a look. */
export async function copyLines(from: FileHandle, to: Pick<FileHandle, "appendFile">, so: Copied, rule: LineRule, isLast = false): Promise<Copied> {
  let { end, removed, isInLongLine } = so;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const pass = async (bytes: Buffer): Promise<void> => {
    rule.onBytes?.(bytes);
    end += bytes.length;
    if (bytes.length > 0) await to.appendFile(bytes);
  };
  for (;;) {
    const { buffer, bytesRead } = await from.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, end + pendingBytes);
    const isEnd = bytesRead === 0;
    let news = buffer.subarray(0, bytesRead);
    if (isInLongLine) {
      const border = news.indexOf(newline) + 1;
      const ofIt = border > 0 ? news.subarray(0, border) : news;
      await pass(ofIt);
      isInLongLine = border === 0;
      news = news.subarray(ofIt.length);
    }
    const border = news.lastIndexOf(newline) + 1;
    if (border > 0 || (isEnd && isLast)) {
      const bytes = Buffer.concat([...pending, news.subarray(0, border)]);
      const lines = linesOf(bytes);
      const kept = lines.filter((line) => rule.keep(textOfLine(line)));
      removed += lines.length - kept.length;
      rule.onBytes?.(bytes);
      // In one write: what others append stands before or after it.
      if (kept.length > 0) await to.appendFile(Buffer.concat(kept));
      end += bytes.length;
      pending = [Buffer.from(news.subarray(border))];
    } else pending.push(news);
    pendingBytes = pending.reduce((sum, { length }) => sum + length, 0);
    if (pendingBytes > longestLineBytes) {
      for (const bytes of pending) await pass(bytes);
      [pending, pendingBytes, isInLongLine] = [[], 0, true];
    }
    if (isEnd) return isLast ? { end, removed, rest: 0, isInLongLine: false } : { end, removed, rest: pendingBytes + (isInLongLine ? 1 : 0), isInLongLine };
  }
}
/** Beyond what a string can hold there is nothing to be parsed, and far below it nothing that anybody wrote as one line. */
export const longestLineBytes = 64 * 1024 * 1024;
const chunkBytes = 256 * 1024;
const newline = 0x0a;

/** With their ends; the last may have none. */
function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const border = bytes.indexOf(newline, start);
    const end = border < 0 ? bytes.length : border + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

function textOfLine(line: Buffer): string {
  return line.toString("utf8").replace(/\r?\n$/, "");
}
