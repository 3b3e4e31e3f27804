import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { dirname } from "node:path";

/**
 * flock(2) on an open descriptor. Node has no such call, but the lock belongs to the open file description: flock(1), or perl where that is missing
 * (macOS), takes it on a descriptor that it inherits, and it stays ours when that program has ended. The kernel drops it with us, however we die.
 * Undefined where somebody else holds it; rejects where nothing can be locked here (NFS without its lock daemon, some FUSE).
 */
export async function tryFileLock(path: string, { folderMode = 0o700 }: LockOptions = {}): Promise<AsyncDisposable | undefined> {
  await mkdir(dirname(path), { recursive: true, mode: folderMode });
  for (let attempt = 0; attempt < 3; attempt++) {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    let isKept = false;
    try {
      if (!(await takeLock(file, path))) return undefined;
      isKept = await isStill(path, file);
      if (isKept) return { [Symbol.asyncDispose]: () => file.close() };
      // Somebody removed the file between our opening and locking it: a lock on it excludes nobody who comes now.
    } finally {
      if (!isKept) await file.close();
    }
  }
  return undefined;
}

export interface LockOptions {
  /** Of the lock's folder where there is none yet: private, unless another program that locks there makes it otherwise. */
  readonly folderMode?: number;
}

/** With the lock, or `busy` after `withinMs`; never without it. */
export async function withFileLock<T>(
  path: string,
  withinMs: number,
  use: () => Promise<T>,
  options: LockOptions = {},
): Promise<{ readonly kind: "done"; readonly value: T } | { readonly kind: "busy" }> {
  const deadline = Date.now() + withinMs;
  do {
    await using lock = await tryFileLock(path, options);
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
  'use Fcntl ":flock"; use Errno; sub cannot { print STDERR "$!\\n"; exit 71 } open(my $file, "+<&=0") or cannot(); exit 0 if flock($file, LOCK_EX | LOCK_NB); exit 1 if $!{EWOULDBLOCK}; cannot()',
];

async function takeLock({ fd }: FileHandle, path: string): Promise<boolean> {
  for (const [file, ...args] of [flockProgram, perlProgram]) {
    const end = await endOf(file, args, fd);
    if (!end) continue;
    // 1 is another's lock, and nothing else is: it would be waited for in vain.
    if (end.code === 0 || end.code === 1) return end.code === 0;
    throw new Error(`${path} can't be locked: ${end.words}`);
  }
  throw new Error("Neither flock nor perl is on PATH, so no lock can be taken.");
}

/** With the descriptor as its standard input; undefined where there is no such program. */
function endOf(file: string, args: readonly string[], fd: number): Promise<{ readonly code: number | null; readonly words: string } | undefined> {
  return new Promise((settle, fail) => {
    const child = spawn(file, args, { stdio: [fd, "ignore", "pipe"] });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.once("error", (error) => ("code" in error && error.code === "ENOENT" ? settle(undefined) : fail(error)));
    child.once("close", (code, signal) => settle({ code, words: said.trim() || (signal ? `${file} was ended by ${signal}` : `${file} ended with ${code}`) }));
  });
}

async function isStill(path: string, file: FileHandle): Promise<boolean> {
  const [opened, named] = await Promise.all([file.stat(), lstat(path).catch(() => undefined)]);
  return named !== undefined && opened.dev === named.dev && opened.ino === named.ino;
}
