import { execFileSync } from "node:child_process";
import { readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tryFileLock, withFileLock } from "../../../src/system/fileLock.ts";
import { startChild } from "../../support/children.ts";
import type { Child } from "../../support/children.ts";
import { aFolder } from "../../support/folder.ts";
import { until } from "../../real/support/until.ts";

/** Programs in other languages that know flock(2): each says "held" or "busy", and holds it until its input ends. */
const peers: readonly (readonly [string, string, string])[] = [
  ["perl", "-e", 'use Fcntl ":flock"; $|=1; open(my $f, ">>", $ARGV[0]); print flock($f, LOCK_EX|LOCK_NB) ? "held\\n" : "busy\\n"; <STDIN>'],
  [
    "python3",
    "-c",
    `import fcntl, sys
f = open(sys.argv[1], "a")
try:
    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB); print("held", flush=True)
except BlockingIOError: print("busy", flush=True)
sys.stdin.readline()`,
  ],
];
const herePeers = peers.filter(([program]) => whereIs(program) !== undefined);

function whereIs(program: string): string | undefined {
  try {
    return execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

async function aPeer([program, option, text]: readonly [string, string, string], path: string): Promise<Child> {
  const child = await startChild([program, option, text, path]);
  await until(() => /held|busy/.test(child.said()));
  return child;
}

test("one holds it at a time, in one process too", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  const first = await tryFileLock(path);
  expect(first).toBeDefined();
  expect(await tryFileLock(path)).toBeUndefined();
  await first?.[Symbol.asyncDispose]();
  await using second = await tryFileLock(path);
  expect(second).toBeDefined();
});

test.each(herePeers)("what %s holds is not ours", async (...peer) => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  const other = await aPeer(peer, path);
  expect(other.said()).toBe("held\n");
  expect(await tryFileLock(path)).toBeUndefined();
  other.process.stdin?.end();
  await other.ended;
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
});

test.each(herePeers)("what is ours %s does not get", async (...peer) => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
  expect((await aPeer(peer, path)).said()).toBe("busy\n");
});

test("a holder that is killed holds nothing any more", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  const holder = await startChild([process.execPath, fileURLToPath(new URL("holdLock.ts", import.meta.url)), path]);
  await until(() => holder.said() === "held\n");
  expect(await tryFileLock(path)).toBeUndefined();
  holder.process.kill("SIGKILL");
  await holder.ended;
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
});

test("a program that we start while we hold it does not hold it on", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  const lock = await tryFileLock(path);
  await startChild(["sleep", "60"]);
  await lock?.[Symbol.asyncDispose]();
  await using again = await tryFileLock(path);
  expect(again).toBeDefined();
});

test("a lock file that was removed is made again", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  await (await tryFileLock(path))?.[Symbol.asyncDispose]();
  await rm(path);
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
  expect(await tryFileLock(path)).toBeUndefined();
});

test("a lock file that is a link somewhere else is not followed", async () => {
  await using folder = await aFolder();
  await writeFile(join(folder.path, "somebody's"), "text");
  await symlink(join(folder.path, "somebody's"), join(folder.path, "lock"));
  await expect(tryFileLock(join(folder.path, "lock"))).rejects.toThrow("ELOOP");
});

test("a lock file is private, and what stands in it stays", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state", "lock");
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
  await writeFile(join(folder.path, "other"), "4121");
  await using other = await tryFileLock(join(folder.path, "other"));
  expect([other !== undefined, await readFile(join(folder.path, "other"), "utf8")]).toEqual([true, "4121"]);
});

test("held for too long by somebody else: busy, and nothing was done", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
  let uses = 0;
  expect(await withFileLock(path, 200, async () => uses++)).toEqual({ kind: "busy" });
  expect(uses).toBe(0);
});

test("given back in time: done, and given back again", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  const lock = await tryFileLock(path);
  const waiting = withFileLock(path, 10_000, async () => "used");
  await lock?.[Symbol.asyncDispose]();
  expect(await waiting).toEqual({ kind: "done", value: "used" });
  await using again = await tryFileLock(path);
  expect(again).toBeDefined();
});

test("a fault while it is held is thrown, and it is given back", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lock");
  await expect(withFileLock(path, 1_000, () => Promise.reject(new Error("a bug")))).rejects.toThrow("a bug");
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
});

test("never two at once, however many want it", async () => {
  await using folder = await aFolder();
  let inside = 0;
  let most = 0;
  const use = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    inside--;
  };
  const all = await Promise.all(Array.from({ length: 12 }, () => withFileLock(join(folder.path, "lock"), 15_000, use)));
  expect([most, all.map(({ kind }) => kind)]).toEqual([1, Array.from({ length: 12 }, () => "done")]);
});
