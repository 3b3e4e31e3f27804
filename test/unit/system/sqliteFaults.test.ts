import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDatabase, writeDatabase } from "../../../src/system/sqlite.ts";
import { aFolder } from "../../support/folder.ts";
import { aHolder, add, always, makeWords, words } from "./aDatabase.ts";

test("what is no database is said to be none, and is left as it is", async () => {
  await using folder = await aFolder();
  const garbage = join(folder.path, "garbage.db");
  writeFileSync(garbage, "tmux_sessions: []\n".repeat(200));
  const isFolder = join(folder.path, "folder.db");
  mkdirSync(isFolder);
  for (const reach of [(path: string) => readDatabase(path, words), (path: string) => writeDatabase(path, add("x"), always)]) {
    expect(await reach(garbage)).toEqual({ kind: "unopenable", reason: "it is not an SQLite database" });
    expect(await reach(isFolder)).toEqual({ kind: "unopenable", reason: "it is not a file" });
  }
  expect(readFileSync(garbage, "utf8")).toBe("tmux_sessions: []\n".repeat(200));
  expect(readdirSync(folder.path)).toEqual(["folder.db", "garbage.db"]);
});

test("a damaged one is said to be damaged", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  const bytes = readFileSync(path);
  bytes.fill(0xff, 100, bytes.length);
  writeFileSync(path, bytes);
  expect(await readDatabase(path, words)).toEqual({ kind: "unopenable", reason: "it is damaged" });
});

test("one whose writer was killed in the middle is unopenable to a reader, and whole again for who writes it", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  const fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO words SELECT hex(randomblob(200)) FROM n";
  const writer = await aHolder(path, "PRAGMA cache_size=1", "BEGIN IMMEDIATE", fill);
  writer.process.kill("SIGKILL");
  await writer.ended;
  expect(existsSync(`${path}-journal`)).toBe(true);
  expect(await readDatabase(path, words)).toEqual({ kind: "unopenable", reason: "another program was cut off as it wrote it" });
  expect(await writeDatabase(path, add("second"), always)).toEqual({ kind: "done", value: "second" });
  expect(await readDatabase(path, words)).toEqual({ kind: "done", value: ["first", "second"] });
});

test.each([
  ["that the native part was not made for", `Object.defineProperty(process, "platform", { value: "sunos" })`, /can't be read on this machine/],
  ["whose Node is too old for it", `Object.defineProperty(process, "versions", { value: { ...process.versions, napi: "9" } })`, /so old a Node/],
])("on a machine %s a database is unopenable, and nothing is thrown", async (_which, pretend, reason) => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  makeWords(path);
  const module = new URL("../../../src/system/sqlite.ts", import.meta.url).href;
  const script = `const { readDatabase } = await import(${JSON.stringify(module)}); ${pretend};
    console.log(JSON.stringify(await readDatabase(${JSON.stringify(path)}, () => "read")));`;
  const said = execFileSync(process.execPath, ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--input-type=module", "-e", script], { encoding: "utf8" });
  expect(JSON.parse(said)).toEqual({ kind: "unopenable", reason: expect.stringMatching(reason) as string });
});
