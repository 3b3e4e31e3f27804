import { expect, test } from "vitest";
import { merge } from "../../../../src/core/merge.ts";
import { aState, claudeWho } from "../../../support/entire.ts";
import { aRun, anAgent, now, talk } from "../../../support/facets.ts";
import { living, owner, readState, readStates } from "../../../support/entireReading.ts";

test("a living owner is the session's own process where its agent is recognised there, and the run is one session with it", async () => {
  const record = await readState({ owner });
  expect(record).toMatchObject({ process: { pid: 41 }, liveness: { value: "alive", seen: "its owner claude (41) lives" } });
  const run = aRun({ host: { kind: "process", process: living.identity }, conversation: talk("a") });
  expect(merge([run, record], now).map(({ records }) => records.length)).toEqual([1]);
});

test.each([
  ["an editor", [], owner],
  ["an agent's daemon", [claudeWho(() => true, "daemon")], { ...owner, name: "claude" }],
  ["another agent", [anAgent({ id: "codex", name: "Codex", recognise: () => ({ role: "agent", runsIn: "terminal" }) }), anAgent({ idPattern: /./ })], owner],
] as const)("an owner that is %s is no session's process, though it lives", async (_, agents, told) => {
  const record = await readState({ owner: told }, { agents });
  expect(record.process).toBeUndefined();
  expect(record.liveness).toMatchObject({ value: "alive", seen: `its owner ${told.name} (41) lives` });
});

test("two open sessions of one owner: neither names it, and it lives for both", async () => {
  const records = await readStates([aState("a", { owner }), aState("b", { owner, phase: "idle" })]);
  expect(records.map(({ process, liveness }) => [process, liveness.value])).toEqual([
    [undefined, "alive"],
    [undefined, "alive"],
  ]);
});

test("after /clear the process is the open session's, and the closed one's book stands", async () => {
  const records = await readStates([aState("a", { owner, phase: "ended" }), aState("b", { owner })]);
  expect(records.map(({ process, liveness }) => [process?.pid, liveness.value, liveness.seen])).toEqual([
    [undefined, "unseen", "its book is closed"],
    [41, "alive", "its owner claude (41) lives"],
  ]);
});

test("a sign of a session that was moved claims neither its process nor its conversation", async () => {
  const [moved, here] = await readStates([aState("a", { owner, adopted_into_worktree_path: "/home/dev/other" }), aState("b", { owner })]);
  expect(moved).toMatchObject({ says: { value: "archived" }, liveness: { value: "unseen" } });
  expect([moved?.process, moved?.conversation]).toEqual([undefined, undefined]);
  expect(here?.process?.pid).toBe(41);
});
