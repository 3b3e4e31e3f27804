import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startChild } from "../../support/children.ts";
import { keyIn, ownerOf, readBack, stateFolderOf } from "../../support/entire.ts";
import { anExitedOwner, contentOf, idIn, openTrackedStage, receiptsIn, statesIn } from "../../support/trackedStage.ts";

test("finalize closes those whose agent has exited and no other, with a receipt for each, and names what is pending", async () => {
  await using stage = await openTrackedStage();
  const owner = await anExitedOwner();
  const living = await startChild(["sleep", "600"]);
  stage.put("plain", { owner, of_a_version_to_come: 12345 });
  stage.put("pending", { owner: await anExitedOwner(), phase: "idle", files_touched: ["a.ts"], task_records: [{}] });
  stage.put("lives", { owner: ownerOf(living.identity) });
  stage.put("quiet");
  stage.put("over", { phase: "ended", ended_at: "2026-09-20T08:41:55Z", owner });
  const before = statesIn(stage.app);

  const answer = await stage.warden(["finalize", "--json"]);
  expect([answer.code, answer.stderr]).toEqual([0, ""]);
  const receipts = receiptsIn(answer).toSorted((a, b) => (a.session_id < b.session_id ? -1 : 1));
  expect(
    receipts.map(({ status, records, warnings }) => [status, records.map(({ record, change, outcome }) => `${idIn(record)} ${change} ${outcome}`), warnings]),
  ).toEqual([
    ["success", ["pending exited recorded"], [expect.stringMatching(/^1 file, 1 task not yet in a checkpoint: .* at the next commit/)]],
    ["success", ["plain exited recorded"], []],
  ]);
  const after = statesIn(stage.app);
  expect(Object.keys(after).filter((id) => after[id] !== before[id])).toEqual(["pending", "plain"]);
  const stateOf = (id: string): Record<string, unknown> => readBack(join(stateFolderOf(stage.app), `${id}.json`));
  expect(stateOf("plain")).toMatchObject({ phase: "ended", ended_at: "2026-09-20T08:41:55.902113004Z", fully_condensed: true, of_a_version_to_come: 12345 });
  expect(stateOf("pending")).toMatchObject({ phase: "ended", files_touched: ["a.ts"], task_records: [{}] });
  expect(stateOf("pending")).not.toHaveProperty("fully_condensed");
  expect(await stage.statuses()).toEqual(["lives open", "over stopped", "pending stopped", "plain stopped", "quiet stuck"]);

  for (const [args, said] of [
    [["finalize"], "No session that Entire tracks here has exited."],
    [["finalize", "--json"], "[]"],
    [["finalize", "--dry-run"], "No session that Entire tracks here has exited."],
  ] as const) {
    const again = await stage.warden(args);
    expect([again.code, again.stdout, again.stderr]).toEqual([0, said, ""]);
  }
  expect(statesIn(stage.app)).toEqual(after);
  expect(stage.calls()).toEqual([]);
});

test("finalize of one leaves the others, by its key or its id, and refuses what is not known to have exited", async () => {
  await using stage = await openTrackedStage();
  const two = "6f1c2f0e-7a51-4c0e-9d5b-1b7a8a0f4c11";
  for (const id of ["one", two, "three", "four"]) stage.put(id, { owner: await anExitedOwner() });
  stage.put("quiet");
  const living = await startChild(["sleep", "600"]);
  stage.put("lives", { owner: ownerOf(living.identity) });
  const byKey = await stage.warden(["finalize", keyIn(stage.app, "one"), "--json"]);
  expect([byKey.code, byKey.json().status, byKey.json().records.map(({ outcome }) => outcome)]).toEqual([0, "success", ["recorded"]]);
  for (const id of [two, "three"]) {
    const byId = await stage.warden(["finalize", "--session", id]);
    expect([byId.code, byId.stdout]).toEqual([0, `“prompt of ${id}” is recorded as stopped.`]);
  }
  for (const [id, reason] of [
    ["quiet", "livenessUnknown"],
    ["lives", "stillAlive"],
  ] as const) {
    const refused = await stage.warden(["finalize", keyIn(stage.app, id), "--json"]);
    expect([refused.code, refused.json().status, refused.json().reason]).toEqual([1, "refused", reason]);
  }
  expect((await stage.warden(["finalize", "nobody"])).code).toBe(1);
  expect(await stage.statuses()).toEqual([`${two} stopped`, "four exited", "lives open", "one stopped", "quiet stuck", "three stopped"]);
});

