import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import { eraseAll, residueOf } from "../aHome.ts";
import { aDataHome, id, names, other, plan, putOpencode } from "./aDataHome.ts";

test("what only its tools ran goes out of the log before its rows do", async () => {
  const place = await aDataHome();
  putOpencode(place);
  const ran = (run: string, pattern: string): string => `run=${run} message=evaluated permission=bash pattern=${pattern} action.action=allow\n`;
  const command = String.raw`"echo \"SECRET command\""`;
  const own = [`run=1 id=${id}\n`, ran("1", '"SECRET of a run of its own"'), `run=2 id=${id}\n`, ran("2", command)];
  const others = [ran("1", "*"), `run=2 id=${other}\n`, ran("2", "other-command"), `run=3 id=${other}\n`, ran("3", command)];
  const log = place.put(".local/share/opencode/log/opencode.log", [...own, ...others].join(""));
  const kept = await plan(place);
  expect(names(kept).slice(2)).toEqual([
    "what its tools ran, in OpenCode's log: opencode.log",
    "its rows in OpenCode's database: opencode.db",
    "its lines in OpenCode's log: opencode.log",
  ]);
  expect(kept.leftAlone.filter(({ path }) => path === log)).toEqual([]);
  await eraseAll(kept);
  expect([await residueOf(kept), readFileSync(log, "utf8")]).toEqual([[], others.join("")]);
});

test.each(['"ls -l"', '"nobody knows"'])("what another session may have run as well stays in the log, and is told: %s", async (pattern) => {
  const place = await aDataHome();
  putOpencode(place);
  const shared = `run=1 permission=bash pattern=${pattern} action=allow\n`;
  const log = place.put(".local/share/opencode/log/opencode.log", `run=1 id=${id}\nrun=1 id=${other}\n${shared}`);
  const kept = await plan(place);
  expect(kept.leftAlone.filter(({ path }) => path === log)).toMatchObject([{ why: expect.stringContaining("another may have run the same"), holds: "text" }]);
  await eraseAll(kept);
  expect(readFileSync(log, "utf8")).toBe(`run=1 id=${other}\n${shared}`);
});

test("a log that a program keeps open stays, and is told", async () => {
  const place = await aDataHome();
  const log = place.put(".local/share/opencode/log/opencode.log", `a ${id}\n`);
  const holder = await startChild(["sh", "-c", `exec 9>>'${log}'; echo open; exec sleep 60`]);
  await until(() => holder.said().includes("open"));
  const kept = await plan(place);
  expect(names(kept).filter((name) => name.includes("log"))).toEqual([]);
  expect(kept.leftAlone).toContainEqual(expect.objectContaining({ path: log, why: expect.stringContaining("keeps it open"), holds: "text" }));
});
