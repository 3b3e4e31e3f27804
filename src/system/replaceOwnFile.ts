import { randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { tryFileLock, withFileLock } from "./fileLock.ts";
import { removeLeftTemps } from "./leftTemps.ts";
import { findStats, withOwnFile } from "./ownFile.ts";
import type { NotOwn } from "./ownFile.ts";

export interface Replacing {
  /** Writes the new text; "unchanged" where there is nothing to change. May be asked again, for a file that is another by then. */
  readonly write: (old: FileHandle, fresh: FileHandle) => Promise<"written" | "unchanged">;
  /** Asked right before the old file gives way. */
  readonly isStillSo: (old: FileHandle) => Promise<boolean>;
  /** The new file is in its place, and both are open: what the old one still gets can be seen. */
  readonly afterwards: (old: FileHandle, fresh: FileHandle) => Promise<void>;
}

/** `busy`: another program had it locked for too long, or wrote it over and over again. */
export type Replaced = NotOwn | { readonly kind: "replaced" | "unchanged" | "busy" };

/**
 * An own file is replaced by another with its mode and group: whoever opens it sees the old text or the new one, whole, also if we are killed
 * amid it, and what a killed one left of the new one is taken away by the next. Two who replace it by this do so one after the other: the lock is on the file itself, so that nothing lies beside it, and on the new
 * one before anybody can see it. A program that takes no lock is noticed by what it changed, and then all begins anew.
 */
export async function replaceOwnFile(path: string, replacing: Replacing, lockWithinMs = 5_000): Promise<Replaced> {
  for (let attempt = 0; attempt < 5; attempt++) {
    // To take the lock would make a file that is not there, and open a pipe.
    const before = await withOwnFile(path, async () => ({ kind: "own" }) as const);
    if (before.kind !== "own") return before;
    const done = await withFileLock(path, lockWithinMs, async () => {
      await removeLeftTemps(path);
      return await withOwnFile(path, (old, found) => replaceOnce(path, old, found, replacing));
    });
    if (done.kind === "busy") return done;
    if (done.value.kind !== "changedMeanwhile") return done.value;
  }
  return { kind: "busy" };
}

async function replaceOnce(
  path: string,
  old: FileHandle,
  found: BigIntStats,
  { write, isStillSo, afterwards }: Replacing,
): Promise<{ readonly kind: "replaced" | "unchanged" } | { readonly kind: "changedMeanwhile" }> {
  const temp = `${path}.${randomUUID()}.tmp`;
  let isInPlace = false;
  try {
    // Appending, since others append to it too as soon as it has its name.
    await using fresh = await open(temp, "ax", 0o600);
    await using lock = await tryFileLock(temp);
    if (!lock) return { kind: "changedMeanwhile" };
    if ((await write(old, fresh)) === "unchanged") return { kind: "unchanged" };
    await likeOld(fresh, found);
    await fresh.sync();
    if (!(await isStillSo(old)) || !isSameFile(await findStats(path), found)) return { kind: "changedMeanwhile" };
    await rename(temp, path);
    isInPlace = true;
    await syncFolder(dirname(path));
    await afterwards(old, fresh);
    await fresh.sync();
    return { kind: "replaced" };
  } finally {
    if (!isInPlace) await rm(temp, { force: true });
  }
}

async function likeOld(fresh: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
  const made = await fresh.stat({ bigint: true });
  if (made.gid !== gid) await fresh.chown(Number(uid), Number(gid));
  await fresh.chmod(Number(mode) & 0o777);
}

function isSameFile(a: BigIntStats | undefined, b: BigIntStats): boolean {
  return a !== undefined && a.dev === b.dev && a.ino === b.ino;
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
