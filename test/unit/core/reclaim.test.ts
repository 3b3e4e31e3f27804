import { expect, test } from "vitest";
import type { Run } from "../../../src/core/facet.ts";
import type { Scales } from "../../../src/core/orphanFinder.ts";
import { planReclaim, reclaim, reclaimWords } from "../../../src/core/operations/reclaim.ts";
import { hoursWords, idleAgentOf, offerWords } from "../../../src/core/reclaim.ts";
import type { Session } from "../../../src/core/session.ts";
import { aRecord, aRun, aSession, aTurn, anEntry, now, pid, seen, talk, withStatus } from "../../support/facets.ts";
import { aWorld, theAgent } from "../../support/world.ts";

const hour = 3_600_000;
const idleMs = 4 * hour;
const idle = (over: Partial<Run> = {}): Run => aRun({ idleSince: now - 5 * hour, conversation: talk("A", { resumable: seen(true) }), ...over });

interface Below {
  /** What runs below each agent takes this much of a core. */
  share: number;
  clients: "none" | "some" | "unknown";
}

/** Each process has 100 MB as long as it lives; below an agent is nothing but what is told. */
function scales(living: Set<number>, ours = 1, below: Below = { share: 0, clients: "none" }): Scales {
  const child = anEntry(pid(700));
  return {
    ours,
    treesOf: async (roots) => roots.map((root) => [anEntry(root), child]),
    usageOf: async (trees) =>
      trees.map((tree) => ({
        memoryBytes: tree.filter(({ identity }) => living.has(identity.pid)).length * 100e6,
        cpuNow: tree.includes(child) ? below.share : 0,
        cpuLife: 0,
      })),
    clientsOf: async (trees) => trees.map(() => below.clients),
  };
}

test("an agent that its own file calls idle for longer, and that can be resumed, is offered", () => {
  expect(idleAgentOf(aSession(idle()), idleMs, now)).toMatchObject({ process: pid(41), since: now - 5 * hour });
});

test.each<[string, Session]>([
  ["was idle for less", aSession(idle({ idleSince: now - 3 * hour }))],
  ["is idle since nobody knows when", aSession(aRun({ conversation: talk("A", { resumable: seen(true) }) }))],
  [
    "does not tell itself since when, though a book does",
    aSession(aRun({ conversation: talk("A", { resumable: seen(true) }) }), aRecord("entire", { lastInteractionAt: now - 9 * hour })),
  ],
  ["was touched since by what a book knows", aSession(idle(), aRecord("entire", { lastInteractionAt: now - hour }))],
  ["is working", aSession(idle({ activity: seen("working") }))],
  ["waits for an answer", aSession(idle({ activity: seen("needsInput") }))],
  ["does not tell what it does", aSession(idle({ activity: seen("silent") }))],
  ["can't be resumed", aSession(idle({ conversation: talk("A", { resumable: seen(false) }) }))],
  ["may not be resumed, as far as is known", aSession(idle({ conversation: talk("A") }))],
  ["is an editor's", aSession(idle({ runsIn: "panel" }))],
  ["is automation", aSession(idle({ runsIn: "automation" }))],
  ["has another agent below it", aSession(idle({ alsoEnds: ["gemini (42)"] }))],
  ["may be elsewhere", aSession(idle({ liveness: seen("unknown") }))],
  ["is in doubt", withStatus(aSession(idle()), "idle", { why: "two of them", candidates: [] })],
  [
    "is a server's",
    aSession(aTurn({ activity: seen("idle"), idleSince: now - 5 * hour, conversation: talk("s", { agent: "opencode", resumable: seen(true) }) })),
  ],
])("one that %s is not", (_what, session) => {
  expect(idleAgentOf(session, idleMs, now)).toBeUndefined();
});

test("the offer says how many, for how long, how much, and what is done", async () => {
  const { context } = aWorld([idle()]);
  const others = [42, 43].map((number) =>
    aSession(idle({ key: `process:${number}`, host: { kind: "process", process: pid(number) }, idleSince: now - 9 * hour })),
  );
  const found = await planReclaim([aSession(idle()), ...others], idleMs, scales(new Set([41, 42])), context);
  expect(found.map(({ process }) => process.pid)).toEqual([42, 43, 41]);
  expect(offerWords(found, idleMs)).toBe("3 open agents idle over 4 h, 200 MB: stop, all resumable");
  expect([hoursWords(90 * 60_000), hoursWords(30 * 60_000)]).toEqual(["1.5 h", "30 min"]);
});

