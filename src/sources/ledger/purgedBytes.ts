import { parseLine } from "./entry.ts";
import { isRestOf, rewritingOf } from "./purging.ts";
import type { Purged } from "./purging.ts";

/** The file after a purge: where an entry's first line stood, its last one; every other line with its own bytes, whatever they are. */
export function withoutPurged(bytes: Buffer, purged: Purged): Buffer {
  const lines = linesOf(bytes).map((line) => ({ line, says: parseLine(line.toString("utf8")) }));
  const rewriting = rewritingOf(
    lines.flatMap(({ says }) => says ?? []),
    purged,
  );
  const written = new Set<string>();
  return Buffer.concat(
    lines.flatMap(({ line, says }) => {
      if (!says) return isRestOf(line.toString("utf8"), purged) ? [] : [line];
      const id = "forgotten" in says ? says.forgotten : says.id;
      if (!rewriting.has(id)) return [line];
      const next = rewriting.get(id);
      if (written.has(id) || !next) return [];
      written.add(id);
      return [Buffer.from(`${JSON.stringify(next)}\n`)];
    }),
  );
}

/** With their ends; the last may have none. */
function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}
