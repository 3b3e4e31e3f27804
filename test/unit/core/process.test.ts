import { expect, test } from "vitest";
import { compareProcesses, isSameProcess, wordOf } from "../../../src/core/process.ts";
import type { ProcessIdentity } from "../../../src/core/process.ts";

const ticks = (over: Partial<ProcessIdentity> = {}): ProcessIdentity => ({
  pid: 41,
  start: { kind: "ticks", ticks: "7" },
  bootId: "b1",
  host: "h1",
  pidNamespace: "n1",
  ...over,
});
const utc = (atMs: number): ProcessIdentity => ({ pid: 41, start: { kind: "utc", atMs }, host: "mac" });
const bare: ProcessIdentity = { pid: 41, start: { kind: "ticks", ticks: "7" } };

test.each<[string, ProcessIdentity, ProcessIdentity, string]>([
  ["all that is known agrees", ticks(), ticks(), "same"],
  ["one of them knows less", ticks(), bare, "same"],
  ["another pid", ticks(), ticks({ pid: 42 }), "different"],
  ["the same pid that began at another tick", ticks(), ticks({ start: { kind: "ticks", ticks: "8" } }), "different"],
  ["the same pid and tick after another boot", ticks(), ticks({ bootId: "b2" }), "different"],
  ["another name of the host in the same boot", ticks(), ticks({ host: "h2" }), "same"],
  ["another name of the host in the same boot, and another pid", ticks(), ticks({ host: "h2", pid: 42 }), "different"],
  ["another name of the host in the same boot, and another pid namespace", ticks(), ticks({ host: "h2", pidNamespace: "n2" }), "unknown"],
  ["another host and another boot", ticks(), ticks({ host: "h2", bootId: "b2" }), "unknown"],
  ["another host, of whatever boot", ticks(), { ...bare, host: "h2" }, "unknown"],
  ["another host, of whatever boot, with another pid", ticks(), { ...bare, host: "h2", pid: 42 }, "unknown"],
  ["another pid namespace", ticks(), ticks({ pidNamespace: "n2" }), "unknown"],
  ["another pid namespace and another boot", ticks(), ticks({ pidNamespace: "n2", bootId: "b2" }), "unknown"],
  ["ticks and a time", bare, { pid: 41, start: { kind: "utc", atMs: 7 } }, "unknown"],
  ["ticks and a time, of other pids", bare, { pid: 42, start: { kind: "utc", atMs: 7 } }, "different"],
  ["times 2 s apart", utc(10_000), utc(12_000), "same"],
  ["times more than 2 s apart", utc(10_000), utc(12_001), "different"],
])("%s", (_what, a, b, expected) => {
  expect(compareProcesses(a, b)).toBe(expected);
  expect(compareProcesses(b, a)).toBe(expected);
});

test("what can't be compared is not the same, and neither is what is not told", () => {
  expect(isSameProcess(ticks(), ticks({ pidNamespace: "n2" }))).toBe(false);
  expect(isSameProcess(undefined, undefined)).toBe(false);
  expect(isSameProcess(ticks(), bare)).toBe(true);
});

test("the word of a process is other when its pid is reused", () => {
  expect(wordOf(ticks())).toBe("41-7");
  expect(wordOf(ticks({ start: { kind: "ticks", ticks: "8" } }))).toBe("41-8");
  expect(wordOf(utc(10_000))).toBe("41-10000");
});
