import { chownSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { linkStoresAt, storesAt } from "../../../../src/system/erase/files.ts";
import { aFolder } from "../../../support/folder.ts";
import { noAbort } from "../../agents/seen.ts";
import { makePipe } from "../aPipe.ts";
import { eraseAll, erased, without, wholeOf } from "./whole.ts";

const isRoot = process.getuid?.() === 0;

/** An agent's own root with a file and a folder that are the conversation's, others beside them, and things outside that are not to be touched. */
async function aPlace(): Promise<{ readonly path: string; readonly root: string; readonly outside: string } & AsyncDisposable> {
  const folder = await aFolder();
  const root = join(folder.path, "root");
  const outside = join(folder.path, "outside");
  for (const each of [join(root, "its/below"), join(root, "others"), outside]) mkdirSync(each, { recursive: true });
  for (const each of ["root/its/a", "root/its/below/b", "root/its.txt", "root/its.txt2", "root/others/a", "outside/its", "its.txt"])
    writeFileSync(join(folder.path, each), each);
  return { path: folder.path, root, outside, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const storeAt = (root: string, path: string): ReturnType<typeof storesAt> => storesAt({ root, path, name: "it", belongsBecause: "its name is the id" });

test("a file and a folder go whole, and nothing else changes", async () => {
  await using place = await aPlace();
  const before = wholeOf(place.path);
  const stores = [...(await storeAt(place.root, join(place.root, "its"))), ...(await storeAt(place.root, join(place.root, "its.txt")))];
  expect(stores.map(({ bytes }) => bytes)).toEqual([26, 12]);
  expect(wholeOf(place.path)).toEqual(before);
  expect(await eraseAll(stores)).toEqual([erased, erased]);
  expect(wholeOf(place.path)).toEqual(without(before, "root/its", "root/its.txt"));
  expect(await storeAt(place.root, join(place.root, "its"))).toEqual([]);
});

test("what is gone already is absent, and that is no fault", async () => {
  await using place = await aPlace();
  const stores = await storeAt(place.root, join(place.root, "its"));
  await eraseAll(stores);
  expect(await eraseAll(stores)).toEqual([{ outcome: { kind: "absent" }, residue: [] }]);
});

test.each([
  ["above the root", "/../its.txt"],
  ["beside the root", "/../outside/its"],
  ["the root itself", ""],
  ["the root by another way", "/its/.."],
])("%s nothing is deleted", async (_where, path) => {
  await using place = await aPlace();
  const before = wholeOf(place.path);
  const told = await eraseAll(await storeAt(place.root, `${place.root}${path}`));
  expect(told).toEqual([{ outcome: { kind: "blocked", reason: `it does not lie in ${place.root} itself` }, residue: [`${place.root}${path}`] }]);
  expect(wholeOf(place.path)).toEqual(before);
});

test("through a link that leads out of the root nothing is deleted", async () => {
  await using place = await aPlace();
  symlinkSync(place.outside, join(place.root, "linked"));
  const before = wholeOf(place.path);
  expect(await eraseAll(await storeAt(place.root, join(place.root, "linked/its")))).toMatchObject([{ outcome: { kind: "blocked" } }]);
  expect(wholeOf(place.path)).toEqual(before);
});

test.each(["outside/its", "outside", "root/others", "nowhere"])("a link in its place, to %s, is not followed, and stays", async (to) => {
  await using place = await aPlace();
  symlinkSync(join(place.path, to), join(place.root, "a-link"));
  const before = wholeOf(place.path);
  expect(await eraseAll(await storeAt(place.root, join(place.root, "a-link")))).toMatchObject([
    { outcome: { kind: "blocked", reason: "it is a symbolic link" }, residue: [join(place.root, "a-link")] },
  ]);
  expect(wholeOf(place.path)).toEqual(before);
});

test("links within a folder that goes are taken out, and what they lead to stays", async () => {
  await using place = await aPlace();
  symlinkSync(place.outside, join(place.root, "its/out"));
  symlinkSync(join(place.outside, "its"), join(place.root, "its/below/out"));
  const before = wholeOf(place.path);
  expect(await eraseAll(await storeAt(place.root, join(place.root, "its")))).toEqual([erased]);
  expect(wholeOf(place.path)).toEqual(without(before, "root/its"));
});

test("a root that is a link is the root it leads to", async () => {
  await using place = await aPlace();
  const root = join(place.path, "link-to-root");
  symlinkSync(place.root, root);
  const before = wholeOf(place.path);
  expect(await eraseAll(await storeAt(root, join(root, "its")))).toEqual([erased]);
  expect(wholeOf(place.path)).toEqual(without(before, "root/its"));
});

test("links that lead in a circle are told, and hide nothing that is said to be gone", async () => {
  await using place = await aPlace();
  symlinkSync(join(place.root, "circle"), join(place.root, "circle"));
  expect(await eraseAll(await storeAt(place.root, join(place.root, "circle/its")))).toMatchObject([
    { outcome: { kind: "blocked", reason: "the links on the way to it lead in a circle" }, residue: [join(place.root, "circle/its")] },
  ]);
});

test("a folder that was replaced by a link after the plan is not followed", async () => {
  await using place = await aPlace();
  mkdirSync(join(place.root, "parent"));
  writeFileSync(join(place.root, "parent/its"), "");
  const stores = await storeAt(place.root, join(place.root, "parent/its"));
  renameSync(join(place.root, "parent"), join(place.root, "moved"));
  symlinkSync(place.outside, join(place.root, "parent"));
  const before = wholeOf(place.path);
  expect(await eraseAll(stores)).toMatchObject([{ outcome: { kind: "blocked" } }]);
  expect(wholeOf(place.path)).toEqual(before);
});

test.runIf(isRoot).each(["its", "its.txt"])("another user's %s stays", async (name) => {
  await using place = await aPlace();
  chownSync(join(place.root, name), 12_345, 12_345);
  const before = wholeOf(place.path);
  expect(await eraseAll(await storeAt(place.root, join(place.root, name)))).toMatchObject([
    { outcome: { kind: "blocked", reason: "it belongs to another user" } },
  ]);
  expect(wholeOf(place.path)).toEqual(before);
});

test("what is neither a file nor a folder stays", async () => {
  await using place = await aPlace();
  makePipe(join(place.root, "pipe"));
  expect(await eraseAll(await storeAt(place.root, join(place.root, "pipe")))).toMatchObject([
    { outcome: { kind: "blocked", reason: "it is neither a file nor a folder" } },
  ]);
});

test("a file that has another name too is not proved to be gone", async () => {
  await using place = await aPlace();
  linkSync(join(place.root, "its.txt"), join(place.outside, "kept"));
  expect(await eraseAll(await storeAt(place.root, join(place.root, "its.txt")))).toEqual([
    { outcome: { kind: "erased" }, residue: ["the same file under another name"] },
  ]);
});

test("files of a folder that have other names too, elsewhere, are not proved to be gone; names within it go with it", async () => {
  await using folder = await aFolder();
  const its = join(folder.path, "its");
  mkdirSync(join(its, "below"), { recursive: true });
  for (const name of ["below/a", "below/b", "c"]) writeFileSync(join(its, name), name);
  linkSync(join(its, "c"), join(its, "below/c"));
  for (const name of ["a", "b"]) linkSync(join(its, "below", name), join(folder.path, `copy-of-${name}`));
  const stores = await storesAt({ root: folder.path, path: its, name: "its folder", belongsBecause: "its name is the id" });
  expect(await eraseAll(stores)).toEqual([{ outcome: { kind: "erased" }, residue: ["files of it under 2 other names"] }]);
  expect(Object.keys(wholeOf(folder.path))).toEqual(["copy-of-a", "copy-of-b"]);
});

test("a link that stands for the conversation goes, and what it leads to stays", async () => {
  await using place = await aPlace();
  symlinkSync(join(place.outside, "its"), join(place.root, "latest"));
  const before = wholeOf(place.path);
  const isIts = async (path: string): Promise<boolean> => basename(await readlink(path)) === "its";
  const stores = await linkStoresAt({ root: place.root, path: join(place.root, "latest"), name: "latest", belongsBecause: "it leads to its log" }, isIts);
  expect(await eraseAll(stores)).toEqual([erased]);
  expect(wholeOf(place.path)).toEqual(without(before, "root/latest"));
});

test("a link that leads to another by then stays", async () => {
  await using place = await aPlace();
  symlinkSync(join(place.outside, "its"), join(place.root, "latest"));
  let isIts = true;
  const stores = await linkStoresAt(
    { root: place.root, path: join(place.root, "latest"), name: "latest", belongsBecause: "it leads to its log" },
    async () => isIts,
  );
  isIts = false;
  const before = wholeOf(place.path);
  expect(await stores[0]?.erase(noAbort)).toEqual({ kind: "absent" });
  expect(wholeOf(place.path)).toEqual(before);
});
