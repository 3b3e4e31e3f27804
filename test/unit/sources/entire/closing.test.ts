import { chmodSync, existsSync, lstatSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startChild } from "../../../support/children.ts";
import { aState, goText, ownerOf, readBack, stateFolderOf, stoppedNow, tell, writeState } from "../../../support/entire.ts";
import { aPlace, gone, lastSeen } from "../../../support/entirePlace.ts";

test("what the record meant is compared under the lock: another owner, none, or the same one", async () => {
  await using place = await aPlace();
  const record = await place.look();
  writeState(place.app, aState("a", { owner: ownerOf({ pid: gone.pid, start: { kind: "ticks", ticks: "2" } }) }));
  const before = readFileSync(place.path, "utf8");
  expect(await tell(place.source, record)).toMatchObject({ kind: "changedMeanwhile", fresh: { process: { start: { ticks: "2" } } } });
  expect(await tell(place.source, record, stoppedNow())).toMatchObject({ kind: "changedMeanwhile" });
  writeState(place.app, aState("a"));
  expect(await tell(place.source, record)).toMatchObject({ kind: "changedMeanwhile" });
  rmSync(place.path);
  expect(await tell(place.source, record)).toEqual({ kind: "changedMeanwhile", fresh: undefined });

  writeFileSync(place.path, before);
  // The same words in a new file, and a new look.
  expect(await tell(place.source, await place.look())).toEqual({ kind: "recorded" });
});

test("exited is told only of an owner that is gone: not of none, and of no living one", async () => {
  await using place = await aPlace({ owner: undefined });
  const before = readFileSync(place.path, "utf8");
  expect(await tell(place.source, await place.look())).toEqual({ kind: "failed", reason: "its owner is not known to be gone" });
  expect(readFileSync(place.path, "utf8")).toBe(before);
  const child = await startChild(["sleep", "600"]);
  writeState(place.app, aState("a", { owner: ownerOf(child.identity) }));
  const record = await place.look();
  expect(record.liveness.value).toBe("alive");
  expect(await tell(place.source, record)).toEqual({ kind: "failed", reason: "its owner is not known to be gone" });
  // It is stopped, and that is another matter.
  expect(await tell(place.source, record, stoppedNow())).toEqual({ kind: "recorded" });
});

test("a guard's no leaves all as it is, and it is asked of what is there now", async () => {
  await using place = await aPlace();
  const record = await place.look();
  writeState(place.app, aState("a", { owner: readBack(place.path)["owner"], phase: "idle" }));
  const before = readFileSync(place.path, "utf8");
  const asked: string[] = [];
  const outcome = await tell(place.source, record, stoppedNow(), ({ key, says, process }) => {
    asked.push(`${key} ${says.seen} ${process?.pid}`);
    return false;
  });
  expect(outcome).toMatchObject({ kind: "changedMeanwhile", fresh: { says: { seen: "phase idle" } } });
  expect(asked).toEqual([`${record.key} phase idle ${gone.pid}`]);
  expect(readFileSync(place.path, "utf8")).toBe(before);
});

test.each([
  ["moved", { adopted_into_worktree_path: "/home/dev/other" }, "it was moved to another place"],
  ["imported", { kind: "imported" }, "it is imported, and read only"],
])("one that was %s since is not touched", async (_, over, reason) => {
  await using place = await aPlace();
  const record = await place.look();
  writeState(place.app, { ...readBack(place.path), ...over });
  const before = readFileSync(place.path, "utf8");
  expect(await tell(place.source, record, stoppedNow())).toEqual({ kind: "failed", reason });
  expect(readFileSync(place.path, "utf8")).toBe(before);
});

test.each([
  ["cut off", (text: string) => text.slice(0, -20)],
  ["another session's", (text: string) => text.replace('"a"', '"b"')],
  ["told twice in one key", (text: string) => text.replace('"phase"', '"Phase": "idle",\n  "phase"')],
  ["nested too deep", (text: string) => text.replace('"phase"', `"deep": ${"[".repeat(200_000)}${"]".repeat(200_000)},\n  "phase"`)],
])("a state file that is %s by now is whole afterwards, or as it was", async (how, spoil) => {
  await using place = await aPlace();
  const record = await place.look();
  const before = spoil(readFileSync(place.path, "utf8"));
  writeFileSync(place.path, before);
  const outcome = await tell(place.source, record, stoppedNow());
  if (outcome.kind === "recorded") expect([how, readFileSync(place.path, "utf8").length > before.length]).toEqual(["nested too deep", true]);
  else expect([outcome.kind, readFileSync(place.path, "utf8") === before]).toEqual(["failed", true]);
});

