import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { copyLines, nothingCopied } from "./copyLines.ts";
import type { Copied, LineRule } from "./copyLines.ts";
import { isHeldByAppender } from "./heldOpen.ts";
import { replaceOwnFile } from "./replaceOwnFile.ts";
import type { NotOwn } from "./ownFile.ts";

export interface RewritePace {
  /** How long nothing must have come to the old file before it is left. */
  readonly quietMs: number;
  /** Who still writes to it after so long keeps it open for good, and is not waited for. */
  readonly withinMs: number;
  /** How long another's lock on the file is waited for. */
  readonly lockWithinMs: number;
}
export const rewritePace: RewritePace = { quietMs: 50, withinMs: 2_000, lockWithinMs: 5_000 };

/** Not quiet: another program still has the file open that was replaced, and what it writes from now on is lost. */
export type Rewritten = { readonly kind: "rewritten"; readonly removed: number; readonly isQuiet: boolean } | NotOwn | { readonly kind: "unchanged" | "busy" };

/**
 * Takes lines out of a file, of any size, to which other programs append at any time. Every other byte stays: foreign line ends, bytes that are no
 * text, a last line without an end. A program that had the file open when it was replaced goes on to write to the old one: that is carried over,
 * by the same rule, until nothing has come for `quietMs` and, as far as /proc tells, nobody has it open any more to append to it. The file is locked, replaced whole, and only if it is this user's own and no link.
 *
 * `keep` is given a line without its end, and must answer the same each time: for a file that changed meanwhile all is begun anew.
 */
export async function rewriteLines(path: string, keep: (line: string) => boolean, pace: Partial<RewritePace> = {}): Promise<Rewritten> {
  const { lockWithinMs, ...tail } = { ...rewritePace, ...pace };
  let copied = nothingCopied;
  let digest = "";
  let isQuiet = true;

  const replaced = await replaceOwnFile(
    path,
    {
      async write(old, fresh) {
        const hash = createHash("sha256");
        const rule: LineRule = { keep, onBytes: (bytes) => hash.update(bytes) };
        copied = await copyLines(old, fresh, nothingCopied, rule);
        // A last line without an end is being written just now, or stays so.
        if (copied.rest > 0) ({ copied } = await follow(old, fresh, copied, rule, tail, "wholeLine"));
        digest = hash.digest("hex");
        return copied.removed > 0 ? "written" : "unchanged";
      },
      isStillSo: async (old) => (await digestOf(old, copied.end)) === digest,
      async afterwards(old, fresh) {
        ({ copied, isQuiet } = await follow(old, fresh, copied, { keep }, tail, "quiet"));
      },
    },
    lockWithinMs,
  );
  if (replaced.kind === "replaced") return { kind: "rewritten", removed: copied.removed, isQuiet };
  return "reason" in replaced ? replaced : { kind: replaced.kind };
}

/** Copies what comes until nothing has for a while, or, where that is enough, all that has come are whole lines. */
async function follow(
  old: FileHandle,
  fresh: FileHandle,
  from: Copied,
  rule: LineRule,
  { quietMs, withinMs }: Omit<RewritePace, "lockWithinMs">,
  upTo: "wholeLine" | "quiet",
): Promise<{ readonly copied: Copied; readonly isQuiet: boolean }> {
  const deadline = Date.now() + withinMs;
  let copied = from;
  for (let lastNews = Date.now(); ;) {
    const before = copied;
    copied = await copyLines(old, fresh, before, rule);
    if (copied.end !== before.end || copied.rest !== before.rest) lastNews = Date.now();
    if (upTo === "wholeLine" && copied.rest === 0) return { copied, isQuiet: true };
    const hasSettled = Date.now() - lastNews >= quietMs;
    // A busy machine may hold up a program between its opening and its writing for longer than that.
    const isQuiet = hasSettled && (upTo === "wholeLine" || !(await isHeldByAppender(old)));
    if (isQuiet || Date.now() > deadline) return { copied: hasSettled ? await copyLines(old, fresh, copied, rule, true) : copied, isQuiet };
    await sleep(hasSettled ? quietMs : lookAgainMs);
  }
}
const lookAgainMs = 5;

/** Of its first bytes, where it still has so many. */
async function digestOf(file: FileHandle, length: number): Promise<string> {
  const hash = createHash("sha256");
  if (length > 0) for await (const bytes of file.createReadStream({ start: 0, end: length - 1, autoClose: false })) hash.update(bytes as Buffer);
  return hash.digest("hex");
}
