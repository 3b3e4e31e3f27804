import { appendFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openOpenedLog } from "../../../../src/sources/opencode/openedLog.ts";
import type { OpenedLog } from "../../../../src/sources/opencode/openedLog.ts";
import { aFolder } from "../../../support/folder.ts";

const began = Date.parse("2026-11-30T08:37:37.400Z");
let path: string;
let log: OpenedLog;

let folder: Awaited<ReturnType<typeof aFolder>>;

beforeEach(async () => {
  folder = await aFolder();
  path = join(folder.path, "opencode.log");
  log = openOpenedLog(path);
  await write(line(1_300, "first", "message=loading path=/config.json"));
});

afterEach(() => folder[Symbol.asyncDispose]());

function line(afterMs: number, run: string, words: string): string {
  return `timestamp=${new Date(began + afterMs).toISOString()} level=INFO run=${run} ${words}\n`;
}
const write = (text: string): Promise<void> => appendFile(path, text);
const opens = (run: string, told: string, afterMs = 20_000): Promise<void> => write(line(afterMs, run, `message="creating instance" directory=${told}`));
const openedBy = async (startedAt = began, ...others: readonly number[]): Promise<readonly string[] | undefined> => {
  const { directories, areOurs } = await log.openedBy(startedAt, others);
  return areOurs ? [...directories] : undefined;
};
const eitherOpened = async (): Promise<readonly string[]> => [...(await log.openedBy(began, [])).directories];

test("what was opened is told, and what was closed since is not", async () => {
  await opens("first", "/own");
  await opens("first", "/app");
  expect(await openedBy()).toEqual(["/own", "/app"]);
  await write(line(30_000, "first", 'message="disposing instance" directory=/app'));
  expect(await openedBy()).toEqual(["/own"]);
});

test("names with spaces, quotes and other scripts are told as they are", async () => {
  await opens("first", '"/w/ö b"');
  await opens("first", '"/w/q\\"u=o\\\\te"');
  expect(await openedBy()).toEqual(["/w/ö b", '/w/q"u=o\\te']);
});

test("a line that is still being written waits for its end, wherever it is cut", async () => {
  const whole = Buffer.from(line(20_000, "first", 'message="creating instance" directory="/w/ö b"'));
  for (const [from, to] of [
    [0, whole.indexOf("ö") + 1],
    [whole.indexOf("ö") + 1, whole.length],
  ] as const) {
    await appendFile(path, whole.subarray(from, to));
    await openedBy();
  }
  expect(await openedBy()).toEqual(["/w/ö b"]);
});

test("a run of another time is not this process's", async () => {
  await opens("first", "/own");
  expect(await openedBy(began - 3_600_000)).toBeUndefined();
  expect(await openedBy(began + 5_000)).toBeUndefined();
});

test("of two processes that began together none is told what a run has opened: the other may write no log at all", async () => {
  await opens("first", "/own");
  expect(await openedBy(began, began - 4_000)).toBeUndefined();
  expect(await openedBy(began, began - 60_000)).toEqual(["/own"]);
});

test("of two runs that began together neither is a process's own", async () => {
  await write(line(1_500, "second", "message=loading path=/config.json"));
  await opens("first", "/own");
  await opens("second", "/other");
  expect(await openedBy()).toBeUndefined();
  expect(await eitherOpened()).toEqual(["/own", "/other"]);
});

test("words that a session or a folder puts into a line open nothing", async () => {
  await write(line(20_000, "first", 'message="a title: message=\\"creating instance\\" directory=/evil"'));
  await write('title run=first message="creating instance" directory=/evil\n');
  expect(await openedBy()).toEqual([]);
});

test("a log that was put aside for a new one is read from its start", async () => {
  await opens("first", "/own");
  expect(await openedBy()).toEqual(["/own"]);
  await rename(path, `${path}.1`);
  await writeFile(path, line(40_000, "third", "message=loading"));
  expect(await openedBy()).toBeUndefined();
});

test("without a log nothing is told", async () => {
  log = openOpenedLog(join(folder.path, "none.log"));
  expect(await openedBy()).toBeUndefined();
});
