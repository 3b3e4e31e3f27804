import { expect, test } from "vitest";
import type { ProcessIdentity } from "../../../src/core/process.ts";
import { openLinuxProcesses } from "../../../src/system/linuxProcesses.ts";
import { machineOf } from "../../../src/system/machine.ts";
import { startChild, startDeaf } from "../../support/children.ts";
import { until } from "../../real/support/until.ts";

const table = await openLinuxProcesses();
const settings = { tmuxProgram: "tmux", tmuxSockets: [] };
const machine = machineOf(table, settings);
const never = new AbortController().signal;

const strangers: readonly [string, (identity: ProcessIdentity) => ProcessIdentity][] = [
  ["the process that had its pid before", (identity) => ({ ...identity, start: { kind: "ticks", ticks: "1" } })],
  ["a process whose start is told in another way", (identity) => ({ ...identity, start: { kind: "utc", atMs: Date.now() } })],
  ["a process of an earlier boot", (identity) => ({ ...identity, bootId: "4b1c0e6e-0000-4000-8000-000000000000" })],
  ["a process of another host", (identity) => ({ ...identity, host: "another-host", bootId: "4b1c0e6e-0000-4000-8000-000000000000" })],
  ["a process of another pid namespace", (identity) => ({ ...identity, pidNamespace: "pid:[1]" })],
];

test.each(strangers)("%s is never signalled", async (_who, other) => {
  const child = await startDeaf();
  expect(await machine.signal(other(child.identity), "SIGTERM")).toBe(false);
  // What is heard first is what was sent to itself.
  expect(await machine.signal(child.identity, "SIGINT")).toBe(true);
  await until(() => child.said().includes("SIGINT"));
  expect(child.said()).toBe("ready\nSIGINT\n");
});

test("a process is signalled by its identity", async () => {
  const { identity, ended } = await startChild(["sleep", "60"]);
  expect(await machine.signal(identity, "SIGTERM")).toBe(true);
  expect(await ended).toBe("SIGTERM");
});

test("a process that has gone meanwhile is nobody to signal, and no fault", async () => {
  const { identity, process: child, ended } = await startChild(["sleep", "60"]);
  child.kill("SIGKILL");
  await ended;
  expect(await machine.signal(identity, "SIGTERM")).toBe(false);
});

test("a zombie is nobody to signal", async () => {
  const { pid } = await startChild(["sh", "-c", "true & exec sleep 60"]);
  const zombie = await until(async () => [...(await table.readAll(never)).values()].find(({ parentPid, state }) => parentPid === pid && state === "zombie"));
  expect(await machine.signal(zombie.identity, "SIGKILL")).toBe(false);
});

test("a suspended process hears the request, and goes", async () => {
  const { identity, process: child, pid, ended } = await startChild(["sleep", "60"]);
  child.kill("SIGSTOP");
  await until(async () => (await table.read(pid))?.state === "stopped");
  expect(await machine.signal(identity, "SIGTERM")).toBe(true);
  expect(await ended).toBe("SIGTERM");
});

test("the wait is over the moment the last of them has gone", async () => {
  const children = [await startChild(["sleep", "60"]), await startChild(["sleep", "60"])];
  const waiting = machine.exited(
    children.map(({ identity }) => identity),
    20_000,
    never,
  );
  for (const { process: child, ended } of children) {
    child.kill("SIGTERM");
    await ended;
  }
  const last = Date.now();
  expect(await waiting).toEqual([]);
  expect(Date.now() - last).toBeLessThan(2_000);
});

test("who is left at the deadline is named", async () => {
  const [stays, goes] = [await startDeaf(), await startChild(["sleep", "60"])];
  goes.process.kill("SIGTERM");
  expect(await machine.exited([stays.identity, goes.identity], 300, never)).toEqual([stays.identity]);
});

