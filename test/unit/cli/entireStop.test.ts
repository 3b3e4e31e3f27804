import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProcess } from "../../../scripts/ownProcesses.ts";
import { identityOf, startChild, startDeaf } from "../../support/children.ts";
import { keyIn, ownerOf, readBack, stateFolderOf } from "../../support/entire.ts";
import { until } from "../../support/stage.ts";
import type { Listed } from "../../support/stage.ts";
import { anExitedOwner, openTrackedStage, statesIn } from "../../support/trackedStage.ts";
import type { TrackedStage } from "../../support/trackedStage.ts";

/** A stand-in with a conversation, whose state Entire keeps with it as its owner. */
async function trackedIn(stage: TrackedStage, where: "pane" | "plain", over: Readonly<Record<string, unknown>> = {}) {
  const options = { subject: "tracked" };
  const { pid } = where === "pane" ? await stage.startInPane("tracked", "claude", options) : await stage.startPlain("claude", options);
  const listed = await until(async () => (await stage.list()).find((session) => session.pid === pid && session.conversation_id !== null));
  const id = listed.conversation_id ?? "";
  const path = stage.put(id, { owner: ownerOf(identityOf(listed.pid ?? 0)), files_touched: ["a.ts"], ...over });
  return { listed, id, path, key: keyIn(stage.app, id) };
}

const rowsOf = async (stage: TrackedStage, { pid }: Listed): Promise<readonly Listed[]> =>
  (await stage.list()).filter((session) => session.pid === pid || session.records.some(({ key }) => key.startsWith("entire:")));

test.each([
  ["pane", "its row's"],
  ["plain", "the state's"],
] as const)("an agent in a %s that a state names as its owner is one row, and stopped by %s key: process first, then the book", async (where, whose) => {
  await using stage = await openTrackedStage();
  const { listed, id, path, key } = await trackedIn(stage, where);
  const [row, ...others] = await rowsOf(stage, listed);
  expect([row?.pid, row?.status, row?.conversation_id, others]).toEqual([listed.pid, "idle", id, []]);
  expect(row?.records.map((record) => record.key)).toContain(key);

  const began = Date.now();
  const answer = await stage.warden(["stop", whose === "its row's" ? (row?.key ?? "") : key, "--yes", "--json"]);
  expect([answer.code, answer.json().status, answer.json().termination_method, answer.json().verification_result]).toEqual([
    0,
    "success",
    "graceful",
    "session_terminated",
  ]);
  expect(findProcess(listed.pid ?? 0)).toBeUndefined();
  expect(answer.json().steps.map(({ step, verified }) => [step, verified])).toEqual([
    ["capture", true],
    ["ask", true],
  ]);
  expect(answer.json().records).toContainEqual({ record: key, change: "stopped", outcome: "recorded" });
  expect(answer.json().warnings).toEqual([expect.stringMatching(/^1 file not yet in a checkpoint: .* at the next commit/)]);
  const state = readBack(path);
  expect(state).toMatchObject({ phase: "ended", files_touched: ["a.ts"] });
  expect(state).not.toHaveProperty("fully_condensed");
  expect(Date.parse(String(state["ended_at"]))).toBeGreaterThanOrEqual(began);
  expect((await rowsOf(stage, listed)).map(({ status, pid }) => [status, pid])).toEqual([["stopped", null]]);
  expect(stage.calls()).toEqual([]);
});

test.each([
  ["locked by the program", "busy"],
  ["of a kind that can't be changed exactly", "failed"],
])("where its state is %s the process has ended, the state is as it was, and the receipt is partial", async (how, outcome) => {
  await using stage = await openTrackedStage();
  // tmux may take its time to collect what has ended in a pane, and as long as it has not, the owner is not gone.
  const { listed, id, path, key } = await trackedIn(stage, "plain");
  if (outcome === "busy") await stage.peer("hold", id);
  else writeFileSync(path, readFileSync(path, "utf8").replace('"phase"', '"Phase": "active",\n  "phase"'));
  const standing = readFileSync(path, "utf8");
  const answer = await stage.warden(["stop", key, "--yes", "--json"]);
  expect([how, answer.code, answer.json().status, findProcess(listed.pid ?? 0)]).toEqual([how, 1, "partial", undefined]);
  expect(answer.json().records).toContainEqual({ record: key, change: "stopped", outcome });
  expect(answer.json().message).toContain(key);
  expect(readFileSync(path, "utf8")).toBe(standing);
  // Its book has not heard of it, and can be told later.
  expect((await rowsOf(stage, listed)).map(({ status }) => status)).toEqual(["exited"]);
});

