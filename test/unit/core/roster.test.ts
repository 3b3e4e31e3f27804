import { expect, test } from "vitest";
import type { Facet } from "../../../src/core/facet.ts";
import type { Unreachable } from "../../../src/core/notice.ts";
import { Roster } from "../../../src/core/roster.ts";
import type { Snapshot } from "../../../src/core/roster.ts";
import type { Source } from "../../../src/core/source.ts";
import { aRecord, aRun, censusOf, now, pid, seen, talk, without } from "../../support/facets.ts";

const { signal } = new AbortController();
/** A source that says what it is told to say, and a clock that is moved by hand. */
function aPlace(facets: readonly Facet[]): {
  source: Source;
  roster: Roster;
  clock: { at: number };
  says: { facets: readonly Facet[]; unreachable: readonly Unreachable[] };
} {
  const says: { facets: readonly Facet[]; unreachable: readonly Unreachable[] } = { facets, unreachable: [] };
  const clock = { at: now };
  const source: Source = {
    id: "mux",
    read: async () => ({ ...says, notices: [] }),
    lookAgain: async () => ({ kind: "notThere" }),
    watch: () => ({ [Symbol.dispose]() {} }),
  };
  return { source, says, clock, roster: new Roster([source], async () => ({ ...censusOf(), at: clock.at })) };
}
const states = ({ sessions }: Snapshot) => sessions.map(({ status }) => status.value);
const unseen = without(aRecord("mux", { process: pid(88), conversation: talk("Z"), liveness: seen("unseen") }), "process");
const noAnswer: Unreachable = { place: "mux", reason: "it does not answer" };

test("two looks a second apart make unseen gone", async () => {
  const { roster, clock } = aPlace([unseen]);
  expect(states(await roster.refresh(signal))).toEqual(["unknown"]);
  clock.at += 999;
  expect(states(await roster.refresh(signal))).toEqual(["unknown"]);
  clock.at += 1;
  expect(states(await roster.refresh(signal))).toEqual(["exited"]);
});

test("what was seen in between begins to be unseen anew", async () => {
  const { roster, clock, says } = aPlace([unseen]);
  await roster.refresh(signal);
  clock.at += 1_500;
  says.facets = [{ ...unseen, liveness: seen("alive") }];
  await roster.refresh(signal);
  clock.at += 1_500;
  says.facets = [unseen];
  expect(states(await roster.refresh(signal))).toEqual(["unknown"]);
});

test("what was not listed in between begins to be unseen anew", async () => {
  const { roster, clock, says } = aPlace([unseen]);
  await roster.refresh(signal);
  clock.at += 1_500;
  says.facets = [];
  await roster.refresh(signal);
  clock.at += 1_500;
  says.facets = [unseen];
  expect(states(await roster.refresh(signal))).toEqual(["unknown"]);
});

test("a look that got no answer is no second look", async () => {
  const { roster, clock, says } = aPlace([unseen]);
  await roster.refresh(signal);
  clock.at += 1_500;
  Object.assign(says, { facets: [], unreachable: [noAnswer] });
  expect(states(await roster.refresh(signal))).toEqual(["unknown"]);
});

test("a place that falls silent keeps its records as they were", async () => {
  const { roster, says } = aPlace([aRecord("mux", { says: seen("ended"), liveness: seen("gone") })]);
  await roster.refresh(signal);
  Object.assign(says, { facets: [], unreachable: [noAnswer] });
  const snapshot = await roster.refresh(signal);
  expect(states(snapshot)).toEqual(["stopped"]);
  expect(snapshot.unreachable).toEqual([noAnswer]);
});

test("whether the process of a record lives is seen without the place that fell silent", async () => {
  const { roster, says } = aPlace([aRecord("mux")]);
  expect((await roster.refresh(signal)).sessions.map(({ run, status }) => [run, status.value])).toEqual([[undefined, "open"]]);
  Object.assign(says, { facets: [], unreachable: [noAnswer] });
  expect((await roster.refresh(signal)).sessions.map(({ status }) => [status.value, status.seen])).toEqual([["exited", "process 41 is gone"]]);
});

test("the runs of a place that falls silent are unknown, and say why and since when", async () => {
  const { roster, says, clock } = aPlace([aRun({ place: "mux" })]);
  await roster.refresh(signal);
  clock.at += 60_000;
  Object.assign(says, { facets: [], unreachable: [noAnswer] });
  for (let times = 0; times < 2; times++) await roster.refresh(signal);
  expect(roster.snapshot.sessions[0]?.status).toEqual({ value: "unknown", seen: "it does not answer", at: now });
});

test("a place that answers again is as it says", async () => {
  const { roster, says } = aPlace([aRun({ place: "mux" })]);
  await roster.refresh(signal);
  Object.assign(says, { facets: [], unreachable: [noAnswer] });
  await roster.refresh(signal);
  Object.assign(says, { facets: [], unreachable: [] });
  expect(states(await roster.refresh(signal))).toEqual([]);
});

