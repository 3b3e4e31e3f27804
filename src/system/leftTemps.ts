import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryFileLock } from "./fileLock.ts";
import { findStats, isOwn, stampOf } from "./ownFile.ts";

/** Of a file that we replace: own, regular files by the name that a new text has until it is in its place. Their writers were killed, or are at it just now. */
export async function leftTempsOf(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  const temps = names.map((name) => join(dirname(path), name)).filter((each) => replacedBy(each) === path);
  const are = await Promise.all(temps.map(isOwnFile));
  return temps.filter((_, at) => are[at]);
}

/** What a file of such a name was to replace; undefined for every other name. */
export function replacedBy(temp: string): string | undefined {
  const name = basename(temp);
  return name.length > ending.length && pattern.test(name) ? temp.slice(0, -ending.length) : undefined;
}
const pattern = /\.[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.tmp$/;
const ending = ".00000000-0000-4000-8000-000000000000.tmp";

/**
 * Removes those whose writers are gone. A living one of ours holds a lock on its own; other programs, which may use such names too, leave theirs alone for
 * a moment only, and that is waited for.
 */
export async function removeLeftTemps(path: string): Promise<void> {
  for (const temp of await leftTempsOf(path)) {
    const before = await findStats(temp);
    if (before === undefined) continue;
    const ageMs = Date.now() - Number(before.ctimeMs);
    if (ageMs < restsMs) await sleep(restsMs);
    await removeUnlessHeld(temp, stampOf(before));
  }
}
const restsMs = 1_000;

/** For who replaces a file without a lock on the new one: only age tells that it was left. */
export async function removeOldTemps(path: string, olderThanMs = 60_000): Promise<void> {
  for (const temp of await leftTempsOf(path)) {
    const found = await findStats(temp);
    if (found && Date.now() - Number(found.ctimeMs) > olderThanMs) await removeUnlessHeld(temp, stampOf(found));
  }
}

async function removeUnlessHeld(temp: string, stamp: string): Promise<void> {
  // To take the lock would make a file that is not there any more.
  if (!(await isAsBefore(temp, stamp))) return;
  await using lock = await tryFileLock(temp);
  if (lock) await rm(temp, { force: true });
}

async function isAsBefore(path: string, stamp: string): Promise<boolean> {
  const found = await findStats(path);
  return found !== undefined && stampOf(found) === stamp;
}

async function isOwnFile(path: string): Promise<boolean> {
  const found = await findStats(path).catch(() => undefined);
  return found !== undefined && found.isFile() && isOwn(found);
}
