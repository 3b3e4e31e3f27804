import { chownSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { lineStoresIn } from "../../../../src/system/erase/lines.ts";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import { aFolder } from "../../../support/folder.ts";
import { eraseAll, erased, wholeOf } from "./whole.ts";

const isRoot = process.getuid?.() === 0;

function isIts(line: string): boolean {
  try {
    return (JSON.parse(line) as { id?: unknown } | null)?.id === "its";
  } catch {
    return false;
  }
}

const storesIn = (root: string, path = join(root, "history")): ReturnType<typeof lineStoresIn> =>
  lineStoresIn({ root, path, name: "its lines", belongsBecause: "each names the id", isIts, pace: { withinMs: 500 } });

test.each([
  ["its lines go, others stay", '{"id":"its"}\n{"id":"a"}\n{"id":"its"}\n', '{"id":"a"}\n'],
  ["a line that only mentions the id stays", '{"id":"a","text":"its"}\n{"id":"its"}\n', '{"id":"a","text":"its"}\n'],
  [
    "other separators of lines within a text end none",
    '{"id":"a","text":"x\u2028{\\"id\\":\\"its\\"}\u2029\u0085"}\n{"id":"its"}\n',
    '{"id":"a","text":"x\u2028{\\"id\\":\\"its\\"}\u2029\u0085"}\n',
  ],
  ["its line with such a separator goes whole", '{"id":"its","text":"x\u2028y"}\n{"id":"a"}\n', '{"id":"a"}\n'],
  ["foreign line ends stay, and its own go", '{"id":"a"}\r\n{"id":"its"}\r\n{"id":"b"}\r\n', '{"id":"a"}\r\n{"id":"b"}\r\n'],
  ["a last line without an end can be its own", '{"id":"a"}\n{"id":"its"}', '{"id":"a"}\n'],
  ["a last line of another's without an end stays so", '{"id":"its"}\n{"id":"a"}', '{"id":"a"}'],
  ["what is broken, blank or no JSON stays", '\n{"id":"its"\n\n{"id":"its"}\nits\n', '\n{"id":"its"\n\nits\n'],
])("%s", async (_fact, before, after) => {
  await using folder = await aFolder();
  writeFileSync(join(folder.path, "history"), before);
  writeFileSync(join(folder.path, "history2"), before);
  const beside = wholeOf(folder.path)["history2"];
  expect(await eraseAll(await storesIn(folder.path))).toEqual([erased]);
  expect(readFileSync(join(folder.path, "history"), "utf8")).toBe(after);
  expect(wholeOf(folder.path)).toMatchObject({ history2: beside });
  expect(Object.keys(wholeOf(folder.path))).toEqual(["history", "history2"]);
  expect(await storesIn(folder.path)).toEqual([]);
});

test("what is told of it beforehand are its bytes", async () => {
  await using folder = await aFolder();
  writeFileSync(join(folder.path, "history"), '{"id":"a"}\n{"id":"its"}\n{"id":"its"}\n');
  expect((await storesIn(folder.path)).map(({ bytes }) => bytes)).toEqual([26]);
});

test("a file that a program keeps open to write to it is left, and nothing is lost", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "history");
  writeFileSync(path, '{"id":"its"}\n{"id":"a"}\n');
  const writer = await startChild([process.execPath, fileURLToPath(new URL("../appendLines.ts", import.meta.url)), path, "3", "1000", "hold"]);
  await until(() => writer.said().includes("ready"));
  const stores = await storesIn(folder.path);
  writer.process.stdin?.write("go\n");
  await until(() => writer.said().includes("ended"));
  expect(await eraseAll(stores)).toEqual([
    {
      outcome: { kind: "blocked", reason: "a program keeps it open to write to it, and what it writes afterwards would be lost" },
      residue: [`1 line of ${path}`],
    },
  ]);
  expect(readFileSync(path, "utf8")).toBe('{"id":"its"}\n{"id":"a"}\n0\n1\n2\n');
  writer.process.kill("SIGKILL");
  await writer.ended;
  expect(await eraseAll(stores)).toEqual([erased]);
  expect(readFileSync(path, "utf8")).toBe('{"id":"a"}\n0\n1\n2\n');
});

test("a file that has another name too keeps its lines there, and that is told", async () => {
  await using folder = await aFolder();
  writeFileSync(join(folder.path, "history"), '{"id":"its"}\n{"id":"a"}\n');
  linkSync(join(folder.path, "history"), join(folder.path, "kept"));
  expect(await eraseAll(await storesIn(folder.path))).toEqual([{ outcome: { kind: "erased" }, residue: ["the file as it was, under another name"] }]);
  expect(readFileSync(join(folder.path, "history"), "utf8")).toBe('{"id":"a"}\n');
});

test.each([
  ["a link in its place", "history", "it is a symbolic link"],
  ["a link on the way to it", "linked/history", undefined],
  ["a way out of the root", "../outside/history", undefined],
])("%s is not followed", async (_fact, name, reason) => {
  await using folder = await aFolder();
  const root = join(folder.path, "root");
  const outside = join(folder.path, "outside");
  for (const each of [root, outside]) mkdirSync(each);
  writeFileSync(join(outside, "history"), '{"id":"its"}\n');
  symlinkSync(join(outside, "history"), join(root, "history"));
  symlinkSync(outside, join(root, "linked"));
  const before = wholeOf(folder.path);
  const path = `${root}/${name}`;
  const why = reason ?? `it does not lie in ${root} itself`;
  expect(await eraseAll(await storesIn(root, path))).toEqual([{ outcome: { kind: "blocked", reason: why }, residue: [`${path}: ${why}`] }]);
  expect(wholeOf(folder.path)).toEqual(before);
});

test.runIf(isRoot)("another user's file stays", async () => {
  await using folder = await aFolder();
  writeFileSync(join(folder.path, "history"), '{"id":"its"}\n');
  chownSync(join(folder.path, "history"), 12_345, 12_345);
  const before = wholeOf(folder.path);
  expect(await eraseAll(await storesIn(folder.path))).toMatchObject([{ outcome: { kind: "blocked", reason: "it belongs to another user" } }]);
  expect(wholeOf(folder.path)).toEqual(before);
});

test("a file that is gone by then is absent", async () => {
  await using folder = await aFolder();
  writeFileSync(join(folder.path, "history"), '{"id":"its"}\n');
  const stores = await storesIn(folder.path);
  rmSync(join(folder.path, "history"));
  expect(await eraseAll(stores)).toEqual([{ outcome: { kind: "absent" }, residue: [] }]);
});
