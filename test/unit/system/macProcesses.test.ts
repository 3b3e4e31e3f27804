import { readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { livenessOf } from "../../../src/core/census.ts";
import type { Census } from "../../../src/core/census.ts";
import { openMacProcesses, parsePs, parseStarted } from "../../../src/system/macProcesses.ts";
import { aFolder } from "../../support/folder.ts";

// No Mac was at hand: these are written after ps(1) of macOS 14 and 15, and have not been captured from one.
const fixtures = join(import.meta.dirname, "../../fixtures/macos");
const sample = (name: string): Promise<string> => readFile(join(fixtures, `${name}.written-after-the-manual-not-captured.txt`), "utf8");
const [table, commands] = await Promise.all([sample("ps-table"), sample("ps-args")]);

const rows = new Map(parsePs(table, commands, "mac").map((row) => [row.identity.pid, row]));

test("every row that can be read is told", () => {
  expect([...rows.keys()]).toEqual([1, 88, 412, 655, 702, 731, 801, 812, 4121, 4122, 4130, 4140, 4150, 4160, 4170]);
});

test("a process is told by pid and start, in whole seconds of UTC, and by its host", () => {
  expect(rows.get(4121)?.identity).toEqual({ pid: 4121, start: { kind: "utc", atMs: Date.UTC(2026, 11, 1, 10, 15, 59) }, host: "mac" });
  expect(rows.get(4121)?.startedAt).toBe(Date.UTC(2026, 11, 1, 10, 15, 59));
});

test("its parent, group, user and terminal are told", () => {
  expect(rows.get(4122)).toMatchObject({ parentPid: 4121, groupId: 4121, uid: 501, tty: "ttys005" });
  expect(rows.get(655)?.tty).toBeUndefined();
});

test("a path with spaces and brackets is one executable, and what follows it are its words", () => {
  const plugin = "/Applications/Visual Studio Code.app/Contents/Frameworks/Code Helper (Plugin).app/Contents/MacOS/Code Helper (Plugin)";
  expect(rows.get(702)).toMatchObject({ executable: plugin, argv: [plugin, "--type=utility", "--lang=en-GB"] });
  expect(rows.get(4160)?.argv).toEqual(["/Users/someone/my tools/claude", "--resume", "36ec9b97-6f5b-46e0-b414-f8407ce00a5d"]);
});

test("what was started by its name alone has its words too", () => {
  expect(rows.get(4121)).toMatchObject({ executable: "node", argv: ["node", "/opt/homebrew/bin/gemini", "--model", "pro"] });
});

test.each([
  [4121, "running"],
  [4130, "stopped"],
  [4140, "zombie"],
  [4160, "running"],
])("process %i is %s", (pid, state) => {
  expect(rows.get(pid)?.state).toBe(state);
});

test.each([
  [731, true],
  [4121, true],
  [812, false],
  [4130, false],
  [655, false],
])("process %i owns its terminal's keyboard: %s", (pid, isForeground) => {
  expect(rows.get(pid)?.isForeground).toBe(isForeground);
});

test("an executable with spaces and without words is one word, also where its line of words is missing", () => {
  const code = "/Applications/Visual Studio Code.app/Contents/MacOS/Electron";
  expect(rows.get(655)?.argv).toEqual([code]);
  expect(parsePs(table, "", "mac").find(({ identity }) => identity.pid === 655)?.argv).toEqual([code]);
});

test("of a row whose start can't be read only the pid is known: its process is unknown, and never dead", () => {
  const row = rows.get(4170);
  expect(row).toMatchObject({ identity: { pid: 4170, start: { kind: "untold" } }, argv: [], uid: -1 });
  const census: Census = {
    at: 0,
    here: { host: "mac", bootId: undefined, pidNamespace: undefined },
    panes: [],
    unreachable: [],
    processes: new Map(row && [[4170, { ...row, program: undefined }]]),
  };
  expect(livenessOf({ pid: 4170, start: { kind: "utc", atMs: 0 }, host: "mac" }, census)).toBe("unknown");
});

test.each([
  ["Mon Nov 30 02:01:35 2026", Date.UTC(2026, 10, 30, 2, 1, 35)],
  ["Tue Dec  1 09:03:05 2026", Date.UTC(2026, 11, 1, 9, 3, 5)],
  ["Thu Feb 29 00:00:00 2024", Date.UTC(2024, 1, 29)],
])("%s is a time", (text, atMs) => {
  expect(parseStarted(text)).toBe(atMs);
});

test.each([
  undefined,
  "",
  "gibberish",
  "Mo 30 Nov 02:01:35 2026",
  "30.11.2026 02:01:35",
  "Mon Nov 30 02:01:35",
  "Mon Foo 30 02:01:35 2026",
  "2026-11-30T02:01:35Z",
])("%s is no time", (text) => {
  expect(parseStarted(text)).toBeUndefined();
});

/** Programs of these names, in front of all others on PATH, that say what they are told to; each notes how it was called. */
async function withPrograms(programs: Readonly<Record<string, string>>): Promise<() => Promise<readonly string[]>> {
  const folder = await aFolder();
  const calls = join(folder.path, "calls");
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(folder.path, name), `#!/bin/sh\necho "TZ=$TZ LC_ALL=$LC_ALL ${name} $*" >> '${calls}'\n${script}\n`, { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = folder.path + delimiter + before;
  onTestFinished(() => {
    process.env["PATH"] = before;
    return folder[Symbol.asyncDispose]();
  });
  return async () => (await readFile(calls, "utf8")).trim().split("\n").sort();
}
const { signal } = new AbortController();
const says = `case "$*" in *lstart*) cat '${join(fixtures, "ps-table.written-after-the-manual-not-captured.txt")}';; *) cat '${join(fixtures, "ps-args.written-after-the-manual-not-captured.txt")}';; esac`;

test("all processes are two questions, in UTC and without anybody's language", async () => {
  const calls = await withPrograms({ ps: says });
  const all = await (await openMacProcesses()).readAll(signal);
  expect(all.get(655)?.program).toMatchObject({ file: "/Applications/Visual Studio Code.app/Contents/MacOS/Electron", isScript: false });
  expect(await calls()).toEqual([
    "TZ=UTC LC_ALL=C ps -ax -ww -o pid=,args=",
    "TZ=UTC LC_ALL=C ps -ax -ww -o pid=,ppid=,pgid=,tpgid=,uid=,tty=,stat=,lstart=,comm=",
  ]);
});

test("one process is asked for by its pid", async () => {
  const calls = await withPrograms({ ps: says });
  expect((await (await openMacProcesses()).read(4121))?.identity.pid).toBe(4121);
  expect((await calls())[0]).toBe("TZ=UTC LC_ALL=C ps -p 4121 -ww -o pid=,args=");
});

test("a ps that is not there is no empty table", async () => {
  const before = process.env["PATH"];
  process.env["PATH"] = "/nowhere";
  onTestFinished(() => void (process.env["PATH"] = before));
  await expect((await openMacProcesses()).readAll(signal)).rejects.toThrow("ps gave no answer");
});

test("a table of which nothing can be read is no empty table either", async () => {
  await withPrograms({ ps: "echo 'ps: illegal option'; exit 1" });
  await expect((await openMacProcesses()).readAll(signal)).rejects.toThrow("ps ended with 1");
});

test.each(["lstart", "args"])("a table that ps left off in the middle is no table (%s)", async (question) => {
  await withPrograms({ ps: `${says}\ncase "$*" in *${question}*) echo 'ps: sysctl: Cannot allocate memory' >&2; exit 1;; esac` });
  const mac = await openMacProcesses();
  await expect(mac.readAll(signal)).rejects.toThrow("ps said: ps: sysctl: Cannot allocate memory");
  await expect(mac.read(4121)).rejects.toThrow("ps said");
});

test("a pid that nobody has is nobody: ps then says nothing, and ends with 1", async () => {
  await withPrograms({ ps: "exit 1" });
  const mac = await openMacProcesses();
  expect(await mac.read(4121)).toBeUndefined();
  expect(await mac.readThese([4121, 4122])).toEqual(new Map());
});

test("the folder of a process is what lsof says, spaces and all", async () => {
  await withPrograms({ lsof: "printf 'p4121\\nfcwd\\nn/Users/someone/my app\\n'" });
  const mac = await openMacProcesses();
  expect(await mac.cwdOf({ pid: 4121, start: { kind: "utc", atMs: 0 } })).toBe("/Users/someone/my app");
});

test("a folder that nobody tells is not known", async () => {
  await withPrograms({ lsof: "exit 1" });
  const mac = await openMacProcesses();
  expect(await mac.cwdOf({ pid: 4121, start: { kind: "utc", atMs: 0 } })).toBeUndefined();
});
