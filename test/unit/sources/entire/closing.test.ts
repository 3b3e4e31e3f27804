import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { SessionRecord } from "../../../../src/core/facet.ts";
import { merge } from "../../../../src/core/merge.ts";
import { finalize, sweep } from "../../../../src/core/operations/finalize.ts";
import type { OperationContext } from "../../../../src/core/operations/operation.ts";
import type { Source } from "../../../../src/core/source.ts";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import type { Child } from "../../../support/children.ts";
import {
  aRepository,
  aState,
  claudeWho,
  goText,
  keyIn,
  look,
  ownerOf,
  readBack,
  realCensus,
  recordsIn,
  soon,
  stateFolderOf,
  stoppedNow,
  tell,
  writeState,
} from "../../../support/entire.ts";
import type { StateOf } from "../../../support/entire.ts";
import { aRecord } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";
import { python } from "../../../support/python.ts";
import { aWorld } from "../../../support/world.ts";

const claude = claudeWho(({ argv }) => argv[0] === "sleep");
const gone = { pid: process.pid, start: "1", name: "claude" };
const lastSeen = "2026-09-20T08:41:55.902113004Z";

interface Place {
  readonly app: string;
  readonly path: string;
  readonly source: Source;
  readonly look: (id?: string) => Promise<SessionRecord>;
}

/** A repository with one session, `a`, whose owner is gone. */
async function aPlace(over: StateOf = {}): Promise<Place & AsyncDisposable> {
  const folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const path = writeState(app, aState("a", { owner: ownerOf({ pid: gone.pid, start: { kind: "ticks", ticks: gone.start } }), ...over }));
  const source = createEntireSource({ repositories: [app], agents: [claude] });
  return {
    app,
    path,
    source,
    look: async (id = "a") => look(source, keyIn(app, id), app, await realCensus()),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function contextOf(source: Source): OperationContext {
  const { context, sources } = aWorld([aRecord("entire")]);
  sources.set("entire", source);
  return { ...context, takeCensus: realCensus, now: Date.now, signal: soon() };
}

test("in a sweep an exited owner's session is finalized, and one without an owner, with a living one or elsewhere is left alone", async () => {
  await using place = await aPlace();
  const { app, source } = place;
  const child = await startChild(["sleep", "600"]);
  const others = [aState("no-owner"), aState("living", { owner: ownerOf(child.identity) }), aState("elsewhere", { owner: { ...gone, host: "another" } })];
  const texts = others.map((state) => [writeState(app, state), goText(state)] as const);

  const records = await recordsIn(source, await realCensus());
  const receipts = await sweep(merge(records, Date.now()), contextOf(source));
  expect(receipts.map(({ result, records: lines }) => [result.kind, lines.map(({ record, outcome }) => `${record} ${outcome.kind}`)])).toEqual([
    ["success", [`${keyIn(app, "a")} recorded`]],
  ]);
  expect(readBack(place.path)).toMatchObject({ phase: "ended", ended_at: lastSeen, fully_condensed: true });
  for (const [path, text] of texts) expect(readFileSync(path, "utf8")).toBe(text);
  // As the program would list it then.
  expect((await place.look()).says).toMatchObject({ value: "ended" });
  expect(await finalize(merge([await place.look("no-owner")], Date.now())[0] ?? expect.fail(), contextOf(source))).toMatchObject({
    result: { kind: "refused", reason: "livenessUnknown" },
  });
});

test("a session that somebody takes up again between our look and the lock is left alone, also while we wait for that lock", async () => {
  await using place = await aPlace();
  const [session] = merge(await recordsIn(place.source, await realCensus()), Date.now());
  if (!session) expect.fail();
  expect(session.status.value).toBe("exited");
  const agent = await startChild(["sleep", "600"]);
  const peer = await aPeer("revive", place);
  const finalizing = finalize(session, contextOf(place.source));
  // It waits for the lock by now, its look being over.
  await until(() => openLocks(place.app) > 0);
  peer.process.stdin?.write(`${JSON.stringify(ownerOf(agent.identity))}\n`);
  const receipt = await finalizing;
  expect(await peer.ended).toBe(0);
  expect(receipt.records.map(({ outcome }) => outcome.kind)).toEqual(["changedMeanwhile"]);
  expect(readBack(place.path)).toMatchObject({ phase: "active", owner: { pid: agent.pid } });
  expect(readBack(place.path)).not.toHaveProperty("ended_at");
  expect(await place.look()).toMatchObject({ liveness: { value: "alive" }, process: { pid: agent.pid } });
});

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

test("held by another program: busy after two seconds, and nothing is written; when that is killed, it is done", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const before = readFileSync(place.path, "utf8");
  const peer = await aPeer("hold", place);
  const asked: unknown[] = [];
  const began = Date.now();
  expect(await tell(place.source, record, undefined, (fresh) => asked.push(fresh) > 0)).toEqual({ kind: "busy" });
  expect(Date.now() - began).toBeGreaterThan(1_500);
  expect([asked, readFileSync(place.path, "utf8")]).toEqual([[], before]);
  peer.process.kill("SIGKILL");
  await peer.ended;
  expect(await tell(place.source, record)).toEqual({ kind: "recorded" });
});

test("where the lock file is another by now, the lock is the one that whoever comes next will ask for", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const lock = join(place.app, ".git/entire-session-locks/a.lock");
  const former = await aPeer("hold", place);
  rmSync(lock);
  const present = await aPeer("hold", place);
  expect(await tell(place.source, record)).toEqual({ kind: "busy" });
  present.process.stdin?.end();
  await present.ended;
  // The former holds what nobody can find any more.
  expect(await tell(place.source, record)).toEqual({ kind: "recorded" });
  former.process.stdin?.end();
});

