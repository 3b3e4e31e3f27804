import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsence } from "../../system/files.ts";
import { isOwn, stampOf, textOf } from "../../system/ownFile.ts";

export type StateText =
  | { readonly kind: "absent" }
  /** `stamp` where there is a file that need not be opened again before it changes. */
  | { readonly kind: "unreadable"; readonly stamp?: string }
  | {
      readonly kind: "text";
      readonly text: string;
      readonly stamp: string;
      /** Written so long ago that another writing would show in its times. */
      readonly isSettled: boolean;
      readonly isOwn: boolean;
    };

/** A state file's text: only of a regular file, never through a symbolic link, never of one that is larger than a state can be. */
export async function readStateText(path: string): Promise<StateText> {
  try {
    // Without waiting: a pipe that nobody writes to would hold up the look for ever.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat({ bigint: true });
    if (!found.isFile() || found.size > largestBytes) return { kind: "unreadable" };
    const text = textOf(await file.readFile());
    const stamp = stampOf(found);
    const isSettled = Date.now() - Number(found.mtimeMs) > settledMs;
    if (text === undefined) return { kind: "unreadable", ...(isSettled && { stamp }) };
    return { kind: "text", text, stamp, isSettled, isOwn: isOwn(found) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return { kind: "absent" };
    if (isAbsence(error) || code === "ENXIO" || code === "ENODEV" || code === "ENAMETOOLONG") return { kind: "unreadable" };
    throw error;
  }
}
export const largestBytes = 8 * 1024 * 1024;
/** File systems tell time in steps of some milliseconds. */
const settledMs = 100;
