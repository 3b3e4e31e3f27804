import { expect, test } from "vitest";
import { terminate } from "../../../../src/core/operations/terminate.ts";
import { aRecord, aRun, aTurn } from "../../../support/facets.ts";
import { asked, aWorld, itsChild, theAgent } from "../../../support/world.ts";

const turn = { kind: "turn", where: "127.0.0.1:4096" } as const;
const rungs = [
  { step: "ask", does: "abort" },
  { step: "kill", does: "children" },
  { step: "kill", does: "dispose directory", reach: "directory" },
  { step: "kill", does: "end server", reach: "server" },
] as const;

test("what neither goes when asked nor when hung up is killed", async () => {
  const { session, context, taken } = aWorld([aRun()], { left: [[theAgent], [itsChild], [itsChild], []] });
  expect((await terminate(session, asked, context)).result).toEqual({ kind: "success", method: "forced" });
  expect(taken).toEqual(["ask", "hangUp", "kill"]);
});

test("the id is saved before anything is killed", async () => {
  const { session, context, told, hooks } = aWorld([aRun(), aRecord("mux")], { left: [[theAgent], [theAgent], [theAgent], []] });
  hooks.onTake = () => expect(told).toContain("mux:r idCaptured");
  await terminate(session, asked, context);
  expect(told).toContain("mux:r stopped");
});

test("the books are told that it was forced", async () => {
  const { session, context, changes } = aWorld([aRun(), aRecord("mux")], { left: [[theAgent], [theAgent], [theAgent], []] });
  await terminate(session, asked, context);
  expect(changes.at(-1)).toMatchObject({ kind: "stopped", how: "forced" });
});

test("an agent that goes when asked is not killed", async () => {
  const { session, context, taken } = aWorld([aRun()]);
  expect((await terminate(session, asked, context)).result).toEqual({ kind: "success", method: "graceful" });
  expect(taken).toEqual(["ask"]);
});

test("what survives even that is named, and no book says stopped", async () => {
  const { session, context, told } = aWorld([aRun(), aRecord("mux")], { left: [[theAgent], [itsChild]] });
  expect((await terminate(session, asked, context)).result).toEqual({ kind: "partial", method: "forced", survivors: [itsChild] });
  expect(told.filter((line) => line.endsWith("stopped"))).toEqual([]);
});

test("a rung that reaches beyond the session is left out", async () => {
  const { session, context, taken } = aWorld([aTurn()], { ends: "turn", left: [[turn]], rungs });
  expect((await terminate(session, asked, context)).result.kind).toBe("partial");
  expect(taken).toEqual(["abort", "children"]);
});

test("a wider reach, when told, goes as far as it was told and no farther", async () => {
  const { session, context, taken } = aWorld([aTurn()], { ends: "turn", left: [[turn]], rungs });
  await terminate(session, { ...asked, reach: "directory" }, context);
  expect(taken).toEqual(["abort", "children", "dispose directory"]);
});
