import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ProcessEntry } from "../../../../src/core/census.ts";
import type { SessionRecord } from "../../../../src/core/facet.ts";
import { merge } from "../../../../src/core/merge.ts";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { aRepository, aState, claudeWho, keyIn, look, recordsIn, soon, stateFolderOf, writeState } from "../../../support/entire.ts";
import type { StateOf } from "../../../support/entire.ts";
import { aRun, anAgent, anEntry, censusOf, here, now, pid, talk } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";

const owner = { pid: 41, start: "7", boot: "boot-1", host: "build", name: "claude" };
const living = anEntry({ ...pid(41), host: "build", pidNamespace: here.pidNamespace ?? "" });
const claude = claudeWho(({ identity }) => identity.pid === 41);
const hour = 60 * 60 * 1000;

/** The records of these states, in the order of their ids. */
async function read(
  states: readonly StateOf[],
  { agents = [claude], entries = [living] }: { agents?: readonly ReturnType<typeof anAgent>[]; entries?: readonly ProcessEntry[] } = {},
): Promise<readonly SessionRecord[]> {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  for (const state of states) writeState(app, state);
  return await recordsIn(createEntireSource({ repositories: [app], agents }), censusOf(...entries));
}

async function readOne(over: StateOf, how?: Parameters<typeof read>[1]): Promise<SessionRecord> {
  const [record] = await read([aState("a", over)], how);
  if (!record) throw new Error("It is not listed.");
  return record;
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../../fixtures/entire/${name}.json`, import.meta.url));
}

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
  const { says } = await readOne(over);
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
  expect((await readOne(over)).pending).toBe(expected);
});

test("a living owner is the session's own process where its agent is recognised there, and the run is one session with it", async () => {
  const record = await readOne({ owner });
  expect(record).toMatchObject({ process: { pid: 41 }, liveness: { value: "alive", seen: "its owner claude (41) lives" } });
  const run = aRun({ host: { kind: "process", process: living.identity }, conversation: talk("a") });
  expect(merge([run, record], now).map(({ records }) => records.length)).toEqual([1]);
});

test.each([
  ["an editor", [], owner],
  ["an agent's daemon", [claudeWho(() => true, "daemon")], { ...owner, name: "claude" }],
  ["another agent", [anAgent({ id: "codex", name: "Codex", recognise: () => ({ role: "agent", runsIn: "terminal" }) }), anAgent({ idPattern: /./ })], owner],
] as const)("an owner that is %s is no session's process, though it lives", async (_, agents, told) => {
  const record = await readOne({ owner: told }, { agents });
  expect(record.process).toBeUndefined();
  expect(record.liveness).toMatchObject({ value: "alive", seen: `its owner ${told.name} (41) lives` });
});

test("two open sessions of one owner: neither names it, and it lives for both", async () => {
  const records = await read([aState("a", { owner }), aState("b", { owner, phase: "idle" })]);
  expect(records.map(({ process, liveness }) => [process, liveness.value])).toEqual([
    [undefined, "alive"],
    [undefined, "alive"],
  ]);
});

test("after /clear the process is the open session's, and the closed one's book stands", async () => {
  const records = await read([aState("a", { owner, phase: "ended" }), aState("b", { owner })]);
  expect(records.map(({ process, liveness }) => [process?.pid, liveness.value, liveness.seen])).toEqual([
    [undefined, "unseen", "its book is closed"],
    [41, "alive", "its owner claude (41) lives"],
  ]);
});

test("a sign of a session that was moved claims neither its process nor its conversation", async () => {
  const [moved, here] = await read([aState("a", { owner, adopted_into_worktree_path: "/home/dev/other" }), aState("b", { owner })]);
  expect(moved).toMatchObject({ says: { value: "archived" }, liveness: { value: "unseen" } });
  expect([moved?.process, moved?.conversation]).toEqual([undefined, undefined]);
  expect(here?.process?.pid).toBe(41);
});

test("a session in a turn whose owner can't be known is stuck after an hour without a word; one that waits for a prompt is not", async () => {
  const quiet = new Date(now - 2 * hour).toISOString();
  const statusOf = async (over: StateOf): Promise<string | undefined> => merge([await readOne(over)], now)[0]?.status.value;
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
  const record = await readOne({ started_at: time, last_interaction_time: time });
  expect([record.startedAt, record.lastInteractionAt]).toEqual([undefined, undefined]);
});

test("an agent that we don't know, an id that is not its own, and a prompt that is a file", async () => {
  expect(await readOne({ agent_type: "Cursor" })).not.toHaveProperty("agent");
  expect(await readOne({ agent_type: 3 })).not.toHaveProperty("agent");
  const strict = await readOne({}, { agents: [anAgent({ idPattern: /^never$/ })] });
  expect(strict).toMatchObject({ agent: "claude" });
  expect(strict).not.toHaveProperty("conversation");
  const { title } = await readOne({ last_prompt: `\n\r\n  \u0007fix\tit ${"x".repeat(100_000)}\nmore` });
  expect(title).toMatch(/^fix it x+…$/);
  expect(title).toHaveLength(200);
  expect(await readOne({ last_prompt: "\n \n" })).not.toHaveProperty("title");
  expect(await readOne({ last_prompt: undefined, first_prompt: "as it was told once" })).toMatchObject({ title: "as it was told once" });
});

test("a repository that Entire does not track is nothing", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  expect(await createEntireSource({ repositories: [app], agents: [] }).read(censusOf(), soon())).toEqual({ facets: [], unreachable: [], notices: [] });
});

test("a folder of states that is a link is told, and not followed; the other repository is read", async () => {
  await using folder = await aFolder();
  const [app, other] = [aRepository(join(folder.path, "app")), aRepository(join(folder.path, "other"))];
  writeState(app, aState("a"));
  writeState(other, aState("b"));
  renameSync(stateFolderOf(app), join(folder.path, "elsewhere"));
  symlinkSync(join(folder.path, "elsewhere"), stateFolderOf(app));
  const { facets, unreachable } = await createEntireSource({ repositories: [app, other], agents: [] }).read(censusOf(), soon());
  expect(facets.map(({ key }) => key)).toEqual([keyIn(other, "b")]);
  expect(unreachable).toEqual([{ place: join(app, ".git"), reason: "entire-sessions is a symbolic link" }]);
});

test("what is no state is counted in one notice, sidecars and temp files are not, and the rest is listed", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const path = writeState(app, aState("a"));
  const put = (name: string, text = "{}"): void => writeFileSync(join(stateFolderOf(app), name), text);
  for (const name of ["a.model", "a.agent", "a.banner", "a.json.0123456789abcdef.tmp"]) put(name);
  put("broken.json", "{");
  const source = createEntireSource({ repositories: [app], agents: [] });
  const words = async (): Promise<readonly string[]> => (await source.read(censusOf(), soon())).notices.map(({ sentence }) => sentence);
  expect(await words()).toEqual(["1 file of Entire in app/.git can't be read, and is left alone."]);
  symlinkSync(path, join(stateFolderOf(app), "link.json"));
  copyFileSync(path, join(stateFolderOf(app), "copy.json"));
  expect(await words()).toEqual(["3 files of Entire in app/.git can't be read, and are left alone."]);
  expect(await recordsIn(source, censusOf())).toHaveLength(1);
});

test("looked at again, it is as it is now, or not there, or can't be read", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  writeState(app, aState("a", { owner }));
  const source = createEntireSource({ repositories: [app], agents: [claude] });
  const record = await look(source, keyIn(app, "a"), app, censusOf(living));
  expect(record).toMatchObject({ says: { seen: "phase active" }, process: { pid: 41 } });
  writeState(app, aState("a", { owner, phase: "idle" }));
  expect(await look(source, record.key, app, censusOf())).toMatchObject({ says: { seen: "phase idle" }, liveness: { value: "gone" } });
  // Another that names the same process by now.
  writeState(app, aState("b", { owner }));
  expect(await look(source, record.key, app, censusOf(living))).not.toHaveProperty("process");

  const again = (): Promise<unknown> => source.lookAgain(record, censusOf(), soon());
  const path = writeState(app, aState("a"));
  writeFileSync(path, readFileSync(path, "utf8").slice(0, 100));
  expect(await again()).toEqual({ kind: "unreachable", reason: "its state file can't be read, and is left alone" });
  renameSync(path, `${path}.tmp`);
  expect(await again()).toEqual({ kind: "notThere" });
});

test("a file that may not be read is counted, where anything is forbidden to us", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  chmodSync(writeState(app, aState("a")), 0);
  const { facets, notices } = await createEntireSource({ repositories: [app], agents: [] }).read(censusOf(), soon());
  // To root nothing is.
  expect(facets.length + notices.length).toBe(1);
  expect(facets.length).toBe(process.getuid?.() === 0 ? 1 : 0);
});
