import { expect, test } from "vitest";
import type { Run } from "../../../../src/core/facet.ts";
import { answer } from "../../../../src/core/operations/answer.ts";
import { receiptJson } from "../../../../src/core/receiptJson.ts";
import type { Refusal } from "../../../../src/core/refusal.ts";
import { aTurn, seen, without } from "../../../support/facets.ts";
import { aWorld } from "../../../support/world.ts";

const asks = { id: "per_1", tool: "bash", input: "rm -rf build" };
const asking = aTurn({ activity: seen("needsInput", "permission: bash"), asks });

function asked(now: Run = asking, refusal?: Refusal) {
  const world = aWorld([asking]);
  world.store.set(asking.key, now);
  const answers: string[] = [];
  const source = world.sources.get("opencode");
  if (source)
    world.sources.set("opencode", {
      ...source,
      answerPermission: async (run, word) => {
        answers.push(`${word} ${run.asks?.id}`);
        return refusal;
      },
    });
  return { ...world, answers };
}

test.each([
  ["allow", "allowed bash: rm -rf build"],
  ["deny", "denied bash: rm -rf build"],
] as const)("%s is said once, to that very request, and stands on the receipt", async (word, did) => {
  const { session, context, answers } = asked();
  const receipt = await answer(session, word, context);
  expect(receipt.result).toEqual({ kind: "success", method: "notNeeded" });
  expect(receipt.steps).toEqual([{ step: "answer", did, verified: undefined }]);
  expect(answers).toEqual([`${word} per_1`]);
});

test("an answer ends nothing, and the receipt does not say so", async () => {
  const { session, context } = asked();
  const { verification_result, tracking_cleanup_success } = receiptJson(await answer(session, "allow", context), session);
  expect([verification_result, tracking_cleanup_success]).toEqual(["session_may_still_exist", null]);
});

test.each<[string, Run]>([
  ["asks for another", { ...asking, asks: { ...asks, id: "per_2" } }],
  ["asks for nothing any more", aTurn()],
])("what %s by now is given no answer", async (_what, now) => {
  const { session, context, answers } = asked(now);
  expect((await answer(session, "allow", context)).result).toEqual({ kind: "refused", reason: "unsupported", detail: "it no longer asks for that" });
  expect(answers).toEqual([]);
});

test("what did not ask when it was shown is given no answer, though it asks by now", async () => {
  const { context, answers } = asked();
  const { session } = aWorld([aTurn()]);
  expect((await answer(session, "allow", context)).result.kind).toBe("refused");
  expect(answers).toEqual([]);
});

test("what its server refuses is refused, and no step says that it was answered", async () => {
  const { session, context } = asked(asking, { kind: "refused", reason: "unreachable", detail: "did not answer in time" });
  const receipt = await answer(session, "allow", context);
  expect(receipt.result).toEqual({ kind: "refused", reason: "unreachable", detail: "did not answer in time" });
  expect(receipt.steps).toEqual([]);
});

test("a source that can't answer says so, and a server that can't be reached too", async () => {
  const { session, context } = aWorld([asking]);
  expect((await answer(session, "deny", context)).result).toMatchObject({ kind: "refused", detail: "it can't be answered from here" });
  const silent = asked();
  silent.hooks.onLook = () => ({ kind: "unreachable", reason: "does not answer" });
  expect((await answer(silent.session, "deny", silent.context)).result).toMatchObject({ kind: "refused", reason: "unreachable" });
  expect(silent.answers).toEqual([]);
});

test("a session that is gone is not found", async () => {
  const world = asked(without(asking));
  world.store.clear();
  expect((await answer(world.session, "allow", world.context)).result).toMatchObject({ kind: "refused", reason: "notFound" });
});
