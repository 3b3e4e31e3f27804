import { execFile } from "node:child_process";
import { appendFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { tryFileLock } from "../../../../src/system/fileLock.ts";
import { openLedgerFile } from "../../../../src/sources/ledger/ledgerFile.ts";
import type { Loaded } from "../../../../src/sources/ledger/ledgerFile.ts";
import { aFolder } from "../../../support/folder.ts";
import { entryOf } from "./entries.ts";

const ids = (loaded: Loaded | undefined) => [...(loaded?.entries.keys() ?? [])];

test("what one appends another reads, and the last line of an id counts", async () => {
  await using folder = await aFolder();
  const file = openLedgerFile(folder.path);
  await file.append(() => [entryOf("a"), entryOf("b")]);
  await file.append(() => [entryOf("a", { title: "new name" })]);
  const { entries, unreadable } = await openLedgerFile(folder.path).load();
  expect([...entries.values()].map(({ id, title }) => [id, title])).toEqual([
    ["a", "new name"],
    ["b", "fix login"],
  ]);
  expect(unreadable).toBe(0);
});

test("nothing there yet is an empty book", async () => {
  await using folder = await aFolder();
  expect(await openLedgerFile(join(folder.path, "not", "there")).load()).toEqual({ entries: new Map(), unreadable: 0 });
});

test("only its owner may read it", async () => {
  await using folder = await aFolder();
  const file = openLedgerFile(join(folder.path, "state"));
  await file.append(() => [entryOf("a")]);
  expect(((await stat(file.path)).mode & 0o777).toString(8)).toBe("600");
  expect(((await stat(join(folder.path, "state"))).mode & 0o777).toString(8)).toBe("700");
});

test("who appends sees what others wrote in between", async () => {
  await using folder = await aFolder();
  const [one, other] = [openLedgerFile(folder.path), openLedgerFile(folder.path)];
  await one.append(() => [entryOf("a")]);
  let known: readonly string[] = [];
  await other.append((entries) => {
    known = [...entries.keys()];
    return [];
  });
  expect(known).toEqual(["a"]);
});

test("reading twice at once reads no line twice, and misses none that comes after", async () => {
  await using folder = await aFolder();
  const [writer, reader] = [openLedgerFile(folder.path), openLedgerFile(folder.path)];
  await writer.append(() => [entryOf("a")]);
  await Promise.all([reader.load(), reader.load()]);
  await writer.append(() => [entryOf("b")]);
  expect(ids(await reader.load())).toEqual(["a", "b"]);
});

test("forgotten is gone, for whoever reads", async () => {
  await using folder = await aFolder();
  const file = openLedgerFile(folder.path);
  await file.append(() => [entryOf("a"), entryOf("b")]);
  await file.append(() => [{ forgotten: "a" }]);
  expect(ids(await openLedgerFile(folder.path).load())).toEqual(["b"]);
});

test("a last line that is still being written is read when it is whole", async () => {
  await using folder = await aFolder();
  const file = openLedgerFile(folder.path);
  await file.append(() => [entryOf("a")]);
  const line = JSON.stringify(entryOf("b"));
  await appendFile(file.path, line.slice(0, 20));
  expect(await file.load()).toMatchObject({ unreadable: 0 });
  await appendFile(file.path, `${line.slice(20)}\n`);
  expect(ids(await file.load())).toEqual(["a", "b"]);
});

test("a last line that was cut off swallows no line that comes after", async () => {
  await using folder = await aFolder();
  const file = openLedgerFile(folder.path);
  await file.append(() => [entryOf("a")]);
  await appendFile(file.path, '{"id":"cut off');
  await file.append(() => [entryOf("b")]);
  const loaded = await openLedgerFile(folder.path).load();
  expect([ids(loaded), loaded.unreadable]).toEqual([["a", "b"], 1]);
});

test("a file that somebody else put in its place is read anew", async () => {
  await using folder = await aFolder();
  const [file, other] = [openLedgerFile(folder.path), openLedgerFile(folder.path)];
  await file.append(() => [entryOf("a")]);
  await rm(file.path);
  expect(ids(await file.load())).toEqual([]);
  await other.append(() => [entryOf("b"), entryOf("c")]);
  expect(ids(await file.load())).toEqual(["b", "c"]);
});

test("a file that was cut shorter is read anew", async () => {
  await using folder = await aFolder();
  const file = openLedgerFile(folder.path);
  await file.append(() => [entryOf("a"), entryOf("b")]);
  await writeFile(file.path, `${JSON.stringify(entryOf("c"))}\n`);
  expect(ids(await file.load())).toEqual(["c"]);
});

const long = (id: string, count: number) => Array.from({ length: count }, (_, at) => entryOf(id, { title: `${at} ${"x".repeat(3_000)}` }));

test("a file that has grown with old lines is rewritten, and every entry is kept", async () => {
  await using folder = await aFolder();
  const [file, reader] = [openLedgerFile(folder.path), openLedgerFile(folder.path)];
  await file.append(() => [entryOf("a"), entryOf("b")]);
  await reader.load();
  await file.append(() => long("c", 200));
  expect((await stat(file.path)).size).toBeLessThan(20_000);
  for (const each of [file, reader, openLedgerFile(folder.path)]) {
    const { entries } = await each.load();
    expect([...entries.keys(), entries.get("c")?.title?.slice(0, 3)]).toEqual(["a", "b", "c", "199"]);
  }
});

test("two rewrites are seen by who looked before both", async () => {
  await using folder = await aFolder();
  const [file, reader] = [openLedgerFile(folder.path), openLedgerFile(folder.path)];
  await file.append(() => long("a", 200));
  await reader.load();
  // A file system may give the second new file the number of the one that the first replaced.
  await file.append(() => [{ forgotten: "a" }, ...long("b", 400)]);
  await file.append(() => [{ forgotten: "b" }, ...long("c", 400)]);
  expect(ids(await reader.load())).toEqual(["c"]);
});

test("where a line can't be read nothing is rewritten, and the line stays", async () => {
  await using folder = await aFolder();
  const file = openLedgerFile(folder.path);
  await appendFile(file.path, "this is no line of ours\n");
  await file.append(() => long("a", 200));
  const text = await readFile(file.path, "utf8");
  expect(text.startsWith("this is no line of ours\n")).toBe(true);
  expect(text.split("\n")).toHaveLength(202);
  expect((await file.load()).unreadable).toBe(1);
});

test("while somebody else holds its lock nothing is written, and who asked is told", async () => {
  await using folder = await aFolder();
  const file = openLedgerFile(folder.path);
  await using lock = await tryFileLock(join(folder.path, "ledger.lock"));
  expect(lock).toBeDefined();
  expect(await file.append(() => [entryOf("a")])).toBeUndefined();
  expect(ids(await file.load())).toEqual([]);
});

test("two processes that write at once lose nothing", async () => {
  await using folder = await aFolder();
  const note = (first: number) =>
    promisify(execFile)(process.execPath, [fileURLToPath(new URL("noteMany.ts", import.meta.url)), folder.path, String(first), "50"]);
  await Promise.all([note(1_000), note(2_000)]);
  const { entries, unreadable } = await openLedgerFile(folder.path).load();
  const numbers = [...entries.values()].map(({ process }) => process.pid).sort((a, b) => a - b);
  expect(numbers).toEqual([1_000, 2_000].flatMap((first) => Array.from({ length: 50 }, (_, at) => first + at)));
  expect(unreadable).toBe(0);
});
