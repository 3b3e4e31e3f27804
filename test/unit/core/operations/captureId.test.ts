import { expect, test } from "vitest";
import type { Agent } from "../../../../src/core/agent.ts";
import type { Conversation } from "../../../../src/core/facet.ts";
import { captureId, namesNoOther } from "../../../../src/core/operations/captureId.ts";
import { anAgent, aRecord, aRun, aSession, pid, talk, without } from "../../../support/facets.ts";
import { aWorld } from "../../../support/world.ts";

const agentThatTells = (conversation: Conversation | undefined): Agent => anAgent({ captureId: async () => conversation });

test("what the agent's own list tells is saved in every book", async () => {
  const { session, context, told } = aWorld([aRun(), aRecord("mux")]);
  expect(await captureId(session, context)).toMatchObject({ captured: { id: "A", toldBy: "agent" }, result: { kind: "success" } });
  expect(told).toEqual(["mux:r idCaptured", "ledger:x idCaptured"]);
});

test("where no list tells it, the agent's own way is asked, and goes before what a record says", async () => {
  const { session, context, agents } = aWorld([without(aRun(), "conversation"), aRecord("mux")]);
  agents.set("claude", agentThatTells(talk("B")));
  expect((await captureId(session, context)).captured?.id).toBe("B");
});

test("where the agent can't tell, what a record says is what there is", async () => {
  const { session, context, agents } = aWorld([without(aRun(), "conversation"), aRecord("mux")]);
  agents.set("claude", agentThatTells(undefined));
  expect((await captureId(session, context)).captured).toMatchObject({ id: "A", toldBy: "record" });
});

test("an id that nobody tells is a failure, and says so", async () => {
  const { session, context, told } = aWorld([without(aRun(), "conversation")]);
  const receipt = await captureId(session, context);
  expect(receipt.result).toEqual({ kind: "failed", reason: "no conversation id was found" });
  expect(told).toEqual([]);
});

test("nothing is ended", async () => {
  const { session, context, taken } = aWorld([aRun()]);
  await captureId(session, context);
  expect(taken).toEqual([]);
});

test("a record that names another process by the time of the lock is not told", async () => {
  const { session, context, hooks, told } = aWorld([aRun(), aRecord("mux")]);
  hooks.underLock = (record) => (record.source === "mux" ? { ...record, process: pid(77) } : record);
  const receipt = await captureId(session, context);
  expect(told).toEqual(["ledger:x idCaptured"]);
  expect(receipt.result.kind).toBe("partial");
});

test.each([
  ["none", undefined, true],
  ["the one that it named when it was looked at", pid(30), true],
  ["the run's own", pid(41), true],
  ["another", pid(77), false],
  ["another with the same pid", pid(41, "8"), false],
] as const)("a record that names %s by now still holds: %s %s", (_which, process, holds) => {
  const asSeen = aRecord("mux", { process: pid(30) });
  const fresh = process ? aRecord("mux", { process }) : without(asSeen, "process");
  expect(namesNoOther(aSession(aRun()))(fresh, asSeen)).toBe(holds);
});
