import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { foundBy } from "../../../../src/core/store.ts";
import type { Store } from "../../../../src/core/store.ts";
import { cutStoresIn } from "../../../../src/system/erase/cuts.ts";
import { storesAt } from "../../../../src/system/erase/files.ts";
import { lineStoresIn } from "../../../../src/system/erase/lines.ts";
import { rowStoresIn } from "../../../../src/system/erase/rows.ts";
import { aFolder } from "../../../support/folder.ts";

const words = { name: "a store", belongsBecause: "it is its own" };
const kinds: readonly (readonly [string, (root: string, path: string) => Promise<readonly Store[]>])[] = [
  ["a file", (root, path) => storesAt({ ...words, root, path })],
  ["lines", (root, path) => lineStoresIn({ ...words, root, path, isIts: () => true })],
  ["entries", (root, path) => cutStoresIn({ ...words, root, path, without: () => "" })],
  ["rows", (root, path) => rowStoresIn({ ...words, root, path, id: "its", count: () => 1, remove: () => undefined })],
];

test.each(kinds)("%s: what can't be deleted however long one waits holds up nothing that it is found by", async (_, storesFor) => {
  await using folder = await aFolder();
  const [root, elsewhere] = [join(folder.path, "root"), join(folder.path, "elsewhere")];
  for (const each of [root, elsewhere]) {
    mkdirSync(each);
    new Sqlite(join(each, "own")).exec("CREATE TABLE words (word TEXT)").close();
  }
  symlinkSync(join(root, "own"), join(root, "link"));
  symlinkSync(elsewhere, join(root, "out"));
  const holding = async (name: string) => foundBy(["transcript"], await storesFor(root, join(root, name))).map((store) => store.foundBy);
  expect(await holding("own")).toEqual([["transcript"]]);
  expect(await holding("link")).toEqual([undefined]);
  expect(await holding("out/own")).toEqual([undefined]);
});