test("a place that falls silent takes nothing from another one", async () => {
  const other = aRun({ key: "process:42", place: "elsewhere", host: { kind: "process", process: pid(42) } });
  const { roster, says } = aPlace([aRun({ place: "mux" }), without(other, "conversation")]);
  await roster.refresh(signal);
  Object.assign(says, { facets: [], unreachable: [noAnswer] });
  expect((await roster.refresh(signal)).sessions.map(({ key }) => key)).toEqual(["process:41"]);
});

test("never two readings at once, and a wish made during one is answered by the next", async () => {
  let running = 0;
  let count = 0;
  const roster = new Roster([], async () => {
    expect(++running).toBe(1);
    await new Promise(setImmediate);
    running--;
    return { ...censusOf(), at: ++count };
  });
  const all = await Promise.all([roster.refresh(signal), roster.refresh(signal), roster.refresh(signal)]);
  expect(all.map(({ at }) => at)).toEqual([1, 2, 2]);
});

test("a reading that fails fails for who asked, and the next one is made all the same", async () => {
  let count = 0;
  const roster = new Roster([], async () => {
    if (++count === 1) throw new Error("no census");
    return { ...censusOf(), at: count };
  });
  const [first, second] = await Promise.allSettled([roster.refresh(signal), roster.refresh(signal)]);
  expect(first.status).toBe("rejected");
  expect(second).toMatchObject({ status: "fulfilled", value: { at: 2 } });
});

test("who listens is told of each new snapshot, until it listens no more", async () => {
  const { roster, clock } = aPlace([]);
  const told: number[] = [];
  const listening = roster.onDidChange(({ at }) => told.push(at));
  await roster.refresh(signal);
  listening[Symbol.dispose]();
  clock.at += 1;
  await roster.refresh(signal);
  expect(told).toEqual([now]);
});

test("a snapshot that was given out does not change", async () => {
  const { roster, says } = aPlace([aRun()]);
  const before = await roster.refresh(signal);
  says.facets = [];
  await roster.refresh(signal);
  expect(before.sessions).toHaveLength(1);
});

test("one place that several say is silent is told once", async () => {
  const { source, says } = aPlace([]);
  says.unreachable = [noAnswer];
  const roster = new Roster([source], async () => ({ ...censusOf(), unreachable: [noAnswer] }));
  expect((await roster.refresh(signal)).unreachable).toEqual([noAnswer]);
});

const fails = () => Promise.reject(new Error("EIO: i/o error, read"));

test("a source that fails is silent: it takes nothing from another, and what it last said stays, as unknown and with the reason", async () => {
  const { source } = aPlace([aRun({ place: "mux" })]);
  const other: Source = {
    ...source,
    id: "ledger",
    read: async () => ({ facets: [aRecord("ledger", { process: pid(88), conversation: talk("Z") })], unreachable: [], notices: [] }),
  };
  const roster = new Roster([source, other], async () => censusOf());
  await roster.refresh(signal);
  source.read = fails;
  const snapshot = await roster.refresh(signal);
  expect(snapshot.sessions.map(({ key, status }) => [key, status.value])).toEqual([
    ["process:41", "unknown"],
    ["ledger:r", "open"],
  ]);
  expect(snapshot.sessions[0]?.status.seen).toBe("EIO: i/o error, read");
  expect(snapshot.unreachable).toEqual([{ place: "mux", reason: "EIO: i/o error, read" }]);
});

test("a source that has never answered is named when it fails", async () => {
  const { source, roster } = aPlace([]);
  source.read = fails;
  expect((await roster.refresh(signal)).unreachable).toEqual([{ place: "mux", reason: "EIO: i/o error, read" }]);
});

test("a source that hangs is without an answer after a while, and the next look is made all the same", async () => {
  const { source, says } = aPlace([aRun({ place: "mux" })]);
  const roster = new Roster([source], async () => censusOf(), 20);
  source.read = () => new Promise(() => undefined);
  expect((await roster.refresh(signal)).unreachable).toEqual([{ place: "mux", reason: "no answer within 20 ms" }]);
  source.read = async () => ({ ...says, notices: [] });
  expect(states(await roster.refresh(signal))).toEqual(["idle"]);
});

test("a look that is cancelled while a source hangs fails for who asked, and says nothing of the source", async () => {
  const { source, roster } = aPlace([aRun({ place: "mux" })]);
  const before = await roster.refresh(signal);
  source.read = () => new Promise(() => undefined);
  const abort = new AbortController();
  const looking = roster.refresh(abort.signal);
  abort.abort(new Error("not wanted any more"));
  await expect(looking).rejects.toThrow("not wanted any more");
  expect(roster.snapshot).toBe(before);
});
