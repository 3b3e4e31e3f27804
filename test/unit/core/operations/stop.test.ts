import { expect, test } from "vitest";
import type { Remnant, Rung } from "../../../../src/core/ladder.ts";
import { stop } from "../../../../src/core/operations/stop.ts";
import { anAgent, aBook, aRecord, aRun, aTurn, pid, seen, talk, without } from "../../../support/facets.ts";
import { asked, aWorld, itsChild, theAgent } from "../../../support/world.ts";

const refusing = (step: Rung["step"], does: string = step): Partial<Rung> & Pick<Rung, "step"> => ({
  step,
  does,
  take: async () => ({ kind: "refused", reason: "protected", detail: "the server restarted" }),
});

test("an agent that goes when asked is stopped gracefully, by the first rung alone", async () => {
  const { session, context, taken } = aWorld([aRun(), aRecord("mux")]);
  expect((await stop(session, asked, context)).result).toEqual({ kind: "success", method: "graceful" });
  expect(taken).toEqual(["ask"]);
});

test("the id is saved in every book before the agent is asked, and every book is told at the end", async () => {
  const { session, context, told, hooks } = aWorld([aRun(), aRecord("mux"), aRecord("entire")]);
  let before: readonly string[] = [];
  hooks.onTake = () => (before = [...told]);
  const receipt = await stop(session, asked, context);
  expect(before).toEqual(["mux:r idCaptured", "entire:r idCaptured", "ledger:x idCaptured"]);
  expect(told.slice(before.length)).toEqual(["mux:r stopped", "entire:r stopped", "ledger:x stopped"]);
  expect(receipt.captured?.id).toBe("A");
});

test("the books are told why, how, and what was last on its screen", async () => {
  const { session, context, changes } = aWorld([aRun(), aRecord("mux")]);
  await stop(session, asked, context);
  expect(changes.at(-1)).toMatchObject({ kind: "stopped", how: "graceful", reason: "manual_stop", lastScreen: "last screen", conversation: { id: "A" } });
});

test("where asking is not enough it is hung up, and never killed", async () => {
  const { session, context, taken } = aWorld([aRun()], { left: [[theAgent], [theAgent], []] });
  expect((await stop(session, asked, context)).result).toEqual({ kind: "success", method: "hangUp" });
  expect(taken).toEqual(["ask", "hangUp"]);
});

test("a survivor makes it partial, named", async () => {
  const { session, context, taken } = aWorld([aRun(), aRecord("mux")], { left: [[theAgent], [itsChild]] });
  expect((await stop(session, asked, context)).result).toEqual({ kind: "partial", method: "hangUp", survivors: [itsChild] });
  expect(taken).toEqual(["ask", "hangUp"]);
});

test("no book says stopped while a process of the session lives", async () => {
  const { session, context, told } = aWorld([aRun(), aRecord("mux")], { left: [[theAgent], [itsChild]] });
  await stop(session, asked, context);
  expect(told.filter((line) => line.endsWith("stopped"))).toEqual([]);
});

test("what only carries its mark is named and left alone", async () => {
  const hub: Remnant = { kind: "process", process: pid(50), name: "hub", bond: "environment" };
  const { session, context } = aWorld([aRun()], { left: [[theAgent, hub], [hub]] });
  const receipt = await stop(session, asked, context);
  expect(receipt.result.kind).toBe("success");
  expect(receipt.warnings).toEqual(["hub (50) carries its mark and was left alone."]);
});

test("an id that is told only at exit is saved then, and stands in the books' last line", async () => {
  const silent = [without(aRun(), "conversation"), without(aRecord("mux"), "conversation")];
  const { session, context, changes, told } = aWorld(silent, { lastWords: "1795_abcde" });
  const receipt = await stop(session, asked, context);
  expect(receipt.captured).toMatchObject({ id: "1795_abcde", toldBy: "exit" });
  expect(receipt.warnings).toEqual([]);
  expect(changes[told.indexOf("mux:r stopped")]).toMatchObject({ conversation: { id: "1795_abcde" } });
});

test("an id that nobody tells is a warning, and holds up nothing", async () => {
  const { session, context } = aWorld([without(aRun(), "conversation")]);
  const receipt = await stop(session, asked, context);
  expect(receipt.result.kind).toBe("success");
  expect(receipt.warnings).toEqual(["No conversation id was found before the agent was asked to leave."]);
});

