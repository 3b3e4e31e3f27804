import { expect, test } from "vitest";
import { change } from "../../../../src/core/operations/change.ts";
import { aBook, aRecord, aRun, seen, without } from "../../../support/facets.ts";
import { aWorld } from "../../../support/world.ts";

test.each(["archived", "unarchived", "forgotten"] as const)("%s is told to every book of what has ended", async (kind) => {
  const { session, context, told } = aWorld([aBook("mux", "ended"), aBook("ledger", "ended")]);
  expect((await change(session, { kind }, context)).result).toEqual({ kind: "success", method: "notNeeded" });
  expect(told).toEqual([`mux:r ${kind}`, `ledger:r ${kind}`]);
});

test.each(["archived", "unarchived", "forgotten"] as const)("what is alive is not %s", async (kind) => {
  const { session, context, told } = aWorld([aRun(), aRecord("mux")]);
  expect((await change(session, { kind }, context)).result).toMatchObject({ kind: "refused", reason: "stillAlive" });
  expect(told).toEqual([]);
});

test("what is alive may be renamed, and our ledger keeps the name where no other book does", async () => {
  const { session, context, told, changes } = aWorld([aRun()]);
  expect((await change(session, { kind: "renamed", to: "login form" }, context)).result.kind).toBe("success");
  expect(told).toEqual(["ledger:x renamed"]);
  expect(changes).toEqual([{ kind: "renamed", to: "login form" }]);
});

test("what no book keeps can't be renamed", async () => {
  const { session, context } = aWorld([without(aRun({ liveness: seen("unknown") }), "pidFile")]);
  expect((await change(session, { kind: "renamed", to: "x" }, context)).result).toEqual({
    kind: "refused",
    reason: "unsupported",
    detail: "no record of it is kept",
  });
});

test.each([
  ["archived", "archive"],
  ["unarchived", "unarchive"],
  ["forgotten", "forget"],
] as const)("the journal knows %s as %s", async (kind, operation) => {
  const { session, context, journal } = aWorld([aBook("mux", "ended")]);
  await change(session, { kind }, context);
  expect(journal[0]).toMatchObject({ kind: "intent", operation });
});