test("what a program without the lock writes or deletes in between stays as it left it", async () => {
  await using place = await aPlace();
  const written = goText(aState("a", { turn_id: "another" }));
  const writing = await tell(place.source, await place.look(), stoppedNow(), () => {
    writeFileSync(place.path, written);
    return true;
  });
  expect([writing, readFileSync(place.path, "utf8")]).toEqual([{ kind: "changedMeanwhile", fresh: undefined }, written]);
  const deleting = await tell(place.source, await place.look(), stoppedNow(), () => {
    rmSync(place.path);
    return true;
  });
  expect([deleting, readdirSync(stateFolderOf(place.app))]).toEqual([{ kind: "changedMeanwhile", fresh: undefined }, []]);
});

test("ended already is ended, and is not written again", async () => {
  await using place = await aPlace();
  const record = await place.look();
  expect(await tell(place.source, record)).toEqual({ kind: "recorded" });
  const before = statSync(place.path, { bigint: true });
  expect(await tell(place.source, record)).toEqual({ kind: "alreadySo" });
  expect(await tell(place.source, await place.look(), stoppedNow())).toEqual({ kind: "alreadySo" });
  expect(statSync(place.path, { bigint: true }).ino).toBe(before.ino);
});

test("the file and the lock are as the program makes them, and nothing else is left", async () => {
  await using place = await aPlace({ files_touched: ["a & b.ts"], of_a_version_to_come: "<" });
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const record = await place.look();
  const before = readFileSync(place.path, "utf8");
  expect(before).toContain("a \\u0026 b.ts");
  chmodSync(place.path, 0o644);
  expect(await tell(place.source, record)).toEqual({ kind: "recorded" });
  const after = readFileSync(place.path, "utf8");
  expect(after).toBe(
    before
      .replace('"phase": "active"', '"phase": "ended"')
      .replace(`"last_interaction_time": "${lastSeen}"`, `"last_interaction_time": "${String(readBack(place.path)["last_interaction_time"])}"`)
      .replace(/\n\}\n$/, `,\n  "ended_at": "${lastSeen}"\n}\n`),
  );
  const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);
  const locks = join(place.app, ".git/entire-session-locks");
  expect([place.path, locks, join(locks, "a.lock")].map(modeOf)).toEqual(["600", "750", "600"]);
  expect([readdirSync(stateFolderOf(place.app)), readdirSync(locks), statSync(join(locks, "a.lock")).size]).toEqual([["a.json"], ["a.lock"], 0]);
});

test("a state of a week ago with pending work is read and closed by us alone, and still there", async () => {
  await using place = await aPlace({ last_interaction_time: "2020-01-01T00:00:00Z", files_touched: ["a.ts"] });
  utimesSync(place.path, 1, 1);
  const record = await place.look();
  expect(record.pending).toBe("1 file not yet in a checkpoint");
  expect(await tell(place.source, record)).toEqual({ kind: "recorded" });
  expect([existsSync(place.path), readBack(place.path)["ended_at"]]).toEqual([true, "2020-01-01T00:00:00Z"]);
});

test.each([
  [{ kind: "idCaptured", conversation: { agent: "claude", id: "a", toldBy: "agent" } }, "alreadySo"],
  [{ kind: "idCaptured", conversation: { agent: "claude", id: "b", toldBy: "agent" } }, "unsupported"],
  [{ kind: "archived" }, "unsupported"],
  [{ kind: "forgotten" }, "unsupported"],
  [{ kind: "renamed", to: "x" }, "unsupported"],
  [{ kind: "purged", at: 0, conversation: { agent: "claude", id: "a", toldBy: "agent" } }, "unsupported"],
] as const)("%j is %s, and nothing is written", async (change, kind) => {
  await using place = await aPlace();
  const before = readFileSync(place.path, "utf8");
  expect(await tell(place.source, await place.look(), change)).toEqual({ kind });
  expect([readFileSync(place.path, "utf8"), existsSync(join(place.app, ".git/entire-session-locks"))]).toEqual([before, false]);
});