test("a cancelled wait ends at once", async () => {
  const { identity } = await startDeaf();
  const abort = new AbortController();
  const waiting = machine.exited([identity], 20_000, abort.signal);
  const begun = Date.now();
  abort.abort();
  await expect(waiting).rejects.toThrow();
  expect(Date.now() - begun).toBeLessThan(2_000);
});

test("nobody is waited for whose pid is somebody else's by now", async () => {
  const { identity } = await startDeaf();
  expect(await machine.exited([{ ...identity, start: { kind: "ticks", ticks: "1" } }], 20_000, never)).toEqual([]);
});

test("a zombie is not waited for", async () => {
  const { pid } = await startChild(["sh", "-c", "true & exec sleep 60"]);
  const zombie = await until(async () => [...(await table.readAll(never)).values()].find(({ parentPid, state }) => parentPid === pid && state === "zombie"));
  expect(await machine.exited([zombie.identity], 20_000, never)).toEqual([]);
});

test("a look that failed proves nobody gone", async () => {
  const { identity } = await startDeaf();
  const blind = machineOf({ ...table, readThese: () => Promise.reject(new Error("EMFILE: too many open files")) }, settings);
  expect(await blind.exited([identity], 100, never)).toEqual([identity]);
});

test("a look that failed once is made again until the deadline", async () => {
  const { identity, process: child, ended } = await startChild(["sleep", "60"]);
  child.kill("SIGKILL");
  await ended;
  let looks = 0;
  const shaky = machineOf({ ...table, readThese: (pids) => (++looks === 1 ? Promise.reject(new Error("EMFILE")) : table.readThese(pids)) }, settings);
  expect(await shaky.exited([identity], 20_000, never)).toEqual([]);
});

test("a process table that can't be read is a place without an answer, not an empty one", async () => {
  const blind = machineOf({ ...table, readAll: () => Promise.reject(new Error("ps gave no answer")) }, settings);
  const census = await blind.census(never);
  expect(census.processes).toBeUndefined();
  expect(census.unreachable).toContainEqual({ place: "process table", reason: "ps gave no answer" });
});

test("tmux servers that can't be looked for are a place without an answer, and take no process with them", async () => {
  const { identity } = await startChild(["sleep", "60"]);
  const tmux = (await table.read(identity.pid)) ?? expect.fail();
  const server = { ...tmux, program: { file: "/usr/bin/tmux", packageName: undefined, args: [], isScript: false } };
  const readAll = async () => new Map([[identity.pid, server]]);
  const blind = machineOf({ ...table, readAll, environmentOf: () => Promise.reject(new Error("EMFILE: too many open files")) }, settings);
  const census = await blind.census(never);
  expect(census.unreachable).toContainEqual({ place: "tmux", reason: "its servers could not be looked for (EMFILE: too many open files)" });
  expect(census.processes?.has(identity.pid)).toBe(true);
});

test("a look that never ends is a place without an answer after a while", async () => {
  const blind = machineOf({ ...table, readAll: () => new Promise(() => undefined) }, settings, 50);
  const census = await blind.census(never);
  expect(census.processes).toBeUndefined();
  expect(census.unreachable).toContainEqual({ place: "process table", reason: "no answer within 50 ms" });
});

test("a cancelled look is no place without an answer", async () => {
  const abort = new AbortController();
  abort.abort(new Error("not wanted any more"));
  const blind = machineOf({ ...table, readAll: () => Promise.reject(new Error("ps gave no answer")) }, settings);
  await expect(blind.census(abort.signal)).rejects.toThrow("not wanted any more");
});

test("a census tells where it was taken, when, and of whom", async () => {
  const before = Date.now();
  const { identity } = await startChild(["sleep", "60"]);
  const census = await machine.census(never);
  expect(census.here).toEqual(table.here);
  expect(census.at).toBeGreaterThanOrEqual(before);
  expect(census.processes?.get(identity.pid)?.identity).toMatchObject(identity);
});
