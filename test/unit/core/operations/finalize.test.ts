import { expect, test } from "vitest";
import { finalize, sweep } from "../../../../src/core/operations/finalize.ts";
import { anAgent, aBook, aRecord, aRun, aSession, pid, seen, talk, without } from "../../../support/facets.ts";
import { aWorld } from "../../../support/world.ts";

const unseenRow = without(aRecord("mux", { liveness: seen("unseen") }), "process");

test("an active record whose process is gone is exited, and told so", async () => {
  const { session, context, told } = aWorld([aBook("entire", "active")]);
  expect(session.status.value).toBe("exited");
  expect((await finalize(session, context)).result).toEqual({ kind: "success", method: "notNeeded" });
  expect(told).toEqual(["entire:r exited"]);
});

test("a book that is closed already is not told again", async () => {
  const { session, context, told } = aWorld([aBook("entire", "active"), aBook("mux", "ended")]);
  await finalize(session, context);
  expect(told).toEqual(["entire:r exited"]);
});

test("the look and what was seen stand on the receipt", async () => {
  const { session, context } = aWorld([aBook("entire", "active", { liveness: seen("gone", "process 41 is gone") })]);
  expect((await finalize(session, context)).steps).toEqual([
    { step: "look", did: "looked for its process", verified: { value: true, seen: "process 41 is gone", at: session.status.at } },
  ]);
});

test("a session that is revived between the look and the lock is left alone", async () => {
  const { session, context, told, hooks } = aWorld([aBook("entire", "active")]);
  hooks.underLock = (record) => ({ ...record, process: pid(77) });
  const receipt = await finalize(session, context);
  expect(receipt.records.map(({ outcome }) => outcome.kind)).toEqual(["changedMeanwhile"]);
  expect(receipt.result).toEqual({ kind: "refused", reason: "noLongerOneSession" });
  expect(told).toEqual([]);
});

test("a record that somebody closed between the look and the lock is left alone", async () => {
  const { session, context, told, hooks } = aWorld([aBook("entire", "active")]);
  hooks.underLock = (record) => ({ ...record, says: seen("ended") });
  await finalize(session, context);
  expect(told).toEqual([]);
});

test("a reused pid under the lock is another process", async () => {
  const { session, context, told, hooks } = aWorld([aBook("entire", "active")]);
  hooks.underLock = (record) => ({ ...record, process: pid(41, "8") });
  await finalize(session, context);
  expect(told).toEqual([]);
});

test("without an identity it takes two looks, a second apart", async () => {
  const { session, context, told, pauses } = aWorld([unseenRow]);
  expect(session.status.value).toBe("unknown");
  expect((await finalize(session, context)).result.kind).toBe("success");
  expect(pauses).toEqual([1_000]);
  expect(told).toEqual(["mux:r exited"]);
});

test("what the second look finds alive is left alone", async () => {
  const { session, context, told, hooks } = aWorld([unseenRow]);
  hooks.onLook = (facet, look) => (look === 2 ? { kind: "seen", facet: { ...facet, liveness: seen("alive") } } : undefined);
  expect((await finalize(session, context)).result).toMatchObject({ kind: "refused", reason: "stillAlive" });
  expect(told).toEqual([]);
});

test("a second look that fails is no observation", async () => {
  const { session, context, told, hooks } = aWorld([unseenRow]);
  hooks.onLook = (_facet, look) => (look === 2 ? { kind: "unreachable", reason: "tmux does not answer" } : undefined);
  expect((await finalize(session, context)).result).toEqual({ kind: "refused", reason: "livenessUnknown", detail: "tmux does not answer" });
  expect(told).toEqual([]);
});

test("a living session is not finalized", async () => {
  const { session, context, told } = aWorld([aRun(), aRecord("mux")]);
  expect((await finalize(session, context)).result).toMatchObject({ kind: "refused", reason: "stillAlive" });
  expect(told).toEqual([]);
});

test("an active record without an owner that can be seen is never dead", async () => {
  const { session, context, told } = aWorld([without(aRecord("entire", { liveness: seen("unknown", "it names no process") }), "process")]);
  expect((await finalize(session, context)).result).toMatchObject({ kind: "refused", reason: "livenessUnknown" });
  expect(told).toEqual([]);
});

test("a sweep takes what has exited, and only that", async () => {
  const { context, told } = aWorld([aBook("entire", "active"), aRecord("mux", { process: pid(42) })]);
  const sessions = [aSession(aBook("entire", "active")), aSession(aRecord("mux", { process: pid(42) }))];
  expect((await sweep(sessions, context)).map(({ result }) => result.kind)).toEqual(["success"]);
  expect(told).toEqual(["entire:r exited"]);
});

test("one that is refused does not hold up the rest of a sweep", async () => {
  const facets = [
    aBook("entire", "active", { key: "entire:1" }),
    aBook("entire", "active", { key: "entire:2", process: pid(42), conversation: { agent: "claude", id: "B", toldBy: "record" } }),
  ];
  const { context, held, told } = aWorld(facets);
  held.add("entire:1");
  expect(
    (
      await sweep(
        facets.map((facet) => aSession(facet)),
        context,
      )
    ).map(({ result }) => result.kind),
  ).toEqual(["refused", "success"]);
  expect(told).toEqual(["entire:2 exited"]);
});

test("a fault in one does not hold up the rest of a sweep, and is thrown when all are done", async () => {
  const facets = [aBook("mux", "active"), aBook("entire", "active", { process: pid(42), conversation: talk("B") })];
  const { context, sources, told } = aWorld(facets);
  const mux = sources.get("mux");
  if (mux) mux.record = () => Promise.reject(new Error("a bug"));
  await expect(
    sweep(
      facets.map((facet) => aSession(facet)),
      context,
    ),
  ).rejects.toThrow("a bug");
  expect(told).toEqual(["entire:r exited"]);
});

test("while a daemon is at work on its conversation no book is told that it is over", async () => {
  const { session, context, told, agents } = aWorld([aBook("entire", "active")]);
  agents.set("claude", anAgent({ turnElsewhere: async () => ({ kind: "turn", where: "its daemon" }) }));
  expect((await finalize(session, context)).result).toEqual({ kind: "refused", reason: "stillAlive", detail: "a turn in its daemon" });
  expect(told).toEqual([]);
});