test("a dry run of one is not to be had, and changes nothing", async () => {
  await using stage = await openTrackedStage();
  stage.put("a", { owner: await anExitedOwner() });
  const before = contentOf(join(stage.app, ".git"));
  for (const how of [[keyIn(stage.app, "a")], ["--session", keyIn(stage.app, "a")], [keyIn(stage.app, "a"), "--json"]]) {
    const { code, stdout } = await stage.warden(["finalize", "--dry-run", ...how]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(contentOf(join(stage.app, ".git"))).toEqual(before);
  }
});

test("from elsewhere --repo says which repository, and no other is touched", async () => {
  await using here = await openTrackedStage();
  await using there = await openTrackedStage();
  const owner = await anExitedOwner();
  for (const stage of [here, there]) stage.put("a", { owner });
  const before = statesIn(here.app);
  const answer = await here.warden(["finalize", "--repo", there.app, "--json"]);
  expect([answer.code, receiptsIn(answer).map(({ session_id }) => session_id)]).toEqual([0, [keyIn(there.app, "a")]]);
  expect([statesIn(here.app), await there.statuses()]).toEqual([before, ["a stopped"]]);
});

test("a repository that only the settings name is listed, and not swept with this one", async () => {
  await using here = await openTrackedStage();
  await using there = await openTrackedStage();
  here.put("a", { owner: await anExitedOwner() });
  there.put("b", { owner: await anExitedOwner() });
  mkdirSync(here.stateFolder, { recursive: true });
  writeFileSync(join(here.stateFolder, "settings.json"), JSON.stringify({ "entire.repositories": [there.app] }));
  expect(await here.statuses()).toEqual(["a exited", "b exited"]);
  const before = statesIn(there.app);
  const answer = await here.warden(["finalize", "--json"]);
  expect([receiptsIn(answer).map(({ session_id }) => session_id), statesIn(there.app)]).toEqual([[keyIn(here.app, "a")], before]);
});

test("a folder that is none, or in no repository, is not taken for one where nothing has exited", async () => {
  await using stage = await openTrackedStage();
  for (const folder of [join(stage.folder, "no such folder"), stage.home]) {
    const answer = await stage.warden(["finalize", "--repo", folder]);
    expect([answer.code, answer.stdout, answer.stderr.split("\n")[0]]).toEqual([2, "", `${folder} is in no repository that git knows. Nothing was done.`]);
  }
});

test("one whose lock somebody has is busy and is left as it was; the others are done, and the end is 1", async () => {
  await using stage = await openTrackedStage();
  for (const id of ["a", "c"]) stage.put(id, { owner: await anExitedOwner() });
  stage.put("b", { owner: await anExitedOwner(), files_touched: ["a.ts"] });
  const before = statesIn(stage.app);
  await stage.peer("hold", "b");
  const answer = await stage.warden(["finalize"]);
  const lines = answer.stdout.split("\n");
  const ofB = lines.filter((line) => line.includes("of b”"));
  expect([answer.code, lines.filter((line) => !ofB.includes(line))]).toEqual([
    1,
    ["“prompt of a” is recorded as stopped.", "“prompt of c” is recorded as stopped."],
  ]);
  // Nothing of it was closed, and it says so.
  expect(ofB).toEqual(["Somebody else is at work on “prompt of b”. Try again in a moment."]);
  const one = await stage.warden(["finalize", keyIn(stage.app, "b"), "--json"]);
  expect([one.code, one.json().status, one.json().reason]).toEqual([1, "refused", "busy"]);
  expect(statesIn(stage.app)["b"]).toBe(before["b"]);
  expect(await stage.statuses()).toEqual(["a stopped", "b exited", "c stopped"]);
});

test("a state that can't be changed exactly stays as it is, and is not called recorded", async () => {
  await using stage = await openTrackedStage();
  stage.put("a", { owner: await anExitedOwner(), Phase: "active" });
  const before = statesIn(stage.app);
  const answer = await stage.warden(["finalize"]);
  expect([answer.code, statesIn(stage.app)]).toEqual([1, before]);
  expect(answer.stdout).toContain("its state file can't be changed exactly, and is left alone");
  expect(answer.stdout).not.toContain("is recorded as stopped");
});

test("one that is taken up again between the list and the lock is left alone", async () => {
  await using stage = await openTrackedStage();
  stage.put("a", { owner: await anExitedOwner(), files_touched: ["a.ts"] });
  const agent = await startChild(["sleep", "600"]);
  const peer = await stage.peer("revive", "a");
  const finalizing = stage.warden(["finalize", "--json"]);
  await stage.untilWaitsFor("a");
  peer.process.stdin?.write(`${JSON.stringify(ownerOf(agent.identity))}\n`);
  const [receipt, ...more] = receiptsIn(await finalizing);
  expect(await peer.ended).toBe(0);
  expect([receipt?.records.map(({ outcome }) => outcome), more]).toEqual([["changedMeanwhile"], []]);
  // It lives: nothing claims its end.
  expect(receipt).toMatchObject({
    verification_result: "session_may_still_exist",
    warnings: [],
    message: expect.not.stringContaining("is recorded as stopped"),
  });
  const state = readBack(join(stateFolderOf(stage.app), "a.json"));
  expect(state).toMatchObject({ phase: "active", owner: { pid: agent.pid } });
  expect(state).not.toHaveProperty("ended_at");
  expect(await stage.statuses()).toEqual(["a open"]);
});
