import { basename } from "node:path";
import type { Notice } from "../../core/notice.ts";
import { findStats, readOwnText, stampOf } from "../../system/ownFile.ts";
import type { Entry, ParsedFile } from "./entry.ts";

export type Tracked =
  | { readonly kind: "absent" }
  | { readonly kind: "read"; readonly entries: readonly Entry[]; readonly unreadable: number }
  | { readonly kind: "unreadable"; readonly reason: string };

/** One of the tracking files, as it is read. */
export interface TrackedFile {
  readonly path: string;
  /** What has not changed since is not read again. */
  readonly read: () => Promise<Tracked>;
  readonly readAfresh: () => Promise<Tracked>;
}

export function openTrackedFile(path: string, parse: (text: string) => ParsedFile): TrackedFile {
  let latest: { readonly stamp: string; readonly tracked: Tracked } | undefined;

  return {
    path,
    async read() {
      const now = await findStats(path);
      if (now && latest?.stamp === stampOf(now)) return latest.tracked;
      const { tracked, stamp } = await load();
      latest = stamp === undefined ? undefined : { stamp, tracked };
      return tracked;
    },
    readAfresh: async () => (await load()).tracked,
  };

  /** The stamp only of what can't be written again without another one. */
  async function load(): Promise<{ readonly tracked: Tracked; readonly stamp?: string }> {
    const text = await readOwnText(path, largestBytes);
    if (text.kind === "absent") return { tracked: text };
    if (text.kind === "refused") return { tracked: { kind: "unreadable", reason: text.reason } };
    const parsed = parse(text.text);
    const tracked: Tracked = parsed.kind === "corrupt" ? { kind: "unreadable", reason: parsed.reason } : { ...parsed, kind: "read" };
    return { tracked, ...(text.isSettled && { stamp: text.stamp }) };
  }
}
export const largestBytes = 32 * 1024 * 1024;

export function noticesOf(path: string, tracked: Tracked): readonly Notice[] {
  if (tracked.kind === "unreadable") return [{ place: path, sentence: `${unreadableWords(path, tracked.reason)}.`, remedy: "openFile" }];
  if (tracked.kind === "absent" || tracked.unreadable === 0) return [];
  const { unreadable: count } = tracked;
  const sentence =
    count === 1
      ? `1 entry of ${basename(path)} names no session, and is left as it is.`
      : `${count} entries of ${basename(path)} name no session, and are left as they are.`;
  return [{ place: path, sentence, remedy: "openFile" }];
}

export function unreadableWords(path: string, reason: string): string {
  return `${basename(path)} can't be read, and is left as it is: ${reason}`;
}
