import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countOf, rowStoresIn } from "../../../../src/system/erase/rows.ts";
import type { Store } from "../../../../src/core/store.ts";
import { until } from "../../../real/support/until.ts";
import { aFolder } from "../../../support/folder.ts";
import { runPython } from "../../../support/python.ts";
import { noAbort } from "../../agents/seen.ts";
import { aHolder, letGo, wordsInPython } from "../aDatabase.ts";
import { eraseAll, erased, wholeOf } from "./whole.ts";

const its = "its-660c5869";

const storesIn = (root: string, path = join(root, "words.db")): Promise<readonly Store[]> =>
  rowStoresIn({
    root,
    path,
    name: "its rows",
    belongsBecause: "each names the id",
    id: its,
    count: (database) => {
      const has = database.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'words'").pluck().get();
      return has === 1 ? Number(database.prepare("SELECT count(*) FROM words WHERE word LIKE ?").pluck().get(`${its}%`)) : 0;
    },
    remove: (database) => void database.prepare("DELETE FROM words WHERE word LIKE ?").run(`${its}%`),
  });

/** By another program that has closed it. */
function make(path: string, mode: "delete" | "wal"): void {
  const script = `import sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("PRAGMA journal_mode=" + sys.argv[2]); c.execute("PRAGMA secure_delete=OFF")
c.execute("CREATE TABLE words (word)")
for n in range(50): c.execute("INSERT INTO words VALUES (?)", ("first %d" % n,)); c.execute("INSERT INTO words VALUES (?)", ("${its} %d" % n,))
c.commit(); c.close()`;
  runPython(script, null, [path, mode]);
}

const countInPython = `import json, sqlite3, sys
print(json.dumps(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM words WHERE word LIKE '${its}%'").fetchone()[0]))`;
const firsts = Array.from({ length: 50 }, (_, at) => `first ${at}`);
const bytesOf = (path: string): string => readFileSync(path, "latin1");

test.each(["delete", "wal"] as const)("its rows go from a database in %s mode, others stay, and no byte of them is left", async (mode) => {
  await using folder = await aFolder();
  const path = join(folder.path, "words.db");
  make(path, mode);
  const stores = await storesIn(folder.path);
  expect(await eraseAll(stores)).toEqual([erased]);
  expect(wordsInPython(path)).toEqual(firsts);
  expect(bytesOf(path)).not.toContain(its);
  expect(await stores[0]?.mayRemain?.(noAbort)).toBe(
    `Text of it may remain in parts of ${path} that were no longer used before: its own program writes over them in time.`,
  );
  expect(await storesIn(folder.path)).toEqual([]);
});

test("a database is not made smaller: it is never compacted", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "words.db");
  make(path, "delete");
  const { size } = statSync(path);
  await eraseAll(await storesIn(folder.path));
  expect(statSync(path).size).toBe(size);
});

test("the log of a database that another program has open, and reads just then not, is emptied", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "words.db");
  make(path, "wal");
  const holder = await aHolder(path, "SELECT count(*) FROM words", "INSERT INTO words VALUES ('" + its + " again')");
  expect(bytesOf(`${path}-wal`)).toContain(its);
  const stores = await storesIn(folder.path);
  expect(await eraseAll(stores)).toEqual([erased]);
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(await stores[0]?.mayRemain?.(noAbort)).not.toContain("-wal");
  await letGo(holder);
  expect(wordsInPython(path)).toEqual(firsts);
});

test("while a program reads, the log keeps what was deleted: that is residue, and it goes as soon as nobody reads", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "words.db");
  make(path, "wal");
  const writer = await aHolder(path, "INSERT INTO words VALUES ('" + its + " again')");
  const reader = await aHolder(path, "BEGIN", "SELECT * FROM words");
  const stores = await storesIn(folder.path);
  const isLeft = { outcome: { kind: "erased" }, residue: [`${path}-wal, which a program was reading`] };
  expect(await eraseAll(stores)).toEqual([isLeft]);
  expect(bytesOf(`${path}-wal`)).toContain(its);
  expect(await stores[0]?.mayRemain?.(noAbort)).toBe(
    `Its id still stands in ${path}-wal, and text of it may: a program that has the database open was reading it, so it could not be emptied.`,
  );
  const again = await storesIn(folder.path);
  expect(again.map((store) => [store.name, store.path])).toEqual([["what the log of words.db still holds of it", `${path}-wal`]]);
  expect(await eraseAll(again)).toEqual([{ ...isLeft, outcome: { kind: "blocked", reason: "a program is reading it" } }]);
  await letGo(reader);
  expect(await eraseAll(again)).toEqual([erased]);
  expect([bytesOf(`${path}-wal`), await storesIn(folder.path)]).toEqual(["", []]);
  await letGo(writer);
  expect(wordsInPython(path)).toEqual(firsts);
});

