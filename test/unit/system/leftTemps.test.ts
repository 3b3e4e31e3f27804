import { appendFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { lineStoresIn } from "../../../src/system/erase/lines.ts";
import { cutStoresIn } from "../../../src/system/erase/cuts.ts";
import { withoutMembers } from "../../../src/system/cutElements.ts";
import { replaceFile } from "../../../src/system/files.ts";
import { removeOldTemps } from "../../../src/system/leftTemps.ts";
import { rewriteLines } from "../../../src/system/rewriteLines.ts";
import { until } from "../../real/support/until.ts";
import { startChild } from "../../support/children.ts";
import { aFolder } from "../../support/folder.ts";
import { noAbort } from "../agents/seen.ts";
import { eraseAll, erased } from "./erase/whole.ts";

const holdLock = fileURLToPath(new URL("holdLock.ts", import.meta.url));
const tempOf = (path: string): string => `${path}.${randomUUID()}.tmp`;
const linesOf = (root: string) =>
  lineStoresIn({ root, path: join(root, "lines"), name: "its lines", belongsBecause: "each is its", isIts: (line) => line === "its" });

test("what a killed one has left of a new text goes with the next rewriting, whatever it holds", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lines");
  writeFileSync(path, "a\nb\n");
  for (const text of ["a\n", ""]) writeFileSync(tempOf(path), text);
  await rewriteLines(path, (line) => line !== "b");
  expect([readFileSync(path, "utf8"), readdirSync(folder.path)]).toEqual(["a\n", ["lines"]]);
});

test("the new text of one that lives, a link, a folder, and what has another name stay", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lines");
  writeFileSync(path, "a\nb\n");
  const [living, link, beside] = [tempOf(path), tempOf(path), tempOf(path)];
  writeFileSync(living, "a\n");
  const writer = await startChild([process.execPath, holdLock, living]);
  await until(() => writer.said().includes("held"));
  symlinkSync(path, link);
  mkdirSync(beside);
  const others = [tempOf(join(folder.path, "lines2")), `${path}.1234.tmp`, `${path}.bak`, `${tempOf(path)}x`];
  for (const other of others) writeFileSync(other, "a\n");
  const names = readdirSync(folder.path);
  await rewriteLines(path, (line) => line !== "b");
  expect(readdirSync(folder.path)).toEqual(names);
  writer.process.kill("SIGKILL");
  await writer.ended;
});

test("a new text that another program puts in its place a moment later is left to it", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lines");
  writeFileSync(path, "a\nb\n");
  const temp = tempOf(path);
  writeFileSync(temp, "a\n");
  let isOver = false;
  const rewriting = rewriteLines(path, (line) => line !== "b").then(() => (isOver = true));
  await until(() => {
    appendFileSync(temp, "c\n");
    return isOver;
  });
  await rewriting;
  expect(readdirSync(folder.path)).toHaveLength(2);
});

test.each(["a\n", undefined])("lines that only a left text still has are the conversation's too, beside a file of %j", async (text) => {
  await using folder = await aFolder();
  const path = join(folder.path, "lines");
  if (text !== undefined) writeFileSync(path, text);
  const names = readdirSync(folder.path);
  const temp = tempOf(path);
  writeFileSync(temp, "a\nits\n");
  const stores = await linesOf(folder.path);
  expect(stores.map((store) => [store.path, store.bytes])).toEqual([[path, 4]]);
  expect(await stores[0]?.residue(noAbort)).toEqual([`1 line of ${temp}`]);
  expect(await eraseAll(stores)).toEqual([erased]);
  expect([readdirSync(folder.path), await linesOf(folder.path)]).toEqual([names, []]);
});

test("what a living one writes just now is left to it, and said to hold the lines", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lines");
  writeFileSync(path, "a\nits\n");
  const temp = tempOf(path);
  writeFileSync(temp, "a\nits\n");
  const writer = await startChild([process.execPath, holdLock, temp]);
  await until(() => writer.said().includes("held"));
  expect(await eraseAll(await linesOf(folder.path))).toEqual([{ ...erased, residue: [`1 line of ${temp}`] }]);
  writer.process.kill("SIGKILL");
  await writer.ended;
});

test("entries that only a left text still has are the conversation's too, and so is one that was cut off", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "entries.json");
  const storesIn = () =>
    cutStoresIn({
      root: folder.path,
      path,
      name: "its entries",
      belongsBecause: "each is its",
      without: (text) => withoutMembers(text, (key) => key === "its"),
    });
  writeFileSync(path, '{"a":1}');
  for (const text of ['{"a":1,"its":2}', '{"a":1,"i']) {
    writeFileSync(tempOf(path), text);
    const stores = await storesIn();
    expect(await eraseAll(stores)).toEqual([erased]);
    expect([readdirSync(folder.path), readFileSync(path, "utf8"), await storesIn()]).toEqual([["entries.json"], '{"a":1}', []]);
  }
});

test("who replaces a file at one go takes away what was left of it long ago, and not what may be written just now", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state");
  const temp = tempOf(path);
  writeFileSync(temp, "old");
  utimesSync(temp, 1, 1);
  await replaceFile(path, "new");
  expect(readdirSync(folder.path)).toHaveLength(2);
  await until(async () => {
    await removeOldTemps(path, 50);
    return readdirSync(folder.path).length === 1;
  });
  expect(readFileSync(path, "utf8")).toBe("new");
});
