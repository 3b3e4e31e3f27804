import type { FileHandle } from "node:fs/promises";

/** How far a file has been copied. */
export interface Copied {
  /** Where the first line begins that has not been. */
  readonly end: number;
  readonly removed: number;
  /** How many bytes of a line without an end stand there. */
  readonly rest: number;
}
export const nothingCopied: Copied = { end: 0, removed: 0, rest: 0 };

export interface LineRule {
  /** Of a line without its end. */
  readonly keep: (line: string) => boolean;
  /** Is given every byte that has been copied or left out. */
  readonly onBytes?: (bytes: Buffer) => void;
}

/** The lines that a file has got since, as far as they are kept, appended to another one; the same bytes, whatever they are. A last line without an end only where `isLast` says that it is one. */
export async function copyLines(from: FileHandle, to: Pick<FileHandle, "appendFile">, so: Copied, rule: LineRule, isLast = false): Promise<Copied> {
  let { end, removed } = so;
  let pending = Buffer.alloc(0);
  for (;;) {
    const { buffer, bytesRead } = await from.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, end + pending.length);
    const bytes = bytesRead === 0 ? pending : Buffer.concat([pending, buffer.subarray(0, bytesRead)]);
    const isEnd = bytesRead === 0;
    const border = isEnd && isLast ? bytes.length : bytes.lastIndexOf(newline) + 1;
    const lines = linesOf(bytes.subarray(0, border));
    const kept = lines.filter((line) => rule.keep(textOfLine(line)));
    removed += lines.length - kept.length;
    rule.onBytes?.(bytes.subarray(0, border));
    // In one write: what others append stands before or after it.
    if (kept.length > 0) await to.appendFile(Buffer.concat(kept));
    end += border;
    pending = Buffer.from(bytes.subarray(border));
    if (isEnd) return { end, removed, rest: pending.length };
  }
}
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
