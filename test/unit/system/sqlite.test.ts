import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { readDatabase, writeDatabase } from "../../../src/system/sqlite.ts";
import { aFolder } from "../../support/folder.ts";
import { python } from "../../support/python.ts";
import { aHolder, add, always, letGo, makeWords, words, wordsInPython } from "./aDatabase.ts";

test("what another program wrote is read, and what is written it reads", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  expect(await readDatabase(path, words)).toEqual({ kind: "done", value: ["first"] });
  expect(await writeDatabase(path, add("second"), always)).toEqual({ kind: "done", value: "second" });
  expect(wordsInPython(path)).toEqual(["first", "second"]);
});

test("one that is absent stays absent", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "no such folder", "it.db");
  expect(await readDatabase(path, words)).toEqual({ kind: "absent" });
  expect(await writeDatabase(join(folder.path, "it.db"), add("x"), always)).toEqual({ kind: "absent" });
  expect(readdirSync(folder.path)).toEqual([]);
});

test("a read leaves its file as it is, to the byte and the time", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  const [before, { mtimeNs }] = [readFileSync(path), statSync(path, { bigint: true })];
  await readDatabase(path, words);
  const attempt = await readDatabase(path, add("not written"));
  expect(attempt.kind).toBe("unopenable");
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(statSync(path, { bigint: true }).mtimeNs).toBe(mtimeNs);
  expect(readdirSync(folder.path)).toEqual(["it.db"]);
});

test("in WAL mode, what is in the log only is read too", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path, "wal");
  const holder = await aHolder(path, "PRAGMA wal_autocheckpoint=0", "INSERT INTO words VALUES ('in the log')");
  const before = readFileSync(path);
  expect(before.includes("in the log")).toBe(false);
  expect(await readDatabase(path, words)).toEqual({ kind: "done", value: ["first", "in the log"] });
  expect(readFileSync(path).equals(before)).toBe(true);
  await letGo(holder);
});

test("a read in WAL mode makes the two files beside it and leaves them, the first time only", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path, "wal");
  expect(readdirSync(folder.path)).toEqual(["it.db"]);
  const before = readFileSync(path);
  expect(await readDatabase(path, words)).toEqual({ kind: "done", value: ["first"] });
  expect(readdirSync(folder.path)).toEqual(["it.db", "it.db-shm", "it.db-wal"]);
  const times = (): readonly bigint[] => ["", "-wal"].map((end) => statSync(`${path}${end}`, { bigint: true }).mtimeNs);
  const first = times();
  await readDatabase(path, words);
  expect(times()).toEqual(first);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("all that one read sees is of one moment, whoever writes in between", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path, "wal");
  const reading = await readDatabase(path, (database) => {
    const first = words(database);
    execFileSync(python, ["-c", "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(\"INSERT INTO words VALUES ('late')\"); c.commit()", path]);
    return [first, words(database)];
  });
  expect(reading).toEqual({ kind: "done", value: [["first"], ["first"]] });
  expect(wordsInPython(path)).toEqual(["first", "late"]);
});

test.each([
  ["read", (path: string) => readDatabase(path, words)],
  ["written", (path: string) => writeDatabase(path, add("x"), always)],
])("one that is locked all the time is not %s: busy, after two seconds in which everything else went on", async (_how, reach) => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  const holder = await aHolder(path, "BEGIN EXCLUSIVE");
  const started = performance.now();
  let [longest, last] = [0, started];
  const reached = reach(path);
  while ((await Promise.race([reached, turn()])) === undefined) {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  expect(await reached).toEqual({ kind: "busy" });
  expect(performance.now() - started).toBeGreaterThan(1_900);
  // SQLite's own wait would be one block of two seconds.
  expect(longest).toBeLessThan(1_000);
  await letGo(holder);
  expect(wordsInPython(path)).toEqual(["first"]);
});

test("one that is locked for a while is written as soon as it is let go", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  const holder = await aHolder(path, "BEGIN IMMEDIATE");
  const writing = writeDatabase(path, add("second"), always);
  for (const end = performance.now() + 200; performance.now() < end;) expect(await Promise.race([writing, turn()])).toBeUndefined();
  await letGo(holder);
  expect(await writing).toEqual({ kind: "done", value: "second" });
});

test("a reader who stays holds up the COMMIT: it is tried again, and after two seconds nothing of it is written", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  const reader = await aHolder(path, "BEGIN", "SELECT * FROM words");
  expect(await writeDatabase(path, add("never"), always)).toEqual({ kind: "busy" });
  const begun = Promise.withResolvers<void>();
  const writing = writeDatabase(path, (database) => (begun.resolve(), add("second")(database)), always);
  await begun.promise;
  await letGo(reader);
  expect(await writing).toEqual({ kind: "done", value: "second" });
  expect(wordsInPython(path)).toEqual(["first", "second"]);
});

test("what is not wanted, and what throws, is taken back, and the database is let go", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  expect(await writeDatabase(path, add("unwanted"), () => false)).toEqual({ kind: "done", value: "unwanted" });
  const thrown = writeDatabase(
    path,
    (database) => {
      add("half")(database);
      throw new Error("a fault of ours");
    },
    always,
  );
  await expect(thrown).rejects.toThrow("a fault of ours");
  expect(wordsInPython(path)).toEqual(["first"]);
  expect(await writeDatabase(path, add("second"), always)).toEqual({ kind: "done", value: "second" });
});