test("while a program reads what was there before, the database itself keeps it: that is residue too", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "words.db");
  make(path, "wal");
  const reader = await aHolder(path, "BEGIN", "SELECT * FROM words");
  const stores = await storesIn(folder.path);
  expect(await eraseAll(stores)).toEqual([{ outcome: { kind: "erased" }, residue: [`${path}, of which a program was reading what was there before`] }]);
  expect(bytesOf(path)).toContain(its);
  await letGo(reader);
});

test("a program that reads for a moment only does not keep the log from being emptied", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "words.db");
  make(path, "wal");
  const writer = await aHolder(path, "INSERT INTO words VALUES ('" + its + " again')");
  const reader = await aHolder(path, "BEGIN", "SELECT * FROM words");
  const [store] = await storesIn(folder.path);
  const erasing = store?.erase(noAbort);
  await until(() => runPython(countInPython, null, [path]) === 0);
  await letGo(reader);
  expect([await erasing, await store?.residue(noAbort)]).toEqual([{ kind: "erased" }, []]);
  await letGo(writer);
});

test("a database that another program writes is left, and that is told", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "words.db");
  make(path, "wal");
  const stores = await storesIn(folder.path);
  const holder = await aHolder(path, "BEGIN IMMEDIATE");
  expect(await eraseAll(stores)).toEqual([{ outcome: { kind: "blocked", reason: "another program holds it" }, residue: [`50 rows of ${path}`] }]);
  await letGo(holder);
  expect(await eraseAll(stores)).toEqual([erased]);
});

test("what a program has deleted carelessly before is said to be there still", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "words.db");
  make(path, "delete");
  const script = `import sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("PRAGMA secure_delete=OFF"); c.execute("DELETE FROM words WHERE word LIKE ? AND word <> ?", (sys.argv[2] + "%", sys.argv[2] + " 7")); c.commit(); c.close()`;
  runPython(script, null, [path, its]);
  const stores = await storesIn(folder.path);
  expect(await eraseAll(stores)).toEqual([erased]);
  expect(await stores[0]?.mayRemain?.(noAbort)).toBe(
    `Its id still stands in parts of ${path} that are no longer used, and text of it may: its own program writes over them in time.`,
  );
});

test("a database of other tables, and what is no database, are not touched", async () => {
  await using folder = await aFolder();
  runPython("import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE others (word)'); c.commit()", null, [
    join(folder.path, "words.db"),
  ]);
  writeFileSync(join(folder.path, "none.db"), `${its} and no database at all`.repeat(100));
  const before = wholeOf(folder.path);
  expect(await storesIn(folder.path)).toEqual([]);
  const path = join(folder.path, "none.db");
  expect(await eraseAll(await storesIn(folder.path, path))).toEqual([
    { outcome: { kind: "blocked", reason: "it is not an SQLite database" }, residue: [`${path}: it is not an SQLite database`] },
  ]);
  expect(wholeOf(folder.path)).toEqual(before);
});

test.each(["words.db", "linked/words.db"])("a link to another's database is not followed, by %s", async (name) => {
  await using folder = await aFolder();
  const root = join(folder.path, "root");
  const outside = join(folder.path, "outside");
  for (const each of [root, outside]) mkdirSync(each);
  make(join(outside, "words.db"), "delete");
  symlinkSync(join(outside, "words.db"), join(root, "words.db"));
  symlinkSync(outside, join(root, "linked"));
  const before = wholeOf(folder.path);
  expect(await eraseAll(await storesIn(root, join(root, name)))).toMatchObject([{ outcome: { kind: "blocked" } }]);
  expect(wholeOf(folder.path)).toEqual(before);
});

test("a file that is gone has no text, and one that can't be read may have it", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "a");
  expect(await countOf("x", [path, join(path, "b")])).toBe(0);
  writeFileSync(path, "x y x");
  expect(await countOf("x", [path])).toBe(2);
  symlinkSync("in-a-circle", join(folder.path, "in-a-circle"));
  expect(await countOf("x", [join(folder.path, "in-a-circle")])).toBe(1);
});
