import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { dirname } from "node:path";
import { makePrivateFolder } from "./files.ts";

/**
 * flock(2) on an open descriptor. Node has no such call, but the lock belongs to the open file description: flock(1), or perl where that is missing
 * (macOS), takes it on a descriptor that it inherits, and it stays ours when that program has ended. The kernel drops it with us, however we die.
 */
export async function tryFileLock(path: string): Promise<AsyncDisposable | undefined> {
  await makePrivateFolder(dirname(path));
  for (let attempt = 0; attempt < 3; attempt++) {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    let isKept = false;
    try {
      if (!(await takeLock(file))) return undefined;
      isKept = await isStill(path, file);
      if (isKept) return { [Symbol.asyncDispose]: () => file.close() };
      // Somebody removed the file between our opening and locking it: a lock on it excludes nobody who comes now.
    } finally {
      if (!isKept) await file.close();
    }
  }
  return undefined;
}

/** With the lock, or `busy` after `withinMs`; never without it. */
export async function withFileLock<T>(
  path: string,
  withinMs: number,
  use: () => Promise<T>,
): Promise<{ readonly kind: "done"; readonly value: T } | { readonly kind: "busy" }> {
  const deadline = Date.now() + withinMs;
  do {
    await using lock = await tryFileLock(path);
    if (lock) return { kind: "done", value: await use() };
    await sleep(askAgainMs);
  } while (Date.now() < deadline);
  return { kind: "busy" };
}
const askAgainMs = 25;

const flockProgram: readonly [string, ...string[]] = ["flock", "-x", "-n", "0"];
const perlProgram: readonly [string, ...string[]] = [
  "perl",
  "-e",
  'use Fcntl ":flock"; open(my $file, "+<&=0") or exit 2; exit(flock($file, LOCK_EX | LOCK_NB) ? 0 : 1)',
];

async function takeLock({ fd }: FileHandle): Promise<boolean> {
  for (const [file, ...args] of [flockProgram, perlProgram]) {
    const exitCode = await exitCodeOf(file, args, fd);
    if (exitCode !== undefined) return exitCode === 0;
  }
  throw new Error("Neither flock nor perl is on PATH, so no lock can be taken.");
}

/** With the descriptor as its standard input; undefined where there is no such program. */
function exitCodeOf(file: string, args: readonly string[], fd: number): Promise<number | undefined> {
  return new Promise((settle, fail) => {
    const child = spawn(file, args, { stdio: [fd, "ignore", "ignore"] });
    child.once("error", (error) => ("code" in error && error.code === "ENOENT" ? settle(undefined) : fail(error)));
    child.once("exit", (code) => settle(code ?? 1));
  });
}

async function isStill(path: string, file: FileHandle): Promise<boolean> {
  const [opened, named] = await Promise.all([file.stat(), lstat(path).catch(() => undefined)]);
  return named !== undefined && opened.dev === named.dev && opened.ino === named.ino;
}
