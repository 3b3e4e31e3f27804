import { createHash } from "node:crypto";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tryLock } from "../../../src/system/sessionLocks.ts";
import { aFolder } from "../../support/folder.ts";

test("who holds one facet's lock keeps others from every session that has it", async () => {
  await using folder = await aFolder();
  await using lock = await tryLock(folder.path, ["mux:r", "process:41"]);
  expect(lock).toBeDefined();
  expect(await tryLock(folder.path, ["ledger:x", "mux:r"])).toBeUndefined();
  await using other = await tryLock(folder.path, ["ledger:y"]);
  expect(other).toBeDefined();
});

test("all or none: who is refused one holds none of the others", async () => {
  await using folder = await aFolder();
  await using lock = await tryLock(folder.path, ["process:41"]);
  expect(lock).toBeDefined();
  expect(await tryLock(folder.path, ["ledger:x", "mux:r", "process:41"])).toBeUndefined();
  await using rest = await tryLock(folder.path, ["ledger:x", "mux:r"]);
  expect(rest).toBeDefined();
});

test("given back, all of them are free", async () => {
  await using folder = await aFolder();
  await (await tryLock(folder.path, ["mux:r", "process:41"]))?.[Symbol.asyncDispose]();
  await using lock = await tryLock(folder.path, ["mux:r", "process:41"]);
  expect(lock).toBeDefined();
});

test("a lock that can't be taken at all is a fault, after which none of the others is held", async () => {
  await using folder = await aFolder();
  const name = createHash("sha256").update("process:41").digest("hex").slice(0, 32);
  await mkdir(join(folder.path, "locks"));
  await symlink("elsewhere", join(folder.path, "locks", `${name}.lock`));
  await expect(tryLock(folder.path, ["mux:r", "process:41"])).rejects.toThrow("ELOOP");
  await using lock = await tryLock(folder.path, ["mux:r"]);
  expect(lock).toBeDefined();
});

test("a key is no path: whatever it holds, its lock lies in the folder of locks", async () => {
  await using folder = await aFolder();
  await using lock = await tryLock(folder.path, ["mux:../../etc/passwd", `mux:${"x".repeat(5_000)}`]);
  expect(lock).toBeDefined();
  expect(await readdir(folder.path)).toEqual(["locks"]);
  expect(await readdir(join(folder.path, "locks"))).toHaveLength(2);
});