test.each(["stop", "terminate"])("an owner that is no agent is never signalled by %s: refused, and named", async (verb) => {
  await using stage = await openTrackedStage();
  const editor = await startDeaf();
  stage.put("a", { owner: ownerOf(editor.identity, { name: "code" }) });
  const before = statesIn(stage.app);
  const answer = await stage.warden([verb, keyIn(stage.app, "a"), "--yes", "--json"]);
  expect([answer.code, answer.json().status, answer.json().reason]).toEqual([1, "refused", "stillAlive"]);
  expect(answer.json().message).toContain(`its owner code (${editor.pid}) lives`);
  expect([editor.said(), findProcess(editor.pid) !== undefined, statesIn(stage.app)]).toEqual(["ready\n", true, before]);
});

test("an agent of another kind than the state tells is not this session's: it is refused, and goes on", async () => {
  await using stage = await openTrackedStage();
  const listed = await stage.startInPane("codex", "codex", { subject: "another's" });
  stage.put("a", { owner: ownerOf(identityOf(listed.pid ?? 0)) });
  const answer = await stage.warden(["terminate", keyIn(stage.app, "a"), "--yes"]);
  expect([answer.code, findProcess(listed.pid ?? 0) !== undefined]).toEqual([1, true]);
  expect(readBack(join(stateFolderOf(stage.app), "a.json"))["phase"]).toBe("active");
});

test("two states of one living process close neither, and it is not ended by either's word", async () => {
  await using stage = await openTrackedStage();
  const child = await startChild(["sleep", "600"]);
  for (const id of ["a", "b"]) stage.put(id, { owner: ownerOf(child.identity) });
  for (const id of ["a", "b"]) expect((await stage.warden(["terminate", keyIn(stage.app, id), "--yes"])).code).toBe(1);
  expect([findProcess(child.pid) !== undefined, await stage.statuses()]).toEqual([true, ["a open", "b open"]]);
});

test("after /clear one process has an ended state and an open one: the open one is its own, and alone is told of the end", async () => {
  await using stage = await openTrackedStage();
  const { listed, id, path, key } = await trackedIn(stage, "pane");
  const past = stage.put("6f1c2f0e-7a51-4c0e-9d5b-1b7a8a0f4c11", {
    owner: ownerOf(identityOf(listed.pid ?? 0)),
    phase: "ended",
    ended_at: "2026-09-20T08:41:55Z",
  });
  const before = readFileSync(past, "utf8");
  expect((await rowsOf(stage, listed)).map(({ status, pid, conversation_id }) => [status, pid, conversation_id])).toEqual([
    ["idle", listed.pid, id],
    ["stopped", null, "6f1c2f0e-7a51-4c0e-9d5b-1b7a8a0f4c11"],
  ]);
  expect((await stage.warden(["stop", key, "--yes"])).code).toBe(0);
  expect([readBack(path)["phase"], readFileSync(past, "utf8")]).toEqual(["ended", before]);
});

test("a session whose owner is gone and whose conversation goes on elsewhere is no exited one, and is not finalized", async () => {
  await using stage = await openTrackedStage();
  const { listed, path, key } = await trackedIn(stage, "pane", { owner: await anExitedOwner() });
  expect((await rowsOf(stage, listed)).map(({ status, pid }) => [status, pid])).toEqual([["idle", listed.pid]]);
  const before = readFileSync(path, "utf8");
  const swept = await stage.warden(["finalize", "--json"]);
  const one = await stage.warden(["finalize", key, "--json"]);
  expect([swept.code, swept.stdout, one.code, one.json().reason, readFileSync(path, "utf8")]).toEqual([0, "[]", 1, "stillAlive", before]);
  expect((await stage.warden(["stop", key, "--yes"])).code).toBe(0);
  expect(readBack(path)["phase"]).toBe("ended");
});
