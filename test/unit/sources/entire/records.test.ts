import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { merge } from "../../../../src/core/merge.ts";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { aRepository, keyIn, recordsIn, stateFolderOf } from "../../../support/entire.ts";
import type { StateOf } from "../../../support/entire.ts";
import { anAgent, censusOf, now } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";
import { owner, readState } from "../../../support/entireReading.ts";

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../../fixtures/entire/${name}.json`, import.meta.url));
}

const hour = 60 * 60 * 1000;

test("two states as the program writes them", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  mkdirSync(stateFolderOf(app));
  const [active, ended] = ["6f1c2f0e-7a51-4c0e-9d5b-1b7a8a0f4c11", "019a3c77-5b2e-7f10-8c44-2f6f0b1f9d02"];
  copyFileSync(fixture("active"), join(stateFolderOf(app), `${active}.json`));
  copyFileSync(fixture("ended"), join(stateFolderOf(app), `${ended}.json`));
  const agents = [anAgent(), anAgent({ id: "codex", name: "Codex" })];
  const census = { ...censusOf(), here: { host: "dev-laptop", bootId: "b1d3c0f2-4a35-4a5e-9a0e-0c6c7ad0e3aa", pidNamespace: undefined } };
  const records = await recordsIn(createEntireSource({ repositories: [app], agents }), census);
  const boot = { bootId: "b1d3c0f2-4a35-4a5e-9a0e-0c6c7ad0e3aa", host: "dev-laptop" };
  expect(records).toEqual([
    {
      kind: "record",
      key: keyIn(app, ended),
      source: "entire",
      place: join(app, ".git"),
      liveness: { value: "gone", seen: "its owner codex (31007) is gone", at: now },
      says: { value: "ended", seen: "phase ended", at: Date.parse("2026-09-19T15:40:09.731Z") },
      process: { pid: 31_007, start: { kind: "ticks", ticks: "991235" }, ...boot },
      agent: "codex",
      conversation: { agent: "codex", id: ended, toldBy: "record" },
      title: "fix the flaky test",
      cwd: "/home/dev/app-wt/fix-1",
      startedAt: Date.parse("2026-09-19T15:02:11.500Z"),
      lastInteractionAt: Date.parse("2026-09-20T08:45:00.010Z"),
    },
    {
      kind: "record",
      key: keyIn(app, active),
      source: "entire",
      place: join(app, ".git"),
      liveness: { value: "gone", seen: "its owner claude (48213) is gone", at: now },
      says: { value: "active", seen: "phase active", at: now },
      process: { pid: 48_213, start: { kind: "ticks", ticks: "1834412" }, ...boot },
      agent: "claude",
      conversation: { agent: "claude", id: active, toldBy: "record" },
      title: "if a < b && c > d: add a rate limit",
      cwd: "/home/dev/app",
      startedAt: Date.parse("2026-09-20T08:14:03.118Z"),
      lastInteractionAt: Date.parse("2026-09-20T08:41:55.902Z"),
      pending: "2 files, 2 steps not yet in a checkpoint",
    },
  ]);
});

test.each([
  ["active", { phase: "active" }, "active: phase active"],
  ["active, as it was called once", { phase: "active_committed" }, "active: phase active"],
  ["idle", { phase: "idle" }, "active: phase idle"],
  ["a phase that nobody knows", { phase: "dreaming" }, "active: phase idle"],
  ["no phase", { phase: undefined }, "active: phase idle"],
  ["a phase that is a number", { phase: 3 }, "active: phase idle"],
  ["ended", { phase: "ended" }, "ended: phase ended"],
  ["an end, and another phase", { phase: "idle", ended_at: "2026-09-20T09:00:00Z" }, "ended: phase ended"],
  ["no end", { phase: "idle", ended_at: null }, "active: phase idle"],
  ["moved", { adopted_into_worktree_path: "/home/dev/other" }, "archived: moved to /home/dev/other"],
  ["moved somehow", { adopted_into_worktree_id: 7 }, "archived: moved to another worktree"],
  ["imported", { kind: "imported" }, "archived: imported, read only"],
  ["a review", { kind: "agent_review" }, "active: phase active"],
])("what the book says: %s", async (_, over, expected) => {
  const { says } = await readState(over);
  expect(`${says.value}: ${says.seen}`).toBe(expected);
});

test.each([
  [
    { files_touched: ["a", "b"], task_records: [{ completed_at: "0001-01-01T00:00:00Z" }], checkpoint_count: 3 },
    "2 files, 1 task, 3 steps not yet in a checkpoint",
  ],
  [{ files_touched: ["a"] }, "1 file not yet in a checkpoint"],
  [{ checkpoint_count: 3, fully_condensed: true }, undefined],
  [{ files_touched: [], task_records: null, checkpoint_count: 0 }, undefined],
  [{ files_touched: 7, task_records: "x", checkpoint_count: 1e300 }, undefined],
])("what is pending of %j", async (over, expected) => {
  expect((await readState(over)).pending).toBe(expected);
});

test("a session in a turn whose owner can't be known is stuck after an hour without a word; one that waits for a prompt is not", async () => {
  const quiet = new Date(now - 2 * hour).toISOString();
  const statusOf = async (over: StateOf): Promise<string | undefined> => merge([await readState(over)], now)[0]?.status.value;
  expect(await statusOf({ last_interaction_time: quiet })).toBe("stuck");
  expect(await statusOf({ last_interaction_time: undefined, started_at: quiet })).toBe("stuck");
  expect(await statusOf({ last_interaction_time: new Date(now).toISOString() })).toBe("unknown");
  expect(await statusOf({ phase: "idle", last_interaction_time: quiet })).toBe("unknown");
  expect(await statusOf({ last_interaction_time: quiet, owner: { ...owner, pid: 42 } })).toBe("exited");
});

test.each([
  ["the year 1", "0001-01-01T00:00:00Z"],
  ["before all times", "-000001-01-01T00:00:00Z"],
  ["before 1970", "1969-01-01T00:00:00Z"],
  ["no such month", "2026-13-01T00:00:00Z"],
  ["words", "yesterday"],
  ["a number", 1_796_000_000],
])("a time that is %s is none", async (_, time) => {
  const record = await readState({ started_at: time, last_interaction_time: time });
  expect([record.startedAt, record.lastInteractionAt]).toEqual([undefined, undefined]);
});

test("an agent that we don't know, an id that is not its own, and a prompt that is a file", async () => {
  expect(await readState({ agent_type: "Cursor" })).not.toHaveProperty("agent");
  expect(await readState({ agent_type: 3 })).not.toHaveProperty("agent");
  const strict = await readState({}, { agents: [anAgent({ idPattern: /^never$/ })] });
  expect(strict).toMatchObject({ agent: "claude" });
  expect(strict).not.toHaveProperty("conversation");
  const { title } = await readState({ last_prompt: `\n\r\n  \u0007fix\tit ${"x".repeat(100_000)}\nmore` });
  expect(title).toMatch(/^fix it x+…$/);
  expect(title).toHaveLength(200);
  expect(await readState({ last_prompt: "\n \n" })).not.toHaveProperty("title");
  expect(await readState({ last_prompt: undefined, first_prompt: "as it was told once" })).toMatchObject({ title: "as it was told once" });
});
