import { copyFile, mkdir, readFile, rmdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProcessEntry } from "../../../src/core/census.ts";
import { openLinuxProcesses, parseStat } from "../../../src/system/linuxProcesses.ts";
import { identityOf, startChild } from "../../support/children.ts";
import { aFolder } from "../../support/folder.ts";
import { aTmux } from "../../support/tmux.ts";
import { until } from "../../real/support/until.ts";

const { signal } = new AbortController();
const table = await openLinuxProcesses();

test("a process is told by pid and start, and by the boot, host and pid namespace that make the pid mean anything", async () => {
  const { pid } = await startChild(["sleep", "60"]);
  const bootId = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  expect((await table.read(pid))?.identity).toEqual({ ...identityOf(pid), host: hostname(), bootId, pidNamespace: table.here.pidNamespace });
  expect(table.here).toEqual({ host: hostname(), bootId, pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/) });
});

test("its parent, its folder, its words, its user and its environment are read", async () => {
  await using folder = await aFolder();
  const { pid } = await startChild(["sleep", "60"], { cwd: folder.path, env: { WARDEN_TEST: "a=b c" } });
  const entry = await until(async () => {
    const found = (await table.readAll(signal)).get(pid);
    return found?.argv[0] === "sleep" ? found : undefined;
  });
  expect(entry).toMatchObject({ parentPid: process.pid, argv: ["sleep", "60"], uid: process.getuid?.(), state: "running" });
  expect(entry.program).toMatchObject({ file: expect.stringMatching(/\/(sleep|coreutils|busybox)$/), args: ["60"], isScript: false });
  expect(await table.cwdOf(entry.identity)).toBe(folder.path);
  expect((await table.environmentOf(entry.identity)).get("WARDEN_TEST")).toBe("a=b c");
});

test("when it began is told in the clock of this machine", async () => {
  const before = Date.now();
  const { pid } = await startChild(["sleep", "60"]);
  const startedAt = (await table.read(pid))?.startedAt ?? 0;
  // The kernel tells the time of its boot in whole seconds, and ticks of 10 ms since.
  expect(Math.abs(startedAt - before)).toBeLessThan(3_000);
});

test("a name with spaces and brackets moves no field", async () => {
  await using folder = await aFolder();
  const program = join(folder.path, "a (b) c) 1 2");
  await copyFile("/bin/sleep", program);
  const { pid } = await startChild([program, "60"]);
  const entry = await until(async () => {
    const found = await table.read(pid);
    return found?.program?.file === program ? found : undefined;
  });
  expect(entry).toMatchObject({ identity: identityOf(pid), parentPid: process.pid, argv: [program, "60"] });
});

test("a program that executes another is read anew, though pid and start stay", async () => {
  const child = await startChild(["sh", "-c", "read line; exec sleep 60"]);
  const programIn = async (): Promise<ProcessEntry | undefined> => (await table.readAll(signal)).get(child.pid);
  const before = await until(async () => ((await programIn())?.argv[0] === "sh" ? programIn() : undefined));
  child.process.stdin?.write("\n");
  const after = await until(async () => ((await programIn())?.argv[0] === "sleep" ? programIn() : undefined));
  expect(after.identity).toEqual(before.identity);
  expect(after.program?.file).not.toBe(before.program?.file);
  expect(after.argv).toEqual(["sleep", "60"]);
});

test("a program that executes itself with other words is read anew", async () => {
  const child = await startChild(["sh", "-c", `read line; exec sh -c 'read line # again'`]);
  const argvOf = async (): Promise<readonly string[] | undefined> => (await table.readAll(signal)).get(child.pid)?.argv;
  await until(async () => (await argvOf())?.[2]?.startsWith("read line; exec"));
  child.process.stdin?.write("\n");
  await until(async () => (await argvOf())?.[2] === "read line # again");
});

test("what has ended and waits for its parent is a zombie", async () => {
  // The shell becomes a sleep, which waits for no child.
  const { pid } = await startChild(["sh", "-c", "true & exec sleep 60"]);
  await until(async () => [...(await table.readAll(signal)).values()].find(({ parentPid, state }) => parentPid === pid && state === "zombie"));
});

test("what is suspended is told to be stopped, and running when it goes on", async () => {
  const { pid, process: child } = await startChild(["sleep", "60"]);
  child.kill("SIGSTOP");
  await until(async () => (await table.read(pid))?.state === "stopped");
  child.kill("SIGCONT");
  await until(async () => (await table.read(pid))?.state === "running");
});

test("of the jobs of one terminal, one owns the keyboard", async () => {
  await using tmux = await aTmux();
  // With job control each job is a group of its own.
  const pid = Number(tmux.run("new-session", "-d", "-P", "-F", "#{pane_pid}", "bash", "-c", "set -m; sleep 61 & exec sleep 62"));
  const [foreground, background] = await until(async () => {
    const all = await table.readAll(signal);
    const [own, child] = [all.get(pid), [...all.values()].find(({ parentPid }) => parentPid === pid)];
    return own?.argv[0] === "sleep" && child?.argv[0] === "sleep" ? ([own, child] as const) : undefined;
  });
  expect([background.isForeground, foreground.isForeground]).toEqual([false, true]);
  expect(background.tty).toBe(foreground.tty);
  expect(background.sessionId).toBe(foreground.sessionId);
  expect(background.groupId).not.toBe(foreground.groupId);
});

test("what has no terminal owns no keyboard", async () => {
  const { pid } = await startChild(["sleep", "60"], { detached: true });
  expect(await table.read(pid)).toMatchObject({ tty: undefined, isForeground: false, sessionId: pid, groupId: pid });
});

test("a folder that was removed under it is still told", async () => {
  await using folder = await aFolder();
  const cwd = join(folder.path, "gone");
  await mkdir(cwd);
  const { identity } = await startChild(["sleep", "60"], { cwd });
  await rmdir(cwd);
  expect(await table.cwdOf(identity)).toBe(cwd);
});

test("a pid that nobody has is nobody", async () => {
  const { pid, process: child, ended } = await startChild(["sleep", "60"]);
  child.kill("SIGKILL");
  await ended;
  expect(await table.read(pid)).toBeUndefined();
  expect((await table.readAll(signal)).has(pid)).toBe(false);
  expect(await table.environmentOf(identityOf(pid))).toEqual(new Map());
  expect(await table.cwdOf(identityOf(pid))).toBeUndefined();
});

const stat = (name: string, state = "S") =>
  `4121 (${name}) ${state} 4000 4121 3999 34816 4121 4194304 1 0 0 0 3 1 0 0 20 0 11 0 8812345 7 8 9 ${Array.from({ length: 28 }, (_, at) => 100 + at).join(" ")}\n`;

test.each(["claude", "a b", ") S 1 (", "(", "\u00e4"])("the name %j moves no field", (name) => {
  expect(parseStat(stat(name))).toMatchObject({ parentPid: 4000, groupId: 4121, sessionId: 3999, tty: "34816", isForeground: true, startTicks: "8812345" });
});

test.each([
  ["R", "running"],
  ["S", "running"],
  ["D", "running"],
  ["I", "running"],
  ["T", "stopped"],
  ["t", "stopped"],
  ["Z", "zombie"],
  ["X", "zombie"],
])("state %s is %s", (letter, state) => {
  expect(parseStat(stat("x", letter))?.state).toBe(state);
});

test.each(["", "4121 (cla", "4121 (claude) S 1 2 3", "claude"])("%j is no line of it", (text) => {
  expect(parseStat(text)).toBeUndefined();
});
