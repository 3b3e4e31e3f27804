import { constants } from "node:fs";
import type { BigIntStats } from "node:fs";
import { lstat, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

/** Why a file is not touched: it is not there, or it is not plainly this user's own. */
export type NotOwn = { readonly kind: "absent" } | { readonly kind: "refused"; readonly reason: string };

export type OwnText = NotOwn | { readonly kind: "text"; readonly text: string; readonly stamp: string; readonly isSettled: boolean };

/**
 * With a file open for reading that is a regular one and this user's own; never through a symbolic link in its last place. In a folder where
 * everybody may write, such as /tmp, another could have put anything there.
 */
export async function withOwnFile<T>(path: string, use: (file: FileHandle, found: BigIntStats) => Promise<T>): Promise<T | NotOwn> {
  const opened = await openSafely(path);
  if ("kind" in opened) return opened;
  await using file = opened;
  const found = await file.stat({ bigint: true });
  if (!found.isFile()) return refused("it is not a file");
  if (!isOwn(found)) return refused("it belongs to another user");
  return await use(file, found);
}

/** The whole text of an own file: UTF-8 that would be written again as the same bytes, of at most `limitBytes`. */
export function readOwnText(path: string, limitBytes: number): Promise<OwnText> {
  return withOwnFile(path, async (file, found): Promise<OwnText> => {
    if (found.size > limitBytes) return refused(`it is larger than ${Math.floor(limitBytes / 1024 / 1024)} MB`);
    const text = textOf(await file.readFile());
    const isSettled = Date.now() - Number(found.mtimeMs) > settledMs;
    return text === undefined ? refused("it is not text") : { kind: "text", text, stamp: stampOf(found), isSettled };
  });
}
/** File systems tell time in steps of some milliseconds: what was written so lately may be written again without a trace. */
const settledMs = 100;

/** Undefined for bytes that are no UTF-8, or hold a zero. A byte order mark stays. */
export function textOf(bytes: Buffer): string | undefined {
  try {
    return bytes.includes(0) ? undefined : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What is at a path now, a link itself and not what it leads to; undefined where there is nothing, or it can't be told. */
export async function findStats(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Differs as soon as a file is another one or has been written. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

export function isOwn({ uid }: BigIntStats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === BigInt(own);
}

async function openSafely(path: string): Promise<FileHandle | NotOwn> {
  try {
    // Without waiting: a pipe that nobody writes to would hold up the look for ever.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    switch (codeOf(error)) {
      case "ENOENT":
      case "ENOTDIR":
        return { kind: "absent" };
      case "ELOOP":
        return refused("it is a symbolic link");
      case "ENXIO":
        return refused("it is not a file");
      case "EACCES":
      case "EPERM":
        return refused("it may not be read");
      default:
        throw error;
    }
  }
}

function refused(reason: string): { readonly kind: "refused"; readonly reason: string } {
  return { kind: "refused", reason };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