test.each<[string, Below, number]>([
  ["somebody is connected to", { share: 0, clients: "some" }, 0],
  ["works", { share: 0.9, clients: "none" }, 0],
  ["is quiet, and whose connections can't be seen", { share: 0.1, clients: "unknown" }, 1],
])("an idle agent below which runs what %s", async (_what, below, offered) => {
  expect(await planReclaim([aSession(idle())], idleMs, scales(new Set([41]), 1, below), aWorld([idle()]).context)).toHaveLength(offered);
});

test("one below which something went to work meanwhile is left alone", async () => {
  const below: Below = { share: 0, clients: "none" };
  const { session, context, taken } = aWorld([idle()]);
  const measure = scales(new Set([41]), 1, below);
  const found = await planReclaim([session], idleMs, measure, context);
  below.clients = "some";
  const receipt = await reclaim(found, idleMs, measure, context);
  expect([receipt.lines.map(({ outcome }) => outcome), taken]).toEqual([["leftAlone"], []]);
  expect(reclaimWords(receipt)[1]).toBe("“fix login” was not touched: somebody is connected to what runs below it.");
});

test("an agent that this program is a part of is not offered", async () => {
  expect(await planReclaim([aSession(idle())], idleMs, scales(new Set([41]), 41), aWorld([idle()]).context)).toEqual([]);
});

test("each is stopped when asked, never killed, and one receipt sums up what was measured to be free", async () => {
  const living = new Set([41]);
  const { session, context, hooks, taken, journal } = aWorld([idle()]);
  hooks.onTake = () => living.delete(41);
  const measure = scales(living);
  const receipt = await reclaim(await planReclaim([session], idleMs, measure, context), idleMs, measure, context);
  expect([receipt.lines.map(({ outcome }) => outcome), receipt.freedBytes, taken]).toEqual([["stopped"], 100e6, ["ask"]]);
  expect(reclaimWords(receipt)).toEqual(["Stopped 1 idle agent, 100 MB freed. Each can be resumed."]);
  expect(journal.map(({ kind }) => kind)).toEqual(["intent", "receipt", "reclaim"]);
  expect(journal.at(-1)).toMatchObject({ outcomes: { "process:41": "stopped" }, freedBytes: 100e6 });
});

test("one that went to work meanwhile is left alone and named", async () => {
  const { session, context, store, taken } = aWorld([idle()]);
  const measure = scales(new Set([41]));
  const found = await planReclaim([session], idleMs, measure, context);
  store.set("process:41", idle({ activity: seen("working", "its own file says busy") }));
  const receipt = await reclaim(found, idleMs, measure, context);
  expect([receipt.lines.map(({ outcome }) => outcome), receipt.freedBytes, taken]).toEqual([["leftAlone"], 0, []]);
  expect(reclaimWords(receipt)).toEqual(["No agent was stopped.", "“fix login” was not touched: it is not idle any more: its own file says busy."]);
});

test("one that does not leave is said to run still, and nothing of it is called free", async () => {
  const { session, context } = aWorld([idle()], { left: [[theAgent]] });
  const measure = scales(new Set([41]));
  const receipt = await reclaim(await planReclaim([session], idleMs, measure, context), idleMs, measure, context);
  expect([receipt.lines.map(({ outcome }) => outcome), receipt.freedBytes]).toEqual([["notStopped"], 0]);
  expect(reclaimWords(receipt, "terminate")[1]).toBe("“fix login” is still running: claude (41). terminate ends what is left.");
});

test("called off, it stops no more of them, and names whom it did not come to", async () => {
  const { session, context, abort } = aWorld([idle()]);
  const measure = scales(new Set([41]));
  const found = await planReclaim([session], idleMs, measure, context);
  abort.abort();
  const receipt = await reclaim(found, idleMs, measure, context);
  expect([receipt.lines, receipt.notReached]).toEqual([[], [session]]);
  expect(reclaimWords(receipt)).toEqual(["No agent was stopped.", "It was called off before it came to “fix login”."]);
});

test("one that had ended by itself was not stopped by this, and nothing of it was freed by it", async () => {
  const { session, context, store } = aWorld([idle()]);
  const measure = scales(new Set([41]));
  const found = await planReclaim([session], idleMs, measure, context);
  store.set("process:41", idle({ liveness: seen("gone") }));
  const receipt = await reclaim(found, idleMs, measure, context);
  expect([receipt.lines.map(({ outcome }) => outcome), receipt.freedBytes]).toEqual([["leftAlone"], 0]);
  expect(reclaimWords(receipt)).toEqual(["No agent was stopped.", "“fix login” was not running."]);
});
