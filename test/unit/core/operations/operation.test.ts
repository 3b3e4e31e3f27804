import { expect, test } from "vitest";
import { withOperation } from "../../../../src/core/operations/operation.ts";
import { stop } from "../../../../src/core/operations/stop.ts";
import { aRecord, aRun } from "../../../support/facets.ts";
import { asked, aWorld } from "../../../support/world.ts";

test("an intent goes before, a receipt after, under one id", async () => {
  const { session, context, journal } = aWorld([aRun()]);
  const receipt = await stop(session, asked, context);
  const [intent, done] = journal;
  expect(intent).toMatchObject({ kind: "intent", operation: "stop", session: "process:41" });
  expect(done).toEqual({ kind: "receipt", id: intent?.id, receipt });
  expect(journal).toHaveLength(2);
});

test("the intent is written before anything is done", async () => {
  const { session, context, journal, hooks } = aWorld([aRun()]);
  let before: readonly string[] = [];
  hooks.onLook = () => {
    before = journal.map(({ kind }) => kind);
    return undefined;
  };
  await stop(session, asked, context);
  expect(before).toEqual(["intent"]);
});

test("two callers: the second is told busy, and leaves no trace", async () => {
  const { session, context, held, journal, taken } = aWorld([aRun(), aRecord("mux")]);
  held.add("mux:r");
  expect((await stop(session, asked, context)).result).toEqual({ kind: "refused", reason: "busy" });
  expect([journal, taken]).toEqual([[], []]);
});

test("every facet of the session is locked while it acts, sorted, and no longer", async () => {
  const world = aWorld([aRun(), aRecord("mux"), aRecord("ledger", { firstKey: "process:7" })]);
  await withOperation("rename", world.session, world.context, async () => {
    expect([...world.held]).toEqual(["ledger:r", "mux:r", "process:41", "process:7"]);
    return { kind: "success", method: "notNeeded" };
  });
  expect([...world.held]).toEqual([]);
});

test("cancelled in the middle: the receipt says what was done until then", async () => {
  const { session, context, hooks, abort } = aWorld([aRun()]);
  hooks.onTake = () => {
    abort.abort();
    abort.signal.throwIfAborted();
  };
  const receipt = await stop(session, asked, context);
  expect(receipt.result).toEqual({ kind: "failed", reason: "cancelled" });
  expect(receipt.steps.map(({ step }) => step)).toEqual(["capture"]);
});

test("cancelled or not, the locks are given back", async () => {
  const { session, context, hooks, abort, held } = aWorld([aRun()]);
  hooks.onTake = () => {
    abort.abort();
    abort.signal.throwIfAborted();
  };
  await stop(session, asked, context);
  expect(held.size).toBe(0);
});

test("a bug is thrown, after a receipt of what was done until then", async () => {
  const { session, context, hooks, journal, held } = aWorld([aRun()]);
  hooks.onTake = () => {
    throw new Error("a bug");
  };
  await expect(stop(session, asked, context)).rejects.toThrow("a bug");
  expect(journal.at(-1)).toMatchObject({
    kind: "receipt",
    receipt: { result: { kind: "failed", reason: "something went wrong" }, steps: [{ step: "capture" }] },
  });
  expect(held.size).toBe(0);
});

test("a face is told of each step as it happens", async () => {
  const { session, context, events } = aWorld([aRun(), aRecord("mux")]);
  await stop(session, asked, context);
  expect(events.map(({ kind }) => kind)).toEqual(["begun", "step", "recorded", "recorded", "taking", "step", "recorded", "recorded", "done"]);
});

test.each(["busy", "failed", "changedMeanwhile", "unreachable"] as const)("a success that a book did not take (%s) is partial", async (kind) => {
  const { session, context } = aWorld([aRun()]);
  const outcome = kind === "busy" ? { kind } : kind === "changedMeanwhile" ? { kind, fresh: undefined } : { kind, reason: "its disk is full" };
  const receipt = await withOperation("rename", session, context, async ({ records }) => {
    records.push({ record: "mux:r", change: "renamed", outcome });
    return { kind: "success", method: "notNeeded" };
  });
  expect(receipt.result).toEqual({ kind: "partial", method: "notNeeded", survivors: [] });
});

test.each(["recorded", "alreadySo", "unsupported"] as const)("a book that answers %s leaves a success one", async (kind) => {
  const { session, context } = aWorld([aRun()]);
  const receipt = await withOperation("rename", session, context, async ({ records }) => {
    records.push({ record: "mux:r", change: "renamed", outcome: { kind } });
    return { kind: "success", method: "notNeeded" };
  });
  expect(receipt.result.kind).toBe("success");
});

test("where the state folder can't be written nothing is done, and it says why", async () => {
  const world = aWorld([aRun()]);
  world.context.journal.append = async () => {
    throw new Error("EROFS: read-only file system");
  };
  const receipt = await stop(world.session, asked, world.context);
  expect(receipt.result).toMatchObject({ kind: "refused", reason: "unreachable", detail: "the state folder can't be written (EROFS: read-only file system)" });
  expect([world.taken, world.held.size]).toEqual([[], 0]);
});
