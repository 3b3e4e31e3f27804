import { close, open, read } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import type { ProcessIdentity } from "../core/process.ts";

/** A file of at most 1 kB: undefined where it is gone, empty where it may not be read. Half the work of readFile, which counts for hundreds of processes at every look. */
export function readShort(path: string): Promise<string | undefined> {
  return new Promise((settle, fail) => {
    const tell = (error: NodeJS.ErrnoException): void => (isGone(error) ? settle(undefined) : isForbidden(error) ? settle("") : fail(error));
    open(path, "r", (notOpened, descriptor) => {
      if (notOpened) return tell(notOpened);
      return read(descriptor, Buffer.allocUnsafe(1_024), 0, 1_024, 0, (notRead, bytes, buffer) => {
        close(descriptor, () => {});
        if (notRead) tell(notRead);
        else settle(buffer.toString("latin1", 0, bytes));
      });
    });
  });
}

export async function environmentOf({ pid }: Pick<ProcessIdentity, "pid">): Promise<ReadonlyMap<string, string>> {
  const text = (await unlessAbsent(readFile(`/proc/${pid}/environ`, "utf8"))) ?? "";
  return new Map(
    text
      .split("\0")
      .filter((pair) => pair.includes("="))
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const),
  );
}

export async function cwdOf({ pid }: Pick<ProcessIdentity, "pid">): Promise<string | undefined> {
  const cwd = await unlessAbsent(readlink(`/proc/${pid}/cwd`));
  return cwd && withoutMark(cwd);
}

/** The kernel marks what has been removed since. */
export function withoutMark(path: string): string {
  return path.replace(/ \(deleted\)$/, "");
}

/** Undefined where it is gone or another user's; every other fault is one. */
export async function unlessAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isGone(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return ["ENOENT", "ESRCH"].includes(codeOf(error));
}

function isForbidden(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(codeOf(error));
}

/** No descriptor or memory is left: what could not be read says nothing of what was read. */
export function isShortage(error: unknown): boolean {
  return ["EMFILE", "ENFILE", "ENOMEM"].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
