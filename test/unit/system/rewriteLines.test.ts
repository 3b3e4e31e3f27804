import { appendFileSync, chmodSync, chownSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tryFileLock } from "../../../src/system/fileLock.ts";
import { rewriteLines } from "../../../src/system/rewriteLines.ts";
import { until } from "../../real/support/until.ts";
import { startChild } from "../../support/children.ts";
import type { Child } from "../../support/children.ts";
import { aFolder } from "../../support/folder.ts";
import { makePipe } from "./aPipe.ts";

const isRoot = process.getuid?.() === 0;
const isNot = (gone: string) => (line: string) => line !== gone;

async function aFile(
  bytes: string | Buffer,
): Promise<{ readonly path: string; readonly text: () => string; readonly names: () => string[] } & AsyncDisposable> {
  const folder = await aFolder();
  const path = join(folder.path, "lines");
  writeFileSync(path, bytes);
  return {
    path,
    text: () => readFileSync(path, "latin1"),
    names: () => readdirSync(folder.path),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test.each([
  ["its line end goes with a line", "a\nb\nc\n", "a\nc\n"],
  ["foreign line ends stay", "a\r\nb\r\nc\n\r\nd\r", "a\r\nc\n\r\nd\r"],
  ["no final newline stays none", "b\na\nc", "a\nc"],
  ["a last line without an end can go", "a\nb", "a\n"],
  ["blank lines stay", "\n\nb\n\n", "\n\n\n"],
  ["the only line goes", "b\n", ""],
  ["every one of several goes", "b\nb\na\nb\n", "a\n"],
  ["what is no text stays", "\xff\xfe\0\nb\n\xc3\n", "\xff\xfe\0\n\xc3\n"],
  ["a line longer than a chunk stays whole", `${"x".repeat(600_000)}\nb\n${"y".repeat(300_000)}`, `${"x".repeat(600_000)}\n${"y".repeat(300_000)}`],
])("%s", async (_fact, before, after) => {
  await using file = await aFile(Buffer.from(before, "latin1"));
  const removed = before.split(/\r?\n/).filter((line) => line === "b").length;
  expect(await rewriteLines(file.path, isNot("b"))).toEqual({ kind: "rewritten", removed, isQuiet: true });
  expect(file.text() === after).toBe(true);
  expect(file.names()).toEqual(["lines"]);
});

test("a file in which nothing goes is not written at all", async () => {
  await using file = await aFile("a\nc");
  const before = statSync(file.path, { bigint: true });
  expect(await rewriteLines(file.path, isNot("b"))).toEqual({ kind: "unchanged" });
  expect(statSync(file.path, { bigint: true })).toEqual({ ...before, atimeMs: expect.anything(), atimeNs: expect.anything() });
  expect(file.names()).toEqual(["lines"]);
});

test.each([0o600, 0o640, 0o664, 0o666])("a file keeps its mode, %o", async (mode) => {
  await using file = await aFile("a\nb\n");
  chmodSync(file.path, mode);
  if (isRoot) chownSync(file.path, 0, 12_345);
  const before = statSync(file.path);
  await rewriteLines(file.path, isNot("b"));
  expect(file.text()).toBe("a\n");
  const { mode: after, uid, gid } = statSync(file.path);
  expect({ mode: after & 0o7777, uid, gid }).toEqual({ mode, uid: before.uid, gid: before.gid });
});

test("a link, a folder and a pipe are refused, and what a link leads to is left as it is", async () => {
  await using file = await aFile("a\nb\n");
  const beside = (name: string): string => join(file.path, "..", name);
  symlinkSync(file.path, beside("link"));
  mkdirSync(beside("folder"));
  makePipe(beside("pipe"));
  expect(await rewriteLines(beside("link"), isNot("b"))).toEqual({ kind: "refused", reason: "it is a symbolic link" });
  for (const name of ["folder", "pipe"]) expect(await rewriteLines(beside(name), isNot("b"))).toEqual({ kind: "refused", reason: "it is not a file" });
  expect(await rewriteLines(beside("absent"), isNot("b"))).toEqual({ kind: "absent" });
  expect(file.text()).toBe("a\nb\n");
  expect(file.names().sort()).toEqual(["folder", "lines", "link", "pipe"]);
});

test.runIf(isRoot)("another user's file is refused", async () => {
  await using file = await aFile("a\nb\n");
  chownSync(file.path, 12_345, 12_345);
  expect(await rewriteLines(file.path, isNot("b"))).toEqual({ kind: "refused", reason: "it belongs to another user" });
  expect(file.text()).toBe("a\nb\n");
});

test("a file that another program holds locked is left as it is", async () => {
  await using file = await aFile("a\nb\n");
  await using lock = await tryFileLock(file.path);
  expect(lock).toBeDefined();
  expect(await rewriteLines(file.path, isNot("b"), { lockWithinMs: 100 })).toEqual({ kind: "busy" });
  expect(file.text()).toBe("a\nb\n");
});

test("two at once take out each their own line", async () => {
  await using file = await aFile("a\nb\nc\nd\n");
  const outcomes = await Promise.all([rewriteLines(file.path, isNot("b")), rewriteLines(file.path, isNot("c"))]);
  expect(outcomes).toEqual(Array.from({ length: 2 }, () => ({ kind: "rewritten", removed: 1, isQuiet: true })));
  expect(file.text()).toBe("a\nd\n");
  expect(file.names()).toEqual(["lines"]);
});

const lineCount = 40_000;
test.each([
  ["opens it for each", 1, 3],
  ["opens it now and then", 500, 3],
  ["opens it once", lineCount, 1],
])("40,000 lines of a program that %s are all kept, once and whole, while it is rewritten", async (_how, each, fewest) => {
  const gone = Array.from({ length: 200 }, (_, at) => `gone-${at}`);
  await using file = await aFile([...gone, "stays", ""].join("\n"));
  const writer = await startWriter(file.path, String(lineCount), String(each));
  let rewrites = 0;
  for (const line of gone) {
    const wasWriting = !writer.said().includes("ended");
    expect(await rewriteLines(file.path, isNot(line), { withinMs: 30_000 })).toEqual({ kind: "rewritten", removed: 1, isQuiet: true });
    if (wasWriting) rewrites++;
    else break;
  }
  expect(await writer.ended).toBe(0);
  const lines = file.text().split("\n");
  const [rest, own] = [lines.filter((line) => !/^\d+$/.test(line)), lines.filter((line) => /^\d+$/.test(line))];
  expect(rest).toEqual([...gone.slice(rewrites + 1), "stays", ""]);
  expect(own.length).toBe(lineCount);
  expect(new Set(own).size).toBe(lineCount);
  expect(new Set(own)).toEqual(new Set(Array.from({ length: lineCount }, (_, at) => String(at))));
  expect(rewrites).toBeGreaterThanOrEqual(fewest);
  expect(file.names()).toEqual(["lines"]);
});

test("who writes on into the file that was there before is not waited for without end, and that is told", async () => {
  await using file = await aFile("b\n");
  const writer = await startWriter(file.path, "100000000", "100000000");
  await until(() => file.text().length > 3);
  expect(await rewriteLines(file.path, isNot("b"), { withinMs: 200 })).toEqual({ kind: "rewritten", removed: 1, isQuiet: false });
  writer.process.kill("SIGKILL");
  expect(file.text()).toMatch(/^0\n(\d+\n)*$/);
});

test("who only holds the file open that was there before may write at any time, and that is told; a last line without an end is kept", async () => {
  await using file = await aFile("b\n");
  const writer = await startWriter(file.path, "1", "1000", "hold");
  await until(() => writer.said().includes("ended"));
  appendFileSync(file.path, "no end");
  expect(await rewriteLines(file.path, isNot("b"), { withinMs: 200 })).toEqual({ kind: "rewritten", removed: 1, isQuiet: false });
  expect(file.text()).toBe("0\nno end");
});

async function startWriter(...args: readonly string[]): Promise<Child> {
  const writer = await startChild([process.execPath, fileURLToPath(new URL("appendLines.ts", import.meta.url)), ...args]);
  await until(() => writer.said().includes("ready"));
  writer.process.stdin?.write("go\n");
  await until(() => writer.said().includes("begun"));
  return writer;
}

test.each([
  ["is written anew", (path: string, text: string) => writeFileSync(path, text)],
  [
    "gives way to another",
    (path: string, text: string) => {
      writeFileSync(`${path}.other`, text);
      renameSync(`${path}.other`, path);
    },
  ],
])("a file that %s while it is read is begun anew", async (_how, write) => {
  await using file = await aFile("a\nb\nc\n");
  let isFirst = true;
  const keep = (line: string): boolean => {
    if (isFirst) write(file.path, "b\nx\nb\ny\nz\n");
    isFirst = false;
    return line !== "b";
  };
  expect(await rewriteLines(file.path, keep)).toEqual({ kind: "rewritten", removed: 2, isQuiet: true });
  expect(file.text()).toBe("x\ny\nz\n");
  expect(file.names()).toEqual(["lines"]);
});