test("an id told at exit lies in the config home of its run, and says whether it can be resumed there", async () => {
  const { session, context, changes, agents } = aWorld([without(aRun({ configHome: "/srv/claude" }), "conversation")], { lastWords: "1795_abcde" });
  agents.set("claude", anAgent({ canResume: async ({ home }) => seen(home === "/srv/claude", `looked in ${home}`) }));
  await stop(session, asked, context);
  const told = { id: "1795_abcde", toldBy: "exit", home: "/srv/claude", resumable: { value: true, seen: "looked in /srv/claude" } };
  expect(changes).toMatchObject([
    { kind: "idCaptured", conversation: told },
    { kind: "stopped", conversation: told },
  ]);
});

test("last words do not replace what the agent told while it lived", async () => {
  const { session, context } = aWorld([aRun()], { lastWords: "somebody-else" });
  expect((await stop(session, asked, context)).captured?.id).toBe("A");
});

test("gone already: the books are closed, and it succeeds", async () => {
  const { session, context, store, told } = aWorld([aRun(), aRecord("mux")]);
  store.delete("process:41");
  store.set("mux:r", aBook("mux", "active"));
  expect((await stop(session, asked, context)).result).toEqual({ kind: "success", method: "notNeeded" });
  expect(told).toEqual(["mux:r exited"]);
});

test("stopped twice is a success, and changes nothing", async () => {
  const { session, context, told } = aWorld([aRecord("mux", { says: seen("ended"), liveness: seen("unseen") })]);
  expect((await stop(session, asked, context)).result).toEqual({ kind: "success", method: "notNeeded" });
  expect(told).toEqual([]);
});

test("stopped by the book while something lives in its place is refused", async () => {
  const { session, context } = aWorld([aRecord("mux", { says: seen("ended"), liveness: seen("unknown", "ssh is in its pane") })]);
  expect((await stop(session, asked, context)).result).toEqual({ kind: "refused", reason: "livenessUnknown", detail: "ssh is in its pane" });
});

test("a run whose process can't be seen from here is refused", async () => {
  const { session, context, taken } = aWorld([aRun({ liveness: seen("unknown", "it runs in another container") })]);
  expect((await stop(session, asked, context)).result).toMatchObject({ reason: "livenessUnknown" });
  expect(taken).toEqual([]);
});

test("an editor as the owner of a record is alive, has no ladder, and is refused", async () => {
  const { session, context } = aWorld([without(aRecord("entire"), "process")]);
  expect((await stop(session, asked, context)).result).toMatchObject({ kind: "refused", reason: "stillAlive" });
});

test("a session that is not there any more is said to be not found", async () => {
  const { session, context, store } = aWorld([aRun()]);
  store.clear();
  expect((await stop(session, asked, context)).result).toEqual({ kind: "refused", reason: "notFound", asked: "process:41" });
});

test("what no longer makes one session is refused", async () => {
  const { session, context, store, taken } = aWorld([aRun(), without(aRecord("mux"), "process")]);
  store.set("process:41", aRun({ conversation: talk("B") }));
  expect((await stop(session, asked, context)).result).toEqual({ kind: "refused", reason: "noLongerOneSession" });
  expect(taken).toEqual([]);
});

test("what our ledger has closed since the list, as the process went on to a new conversation, is no reason to refuse; closed by somebody else, it is", async () => {
  for (const source of ["ledger", "mux"] as const) {
    const { session, context, store, taken } = aWorld([aRun({ conversation: talk("B") }), aRecord(source)]);
    store.set(`${source}:r`, aRecord(source, { says: seen("ended"), liveness: seen("gone") }));
    const receipt = await stop(session, asked, context);
    expect([receipt.result.kind, taken]).toEqual(source === "ledger" ? ["success", ["ask"]] : ["refused", []]);
  }
});

test("a session in doubt is refused, with its candidates", async () => {
  const { session, context } = aWorld([aRun()]);
  const doubt = { why: "more than one process could be it", candidates: ["process:41", "process:42"] } as const;
  expect((await stop({ ...session, doubt }, asked, context)).result).toEqual({ kind: "refused", reason: "ambiguous", candidates: doubt.candidates });
});

