import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { copyLines, longestLineBytes, nothingCopied } from "../../../src/system/copyLines.ts";
import { rewriteLines } from "../../../src/system/rewriteLines.ts";
import { aFolder } from "../../support/folder.ts";

const longest = longestLineBytes + 300_000;
const nowhere = { appendFile: async () => undefined };

test("a line that is longer than any can be stays to the byte, and is not looked at; lines around it go", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lines");
  writeFileSync(path, "b\na\n");
  truncateSync(path, longest);
  appendFileSync(path, "x\nb\nc");
  const seen: string[] = [];
  const removed = await rewriteLines(path, (line) => {
    seen.push(line);
    return line !== "b";
  });
  expect(removed).toEqual({ kind: "rewritten", removed: 2, isQuiet: true });
  expect([...new Set(seen)]).toEqual(["b", "a", "c"]);
  const bytes = readFileSync(path);
  expect([bytes.length, bytes.subarray(0, 2).toString(), bytes.subarray(-4).toString()]).toEqual([longest + 1, "a\n", "\0x\nc"]);
  expect(bytes.subarray(2, -3).every((byte) => byte === 0)).toBe(true);
});

test("a long line without an end is taken up where it was left", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lines");
  writeFileSync(path, "b\n");
  truncateSync(path, longest);
  await using from = await open(path, "r");
  await using to = await open(join(folder.path, "copy"), "a");
  const rule = { keep: (line: string) => line !== "b" };
  const first = await copyLines(from, to, nothingCopied, rule);
  expect(first).toEqual({ end: longest, removed: 1, rest: 1, isInLongLine: true });
  appendFileSync(path, "b\nb\na\n");
  const second = await copyLines(from, to, first, rule);
  expect(second).toEqual({ end: longest + 6, removed: 2, rest: 0, isInLongLine: false });
  const copy = readFileSync(join(folder.path, "copy"));
  expect([copy.length, copy.subarray(-4).toString()]).toEqual([longest + 2, "b\na\n"]);
});

test("a line of many pieces is put together once, not with each of them", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "lines");
  const length = 16 * 1024 * 1024;
  writeFileSync(path, "x".repeat(length));
  await using from = await open(path, "r");
  const concat = vi.spyOn(Buffer, "concat");
  const seen: number[] = [];
  await copyLines(from, nowhere, nothingCopied, { keep: (line) => seen.push(line.length) > 0 }, true);
  const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
  concat.mockRestore();
  expect(seen).toEqual([length]);
  // Once to look at it, and once to write it.
  expect(copied).toBe(2 * length);
});
