import type { BigIntStats } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findStats, stampOf, textOf } from "../../system/ownFile.ts";
import { replaceOwnFile } from "../../system/replaceOwnFile.ts";
import type { Replaced } from "../../system/replaceOwnFile.ts";
import { rewriteLines, rewritePace } from "../../system/rewriteLines.ts";
import type { RewritePace } from "../../system/rewriteLines.ts";
import { withoutElements } from "../../system/cutElements.ts";
import { entryOf, parseDetails } from "./detailsRows.ts";
import { parseEnvLine } from "./envLines.ts";
import type { Entry } from "./entry.ts";
import { removeTempFiles } from "./tempFiles.ts";
import { unreadableWords } from "./trackedFile.ts";
import type { Tracked, TrackedFile } from "./trackedFile.ts";

export type Forgotten = { readonly kind: "removed" | "notThere" } | { readonly kind: "failed"; readonly reason: string };

/** The lines of exactly this id, and no other byte. */
export function forgetLines(file: TrackedFile, id: string, pace: Partial<RewritePace>): Promise<Forgotten> {
  return forget(file, id, async () => {
    const rewritten = await rewriteLines(file.path, (line) => parseEnvLine(line)?.id !== id, pace);
    if (rewritten.kind !== "rewritten") return failureOf(rewritten, file.path);
    if (rewritten.isQuiet) return undefined;
    return `it is out of ${basename(file.path)}, but another program goes on writing to the file that was there before: what it writes from now on is lost`;
  });
}

/** The elements of exactly this id. A program that rewrites the file and takes no lock can still win in the last instant: that is seen afterwards. */
export function forgetElements(file: TrackedFile, id: string, pace: Partial<RewritePace>): Promise<Forgotten> {
  const { quietMs, lockWithinMs } = { ...rewritePace, ...pace };
  return forget(file, id, async () => {
    let found: BigIntStats | undefined;
    let text = "";
    let cut: string | undefined;
    let problem: string | undefined;
    const replaced = await replaceOwnFile(
      file.path,
      {
        async write(old, fresh) {
          found = await old.stat({ bigint: true });
          text = textOf(await old.readFile()) ?? "";
          cut = withoutElements(text, (element) => entryOf(element)?.id === id);
          if (cut === undefined || cut === text) return "unchanged";
          await fresh.appendFile(cut);
          return "written";
        },
        isStillSo: async (old) => found !== undefined && stampOf(await old.stat({ bigint: true })) === stampOf(found),
        async afterwards(old) {
          await untilUnchanged(file.path, quietMs);
          const { size, mtimeNs } = await old.stat({ bigint: true });
          const isWritten = size !== found?.size || mtimeNs !== found.mtimeNs;
          // Under the lock still: what another window takes out next is not lost.
          problem = isWritten
            ? `it is out of ${basename(file.path)}, but another program wrote to the file that was there before: what it wrote is lost`
            : lostSince(text, await readWhole(file), id, file.path);
        },
      },
      lockWithinMs,
    );
    if (replaced.kind === "replaced") return problem;
    const isUnclear = replaced.kind === "unchanged" && cut === undefined;
    return isUnclear ? unreadableWords(file.path, "it changed while it was read, or its entries can't be told apart") : failureOf(replaced, file.path);
  });
}

/** What lies beside the tracking files. */
export async function forgetTempFiles(envPath: string, id: string, entries: readonly Entry[]): Promise<Forgotten> {
  const otherIds = new Set(entries.map((entry) => entry.id));
  const { removed, left } = await removeTempFiles(dirname(envPath), id, otherIds);
  if (left.length > 0) return { kind: "failed", reason: `not a file of this user's own, and left as it is: ${left.join(", ")}` };
  return { kind: removed > 0 ? "removed" : "notThere" };
}

/** Only where it is listed; then looks again whether it is still gone. */
async function forget(file: TrackedFile, id: string, remove: () => Promise<string | undefined>): Promise<Forgotten> {
  const before = await readWhole(file);
  if (before.kind === "unreadable") return { kind: "failed", reason: unreadableWords(file.path, before.reason) };
  if (before.kind === "absent" || !isIn(before, id)) return { kind: "notThere" };
  try {
    const problem = await remove();
    if (problem !== undefined) return { kind: "failed", reason: problem };
  } catch (error) {
    // A full disk, a read-only folder: the next file may still be written.
    if (!(error instanceof Error && "code" in error)) throw error;
    return { kind: "failed", reason: `${basename(file.path)} can't be written: ${error.message}` };
  }
  const after = await readWhole(file);
  if (isIn(after, id)) return { kind: "failed", reason: `another program has written it into ${basename(file.path)} again` };
  return { kind: "removed" };
}

/** Who writes a file anew where it stands has it empty or half for a moment. */
async function readWhole(file: TrackedFile): Promise<Tracked> {
  for (let looks = 0; looks < 3; looks++) {
    const tracked = await file.readAfresh();
    if (tracked.kind !== "unreadable") return tracked;
    await sleep(rewritePace.quietMs);
  }
  return file.readAfresh();
}

function isIn(tracked: Tracked, id: string): boolean {
  return tracked.kind === "read" && tracked.entries.some((entry) => entry.id === id);
}

function failureOf(replaced: Replaced, path: string): string | undefined {
  switch (replaced.kind) {
    case "refused":
      return unreadableWords(path, replaced.reason);
    case "busy":
      return `${basename(path)} was left as it is: another program has it locked, or writes it all the time`;
    case "replaced":
    case "unchanged":
    case "absent":
      return undefined;
  }
}

/** Who read the file before it was replaced, and writes it after, has its own state of all the others. */
function lostSince(before: string, after: Tracked, id: string, path: string): string | undefined {
  if (after.kind === "unreadable") return `it is out of ${basename(path)}, but another program has rewritten it since: ${after.reason}`;
  const left = new Set(after.kind === "read" ? after.entries.map((entry) => entry.id) : []);
  const parsed = parseDetails(before);
  const known = parsed.kind === "parsed" ? parsed.entries.map((entry) => entry.id) : [];
  const lost = new Set(known.filter((other) => other !== id && !left.has(other)));
  if (lost.size === 0) return undefined;
  return `it is out of ${basename(path)}, but another program has rewritten it since, without ${[...lost].slice(0, 3).join(", ")}${lost.size > 3 ? " and others" : ""}`;
}

async function untilUnchanged(path: string, quietMs: number): Promise<void> {
  const stampNow = async (): Promise<string> => {
    const found = await findStats(path);
    return found ? stampOf(found) : "";
  };
  let before = await stampNow();
  for (let looks = 0; looks < 10; looks++) {
    await sleep(quietMs);
    const now = await stampNow();
    if (now === before) return;
    before = now;
  }
}
