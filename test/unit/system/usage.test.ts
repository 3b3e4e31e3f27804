import { expect, test } from "vitest";
import { parseUsage, usageOf } from "../../../src/system/usage.ts";
import { until } from "../../real/support/until.ts";
import { allProcesses, findProcess } from "../../real/support/processes.ts";
import { identityOf, startChild } from "../../support/children.ts";
import { anEntry } from "../../support/facets.ts";

const { signal } = new AbortController();

test("what works and has much is told from what sleeps, the sum of a tree from one, and what is gone takes nothing", async () => {
  const busy = await startChild([process.execPath, "-e", 'globalThis.kept = Buffer.alloc(64e6, 1); console.log("ready"); for (;;);']);
  const idle = await startChild(["sleep", "60"]);
  const gone = await startChild(["true"]);
  await gone.ended;
  await until(() => busy.said().includes("ready"));
  const [a, b, c] = [busy, idle, gone].map(({ identity }) => anEntry(identity, { startedAt: Date.now() - 1_000 })) as [never, never, never];
  const [ofBusy, ofIdle, ofBoth, ofGone] = await usageOf([[a], [b], [a, b], [c]], signal);
  expect(ofBusy?.memoryBytes).toBeGreaterThan(64e6);
  expect(ofIdle?.memoryBytes).toBeLessThan(16e6);
  expect(ofBusy?.cpuNow).toBeGreaterThan(0.2);
  expect(ofIdle?.cpuNow).toBe(0);
  expect(ofBoth?.memoryBytes).toBeGreaterThan((ofBusy?.memoryBytes ?? 0) + 50_000);
  expect(ofGone).toMatchObject({ memoryBytes: 0, cpuNow: 0 });
});

test("a loop takes what its short-lived children take, and a child that ends does not count twice", async () => {
  const work = "const end = Date.now() + 80; while (Date.now() < end);";
  const loop = await startChild(["sh", "-c", `echo ready; while :; do ${process.execPath} -e '${work}'; done`]);
  await until(() => loop.said().includes("ready"));
  const entry = anEntry(loop.identity, { startedAt: Date.now() - 1_000 });
  await until(async () => ((await usageOf([[entry]], signal))[0]?.cpuNow ?? 0) > 0.2);
  const [usage] = await usageOf([[entry]], signal);
  expect(usage?.cpuLife).toBeGreaterThan(0.1);

  const parent = await startChild([
    "sh",
    "-c",
    `${process.execPath} -e 'console.log("ready"); const end = Date.now() + 1_000; while (Date.now() < end);'; exec sleep 60`,
  ]);
  await until(() => parent.said().includes("ready"));
  const child = allProcesses().find(({ ppid }) => ppid === parent.pid);
  const tree = [anEntry(parent.identity), anEntry(identityOf(child?.pid ?? 0))];
  let most = 0;
  await until(async () => {
    most = Math.max(most, (await usageOf([tree], signal))[0]?.cpuNow ?? 0);
    return findProcess(child?.pid ?? 0) === undefined;
  });
  expect(most).toBeLessThan(1.3);
});

test("ps on macOS", () => {
  expect(parseUsage("  501   2048   0:01.50\n 7 1 1:02:03.00\nnonsense\n")).toEqual([
    { pid: 501, memoryBytes: 2_097_152, cpuMs: 1_500 },
    { pid: 7, memoryBytes: 1_024, cpuMs: 3_723_000 },
  ]);
});
