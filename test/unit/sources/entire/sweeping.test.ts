import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { merge } from "../../../../src/core/merge.ts";
import { finalize, sweep } from "../../../../src/core/operations/finalize.ts";
import type { OperationContext } from "../../../../src/core/operations/operation.ts";
import type { Source } from "../../../../src/core/source.ts";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import { aState, goText, keyIn, ownerOf, readBack, realCensus, recordsIn, soon, writeState } from "../../../support/entire.ts";
import { aRecord } from "../../../support/facets.ts";
import { aWorld } from "../../../support/world.ts";
import { aPeer, aPlace, gone, lastSeen } from "../../../support/entirePlace.ts";

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

/** How many descriptors of this process are open on the lock, as /proc tells. */
function openLocks(app: string): number {
  const { ino } = statSync(join(app, ".git/entire-session-locks/a.lock"));
  const own = readdirSync("/proc/self/fd").filter((fd) => statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.ino === ino);
  return own.length;
}
