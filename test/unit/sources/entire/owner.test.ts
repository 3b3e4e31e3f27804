import { hostname } from "node:os";
import { expect, test } from "vitest";
import { livenessOfOwner, ownerOf as parseOwner } from "../../../../src/sources/entire/owner.ts";
import type { Census } from "../../../../src/core/census.ts";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import { boot, ownerOf, realCensus } from "../../../support/entire.ts";
import { anEntry, censusOf, here, pid } from "../../../support/facets.ts";
import { python } from "../../../support/python.ts";

const owner = { pid: 41, start: "7", boot: "boot-1", host: "build", name: "claude" };
const identity = { ...pid(41), host: "build", pidNamespace: here.pidNamespace ?? "" };
const there = censusOf(anEntry(identity));

function told(value: unknown, census: Census = there): string {
  const { value: liveness, seen } = livenessOfOwner(parseOwner(value), census);
  return `${liveness}: ${seen}`;
}

test.each([
  ["lives", owner, "alive: its owner claude (41) lives"],
  ["has no name", { ...owner, name: undefined }, "alive: its owner (41) lives"],
  ["is told without host and boot", { pid: 41, start: "7" }, "alive: its owner (41) lives"],
  ["is not there", { ...owner, pid: 42 }, "gone: its owner claude (42) is gone"],
  ["has a pid that is another's by now", { ...owner, start: "8" }, "gone: its owner claude (41) is gone"],
  ["was of an earlier boot", { ...owner, boot: "boot-0" }, "gone: its owner claude (41) went with an earlier boot"],
  ["is of another host", { ...owner, host: "laptop" }, "unknown: its owner claude (41) runs on laptop"],
  ["is of another host, also in this boot and not there", { ...owner, host: "laptop", pid: 42 }, "unknown: its owner claude (42) runs on laptop"],
  ["was told by the time of its boot", { ...owner, boot: "b1d3c0f2-4a35-4a5e-9a0e-0c6c7ad0e3aa" }, /^unknown: .* can't be compared$/],
  ["is pid 0", { ...owner, pid: 0 }, "unknown: its owner claude (0) is no process"],
  ["has a negative pid", { ...owner, pid: -1 }, "unknown: its owner claude (-1) is no process"],
  ["has a pid beyond all pids", { ...owner, pid: 4_294_967_337 }, "unknown: its owner claude (4294967337) is no process"],
  ["has a huge pid", { ...owner, pid: 1e300 }, "unknown: its owner can't be read"],
  ["has a broken pid", { ...owner, pid: 41.5 }, "unknown: its owner can't be read"],
  ["has a pid in words", { ...owner, pid: "41" }, "unknown: its owner can't be read"],
  ["has a start that is a number", { ...owner, start: 7 }, "unknown: its owner can't be read"],
  ["has a boot that is a number", { ...owner, boot: 1 }, "unknown: its owner can't be read"],
  ["is a list", [owner], "unknown: its owner can't be read"],
  ["has no start", { ...owner, start: "" }, /^unknown: .* without a start/],
  ["has no start and is not there", { ...owner, start: "", pid: 42 }, "gone: its owner claude (42) is gone"],
  ["has a start in words", { ...owner, start: "Tue" }, /^unknown: .* without a start/],
  ["has a start of another system", { ...owner, start: "1759000000.123456" }, /^unknown: .* can't be compared/],
  ["is null", null, "unknown: no owner is recorded"],
  ["is missing", undefined, "unknown: no owner is recorded"],
])("an owner that %s", (_, value, expected) => {
  if (typeof expected === "string") expect(told(value)).toBe(expected);
  else expect(told(value)).toMatch(expected);
});

test("its name is another's text: one line of it, and not long", () => {
  expect(told({ ...owner, name: `a\u0007\n\u202e b${"x".repeat(500)}` })).toMatch(/^alive: its owner a b?x* ?b?x{40,60} \(41\) lives$/);
});

test("without a process table nobody is known to be gone", () => {
  expect(told({ ...owner, pid: 42 }, { ...there, processes: undefined })).toBe("unknown: the process table can't be read");
});

test("a boot can't be compared where this one's is not known", () => {
  expect(told(owner, { ...there, here: { ...here, bootId: undefined } })).toMatch(/^unknown: /);
});

test("a process of another container that has the same start may be it under another number", () => {
  const elsewhere = anEntry({ ...pid(4_000), pidNamespace: "pid:[4026532999]" });
  expect(told({ ...owner, pid: 12 }, censusOf(elsewhere))).toBe("unknown: its owner claude (12) may run in another container");
  expect(told({ ...owner, pid: 12, start: "8" }, censusOf(elsewhere))).toBe("gone: its owner claude (12) is gone");
  expect(told({ ...owner, pid: 4_000 }, censusOf(elsewhere))).toBe("unknown: its owner claude (4000) runs in another container");
});

test("on macOS a start is compared by its seconds", () => {
  const mac = anEntry({ pid: 41, start: { kind: "utc", atMs: 1_759_000_000_000 }, host: "build" });
  const census = { ...censusOf(mac), here: { host: "build", bootId: undefined, pidNamespace: undefined } };
  const recorded = { pid: 41, start: "1759000000.987654", host: "build", name: "claude" };
  expect(told(recorded, census)).toBe("alive: its owner claude (41) lives");
  expect(told({ ...recorded, start: "1759000060.000000" }, census)).toBe("gone: its owner claude (41) is gone");
});

test("a real process lives, is a zombie that lives still, and is gone; its pid alone proves nothing", async () => {
  // A parent that does not collect its child before it is told to.
  const parent = await startChild([
    python,
    "-c",
    `import os, subprocess, sys
child = subprocess.Popen(["sleep", "600"]); print(child.pid, flush=True)
sys.stdin.readline(); child.kill(); os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT); print("ended", flush=True)
sys.stdin.readline(); child.wait(); print("collected", flush=True)
sys.stdin.readline()`,
  ]);
  const child = Number(await until(() => /^(\d+)\n/.exec(parent.said())?.[1]));
  const before = await realCensus();
  const entry = before.processes?.get(child);
  if (!entry) throw new Error("The child is not there.");
  const recorded = ownerOf(entry.identity, { name: "sleep" });
  expect(told(recorded, before)).toBe(`alive: its owner sleep (${child}) lives`);
  expect(told({ ...recorded, start: String(Number(recorded["start"]) - 1) }, before)).toBe(`gone: its owner sleep (${child}) is gone`);

  parent.process.stdin?.write("end it\n");
  await until(() => parent.said().includes("ended"));
  expect(told(recorded, await realCensus())).toBe(`alive: its owner sleep (${child}) has ended, and was not collected yet`);

  parent.process.stdin?.write("collect it\n");
  await until(() => parent.said().includes("collected"));
  expect(told(recorded, await realCensus())).toBe(`gone: its owner sleep (${child}) is gone`);
});

test("a process that we may not signal lives", async () => {
  const census = await realCensus();
  const first = census.processes?.get(1);
  if (!first) throw new Error("There is no process 1.");
  expect(told({ ...ownerOf(first.identity), host: hostname(), boot, name: "init" }, census)).toBe("alive: its owner init (1) lives");
});
