import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../core/store.ts";
import { copyLines, nothingCopied } from "../copyLines.ts";
import { isHeldByAppender } from "../heldOpen.ts";
import { leftTempsOf, removeLeftTemps } from "../leftTemps.ts";
import { withOwnFile } from "../ownFile.ts";
import type { RewritePace } from "../rewriteLines.ts";
import { rewriteLines } from "../rewriteLines.ts";
import { blocked, isGone, isOutOfReach, lookForFile } from "./confined.ts";
import type { Confined } from "./confined.ts";
import { guarded, reasonOf } from "./guarded.ts";

/** Lines of a file that others write to as well. */
export interface Lines extends Confined {
  readonly name: string;
  readonly belongsBecause: string;
  /** Whether a line, without its end, is the conversation's; the same answer each time. */
  readonly isIts: (line: string) => boolean;
  /** For tests. */
  readonly pace?: Partial<RewritePace>;
}

/** The store of those lines, where there are any: all others stay byte for byte, and who appends to the file loses nothing. */
export async function lineStoresIn(lines: Lines): Promise<readonly Store[]> {
  const { name, path, belongsBecause, isIts, pace } = lines;
  const found = [await linesIn(lines), ...(await linesInTemps(lines))];
  if (found.every(({ kind }) => kind === "none")) return [];
  let otherNames = 0;
  return [
    guarded({
      name,
      path,
      bytes: found.reduce<number | undefined>((sum, each) => (sum === undefined || each.kind === "blocked" ? undefined : sum + bytesOf(each)), 0),
      belongsBecause,
      isOutOfReach: await isOutOfReach(lines),
      async erase() {
        const now = await linesIn(lines);
        const temps = await linesInTemps(lines);
        if (now.kind === "none" && temps.length === 0) return { kind: "absent" };
        if (now.kind === "blocked") return now;
        try {
          if (now.kind === "none") {
            await removeLeftTemps(path);
            return { kind: "erased" };
          }
          if (await staysOpen(path)) return blocked("a program keeps it open to write to it, and what it writes afterwards would be lost");
          otherNames = Math.max(otherNames, now.names - 1);
          const rewritten = await rewriteLines(path, (line) => !isIts(line), pace);
          switch (rewritten.kind) {
            case "rewritten":
              return rewritten.isQuiet ? { kind: "erased" } : blocked("a program went on to write to the old file; what it wrote since is lost");
            case "unchanged":
            case "absent":
              return { kind: "absent" };
            case "busy":
              return blocked("another program holds it");
            case "refused":
              return blocked(rewritten.reason);
          }
        } catch (error) {
          if (isGone(error)) return { kind: "absent" };
          throw error;
        }
      },
      async residue() {
        // It is replaced under this name alone.
        const elsewhere = otherNames > 0 ? [`the file as it was, under ${otherNames === 1 ? "another name" : `${otherNames} other names`}`] : [];
        return [...wordsFor(path, await linesIn(lines)), ...(await linesInTemps(lines)).flatMap((each) => wordsFor(each.path, each)), ...elsewhere];
      },
    }),
  ];
}

type Found =
  | { readonly kind: "found"; readonly count: number; readonly bytes: number; readonly names: number }
  | { readonly kind: "none" }
  | { readonly kind: "blocked"; readonly reason: string };

/** What a killed one has left of the file's new text, as far as it has such lines. */
async function linesInTemps(lines: Lines): Promise<readonly (Found & { readonly path: string })[]> {
  const temps = (await leftTempsOf(lines.path)).map(async (path) => ({ path, ...(await linesIn({ ...lines, path })) }));
  return (await Promise.all(temps)).filter(({ kind }) => kind !== "none");
}

function bytesOf(found: Found): number {
  return found.kind === "found" ? found.bytes : 0;
}

function wordsFor(path: string, found: Found): readonly string[] {
  if (found.kind === "none") return [];
  return [found.kind === "blocked" ? `${path}: ${found.reason}` : `${found.count === 1 ? "1 line" : `${found.count} lines`} of ${path}`];
}

async function linesIn(lines: Lines): Promise<Found> {
  try {
    return await countLines(lines);
  } catch (error) {
    return blocked(reasonOf(error));
  }
}

async function countLines({ root, path, isIts }: Lines): Promise<Found> {
  const target = await lookForFile({ root, path });
  if (target.kind !== "file") return target;
  const read = await withOwnFile(path, async (file) => {
    const found = { count: 0, bytes: 0, names: target.names };
    const count = (line: string): boolean => {
      if (!isIts(line)) return true;
      found.count++;
      found.bytes += Buffer.byteLength(line) + 1;
      return false;
    };
    await copyLines(file, nowhere, nothingCopied, { keep: count }, true);
    return found;
  });
  if ("count" in read) return read.count > 0 ? { kind: "found", ...read } : { kind: "none" };
  return read.kind === "absent" ? { kind: "none" } : blocked(read.reason);
}

const nowhere = { appendFile: async () => undefined };

/** Who appends a line opens the file for a moment. Who has it open each time that one looks keeps it, and would go on to write to the old file. */
export async function staysOpen(path: string): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(betweenLooksMs);
    await using file = await open(path, "r");
    if (!(await isHeldByAppender(file))) return false;
  }
  return true;
}
const looks = 4;
const betweenLooksMs = 60;