test.each(["entire-session-locks", "entire-sessions"])("%s that is a link is not followed, and nothing is written", async (name) => {
  await using place = await aPlace();
  const record = await place.look();
  const [folder, elsewhere] = [join(place.app, ".git", name), join(place.app, "elsewhere")];
  mkdirSync(elsewhere);
  rmSync(folder, { recursive: true, force: true });
  symlinkSync(elsewhere, folder);
  expect(await tell(place.source, record)).toEqual({ kind: "failed", reason: `${name} is a symbolic link` });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("without a program that can lock, that is told, and nothing is written", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const before = readFileSync(place.path, "utf8");
  const environment = { ...process.env };
  onTestFinished(() => void (process.env = environment));
  process.env = { ...environment, PATH: join(place.app, "nothing") };
  expect(await tell(place.source, record)).toEqual({ kind: "failed", reason: "Neither flock nor perl is on PATH, so no lock can be taken." });
  expect(readFileSync(place.path, "utf8")).toBe(before);
});

test("cancelled before it was written: nothing is", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const before = readFileSync(place.path, "utf8");
  expect(await place.source.record?.(record, { kind: "exited", conversation: undefined }, () => true, AbortSignal.abort())).toMatchObject({ kind: "failed" });
  expect(readFileSync(place.path, "utf8")).toBe(before);
});

test("two sessions of one gone owner are finalized one by one, though neither names it", async () => {
  await using place = await aPlace();
  const other = writeState(place.app, aState("b", { owner: readBack(place.path)["owner"], files_touched: ["a.ts"] }));
  const sessions = merge(await recordsIn(place.source, await realCensus()), Date.now());
  expect(sessions.map(({ status, records }) => [status.value, records[0]?.process])).toEqual([
    ["exited", undefined],
    ["exited", undefined],
  ]);
  const receipts = await sweep(sessions, contextOf(place.source));
  expect(receipts.map(({ result }) => result.kind)).toEqual(["success", "success"]);
  expect([readBack(place.path)["fully_condensed"], readBack(other)["fully_condensed"]]).toEqual([true, undefined]);
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
  [{ kind: "purged", at: 0 }, "unsupported"],
] as const)("%j is %s, and nothing is written", async (change, kind) => {
  await using place = await aPlace();
  const before = readFileSync(place.path, "utf8");
  expect(await tell(place.source, await place.look(), change)).toEqual({ kind });
  expect([readFileSync(place.path, "utf8"), existsSync(join(place.app, ".git/entire-session-locks"))]).toEqual([before, false]);
});

async function aPeer(how: "hold" | "revive", { app }: Place): Promise<Child> {
  const script = fileURLToPath(new URL("statePeer.py", import.meta.url));
  const peer = await startChild([python, script, how, join(app, ".git"), "a", ""]);
  await until(() => peer.said().includes("held"));
  return peer;
}

/** How many descriptors of this process are open on the lock, as /proc tells. */
function openLocks(app: string): number {
  const { ino } = statSync(join(app, ".git/entire-session-locks/a.lock"));
  const own = readdirSync("/proc/self/fd").filter((fd) => statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.ino === ino);
  return own.length;
}
