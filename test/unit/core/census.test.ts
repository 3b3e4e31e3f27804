import { expect, test } from "vitest";
import { ancestorsOf, canBeSeenFrom, descendantsOf, livenessOf } from "../../../src/core/census.ts";
import type { ProcessIdentity } from "../../../src/core/process.ts";
import { anEntry, censusOf, here } from "../../support/facets.ts";

const identity = (over: Partial<ProcessIdentity> = {}): ProcessIdentity => ({
  pid: 41,
  start: { kind: "ticks", ticks: "7" },
  host: here.host,
  bootId: "boot-1",
  pidNamespace: "pid:[4026531836]",
  ...over,
});
const living = censusOf(anEntry(identity()));

test.each<[string, ProcessIdentity, "alive" | "gone" | "unknown"]>([
  ["a process that is there", identity(), "alive"],
  ["a pid that nobody has", identity({ pid: 42 }), "gone"],
  ["a pid that somebody else has by now", identity({ start: { kind: "ticks", ticks: "6" } }), "gone"],
  ["a process of an earlier boot of this host", identity({ bootId: "boot-0" }), "gone"],
  ["a process of another host's boot", identity({ bootId: "boot-0", host: "laptop" }), "unknown"],
  ["a process of another boot, of whatever host", { pid: 41, start: { kind: "ticks", ticks: "7" }, bootId: "boot-0" }, "unknown"],
  ["a process of another host", { pid: 41, start: { kind: "ticks", ticks: "7" }, host: "laptop" }, "unknown"],
  ["a process of this boot, from before the host was renamed", identity({ host: "build-2" }), "alive"],
  ["a pid that nobody has, of this boot, from before the host was renamed", identity({ host: "build-2", pid: 42 }), "gone"],
  ["a process of another pid namespace", identity({ pidNamespace: "pid:[4026532999]" }), "unknown"],
  ["a process of another pid namespace whose pid nobody has here", identity({ pidNamespace: "pid:[4026532999]", pid: 42 }), "unknown"],
  ["a process whose start is told in another way", { pid: 41, start: { kind: "utc", atMs: 7 } }, "unknown"],
])("%s", (_what, process, expected) => {
  expect(livenessOf(process, living)).toBe(expected);
});

test("a zombie is gone", () => {
  expect(livenessOf(identity(), censusOf(anEntry(identity(), { state: "zombie" })))).toBe("gone");
});

test("a suspended process is alive", () => {
  expect(livenessOf(identity(), censusOf(anEntry(identity(), { state: "stopped" })))).toBe("alive");
});

test("where the process table could not be read, nothing is gone", () => {
  const blind = { ...living, processes: undefined };
  expect(livenessOf(identity(), blind)).toBe("unknown");
  expect(livenessOf(identity({ bootId: "boot-0" }), blind)).toBe("unknown");
});

test("what is seen from here shares our boot, or else our host, and our pid namespace, as far as they are known", () => {
  expect(canBeSeenFrom(here, identity())).toBe(true);
  expect(canBeSeenFrom(here, { pid: 1, start: { kind: "utc", atMs: 0 } })).toBe(true);
  expect(canBeSeenFrom(here, identity({ host: "laptop" }))).toBe(true);
  expect(canBeSeenFrom(here, identity({ host: "laptop", bootId: "boot-2" }))).toBe(false);
  expect(canBeSeenFrom(here, { pid: 1, start: { kind: "utc", atMs: 0 }, host: "laptop" })).toBe(false);
  expect(canBeSeenFrom(here, identity({ pidNamespace: "pid:[1]" }))).toBe(false);
});

const tree = censusOf(
  anEntry(identity({ pid: 1 }), { parentPid: 0 }),
  anEntry(identity({ pid: 10 })),
  anEntry(identity({ pid: 11 }), { parentPid: 10 }),
  anEntry(identity({ pid: 12 }), { parentPid: 11 }),
  anEntry(identity({ pid: 20 })),
);
const pids = (entries: readonly { readonly identity: ProcessIdentity }[]) => entries.map(({ identity }) => identity.pid);

test("above a process stand itself, its parent and so on", () => {
  expect(pids(ancestorsOf(12, tree))).toEqual([12, 11, 10, 1]);
});

test("below a process stand its children and theirs, and not itself", () => {
  const root = tree.processes?.get(10);
  expect(pids(descendantsOf(root ? [root] : [], tree))).toEqual([11, 12]);
});

test("parents in a circle, as reused pids may make them, end the walk", () => {
  const circle = censusOf(anEntry(identity({ pid: 10 }), { parentPid: 11 }), anEntry(identity({ pid: 11 }), { parentPid: 10 }));
  const root = circle.processes?.get(10);
  expect(pids(ancestorsOf(10, circle))).toEqual([10, 11]);
  expect(new Set(pids(descendantsOf(root ? [root] : [], circle)))).toEqual(new Set([10, 11]));
});