test("a run that can't be reached is refused", async () => {
  const { session, context, hooks } = aWorld([aRun()]);
  hooks.onLook = () => ({ kind: "unreachable", reason: "it does not answer" });
  expect((await stop(session, asked, context)).result).toEqual({ kind: "refused", reason: "unreachable", detail: "it does not answer" });
});

test("without a warrant a person has to name the process", async () => {
  const { session, context, taken } = aWorld([without(aRun(), "pidFile")]);
  expect((await stop(session, asked, context)).result).toEqual({ kind: "refused", reason: "mustBeNamed", process: pid(41) });
  expect(taken).toEqual([]);
});

test("our ledger is no warrant", async () => {
  const { session, context } = aWorld([without(aRun(), "pidFile"), aRecord("ledger")]);
  expect((await stop(session, asked, context)).result).toMatchObject({ reason: "mustBeNamed" });
});

test("a name for the process that had this pid before is no warrant", async () => {
  const { session, context } = aWorld([without(aRun(), "pidFile")]);
  expect((await stop(session, { ...asked, named: pid(41, "6") }, context)).result).toMatchObject({ reason: "mustBeNamed" });
});

test.each([
  ["a record", [without(aRun(), "pidFile"), aRecord("mux")], {}],
  ["the agent's own pid file", [aRun()], {}],
  ["a person who names the process", [without(aRun(), "pidFile")], { named: pid(41) }],
] as const)("%s is a warrant", async (_whose, facets, named) => {
  const { session, context } = aWorld(facets);
  expect((await stop(session, { ...asked, ...named }, context)).result.kind).toBe("success");
});

test("a book that can't be reached makes it partial, and the agent is stopped all the same", async () => {
  const world = aWorld([aRun(), aRecord("mux")]);
  world.hooks.onLook = ({ source }) => (source === "mux" ? { kind: "unreachable", reason: "locked" } : undefined);
  const mux = world.sources.get("mux");
  if (mux) mux.record = async () => ({ kind: "unreachable", reason: "locked" });
  const receipt = await stop(world.session, asked, world.context);
  expect(receipt.result).toEqual({ kind: "partial", method: "graceful", survivors: [] });
  expect(receipt.records).toContainEqual({ record: "mux:r", change: "stopped", outcome: { kind: "unreachable", reason: "locked" } });
});

test("a rung refused after another was taken is a step left out", async () => {
  const { session, context } = aWorld([aRun()], { left: [[itsChild]], rungs: [{ step: "ask" }, refusing("hangUp", "close its pane")] });
  const receipt = await stop(session, asked, context);
  expect(receipt.result).toEqual({ kind: "partial", method: "graceful", survivors: [itsChild] });
  expect(receipt.steps.at(-1)?.did).toBe("Left out: close its pane (protected)");
});

test("the first rung refused: nothing was done", async () => {
  const { session, context } = aWorld([aRun()], { rungs: [refusing("ask")] });
  expect((await stop(session, asked, context)).result).toEqual({ kind: "refused", reason: "protected", detail: "the server restarted" });
});

test("a ladder without a rung that reaches only this session is refused", async () => {
  const { session, context } = aWorld([aRun()], { rungs: [{ step: "ask", reach: "server" }] });
  expect((await stop(session, asked, context)).result).toMatchObject({ kind: "refused", reason: "notEndable" });
});

test("an OpenCode turn ends, its session does not: no book says stopped", async () => {
  const state = without(aRecord("entire", { liveness: seen("unknown", "its owner is a server"), conversation: talk("s", { agent: "opencode" }) }), "process");
  const { session, context, told } = aWorld([aTurn(), state], { ends: "turn", left: [[{ kind: "turn", where: "127.0.0.1:4096" }], []] });
  expect((await stop(session, asked, context)).result).toEqual({ kind: "success", method: "graceful" });
  expect(told.filter((line) => line.endsWith("stopped"))).toEqual([]);
});

test("an idle OpenCode session needs no stop", async () => {
  const { session, context, taken } = aWorld([aTurn()], { ends: "turn", left: [[]] });
  expect((await stop(session, asked, context)).result).toEqual({ kind: "success", method: "notNeeded" });
  expect(taken).toEqual([]);
});
