import { expect, test } from "vitest";
import type { Agent } from "../../../../src/core/agent.ts";
import type { Facet } from "../../../../src/core/facet.ts";
import { planPurge } from "../../../../src/core/operations/planPurge.ts";
import { purge } from "../../../../src/core/operations/purge.ts";
import type { PurgeOptions } from "../../../../src/core/operations/purge.ts";
import type { Receipt } from "../../../../src/core/receipt.ts";
import { receiptJson } from "../../../../src/core/receiptJson.ts";
import { sentenceOfReceipt } from "../../../../src/core/sentences.ts";
import type { LeftAlone, Store, StoreOutcome } from "../../../../src/core/store.ts";
import { aBook, anAgent, aRun, aTurn, pid, seen, talk, without } from "../../../support/facets.ts";
import { asked, aWorld, itsChild, theAgent } from "../../../support/world.ts";
import type { LadderPlan, World } from "../../../support/world.ts";

const conversation = talk("A");
const ended = aBook("ledger", "ended", { conversation, cwd: "/w" });
const inRegistry = aBook("mux", "ended", { conversation });

interface Kept extends World {
  /** What stores there are, by name; a deleted one is gone from here. */
  readonly there: Set<string>;
  readonly leftAlone: LeftAlone[];
  /** Called as a store is deleted; its answer goes before the ordinary one. */
  readonly onErase: Map<string, () => StoreOutcome | void>;
  readonly purge: (options?: Partial<PurgeOptions>) => Promise<Receipt>;
}

/** An agent that keeps what is there, and a journal that has nothing. */
function kept(facets: readonly Facet[], names = ["history", "transcript"], plan: LadderPlan = {}): Kept {
  const world = aWorld(facets, plan);
  const there = new Set(names);
  const leftAlone: LeftAlone[] = [];
  const onErase: Kept["onErase"] = new Map();
  const storeOf = (name: string): Store => ({
    name,
    path: `/c/${name}`,
    bytes: 1_000,
    belongsBecause: "it names it",
    async erase() {
      const outcome = onErase.get(name)?.() ?? (there.delete(name) ? ({ kind: "erased" } as const) : ({ kind: "absent" } as const));
      return outcome;
    },
    residue: async () => (there.has(name) ? [`/c/${name}`] : []),
  });
  const agent: Agent = { ...anAgent(), idPattern: /^[A-Z]$/, stores: async () => ({ stores: [...there].map(storeOf), leftAlone }) };
  world.agents.set("claude", agent);
  return { ...world, there, leftAlone, onErase, purge: (options = {}) => purge(world.session, { pendingSeen: false, ...options }, world.context) };
}

test("each store is deleted and looked for again, and then the books are told", async () => {
  const world = kept([ended, inRegistry]);
  const receipt = await world.purge();
  expect(receipt).toMatchObject({
    operation: "purge",
    result: { kind: "success", method: "notNeeded" },
    purged: [
      { store: "history", path: "/c/history", outcome: { kind: "erased" }, residue: [] },
      { store: "transcript", path: "/c/transcript", outcome: { kind: "erased" }, residue: [] },
    ],
  });
  expect(world.there.size).toBe(0);
  expect(world.told.toSorted()).toEqual([`${ended.key} purged`, `${inRegistry.key} purged`].toSorted());
  expect(receiptJson(receipt, world.session).purge_result).toBe("complete");
  expect(sentenceOfReceipt(receipt, world.session)).toContain("2 places were deleted, and none is there any more");
});

test("what a purge would do is told without doing it", async () => {
  const world = kept([ended]);
  const plan = await planPurge(world.session, world.context);
  expect(plan).toMatchObject({ kind: "plan", conversation: { id: "A" }, pending: [] });
  expect(world.there.size).toBe(2);
  expect(world.journal).toEqual([]);
});

test.each<[string, readonly Facet[], string]>([
  ["what is alive", [aRun({ conversation, cwd: "/w" })], "stillAlive"],
  ["what may live", [without(aBook("ledger", "ended", { conversation, liveness: seen("unknown") }), "process")], "livenessUnknown"],
  ["what is at work on a server", [aTurn({ conversation })], "stillAlive"],
])("%s is not purged", async (_what, facets, reason) => {
  const world = kept(facets);
  const receipt = await world.purge();
  expect(receipt.result).toMatchObject({ kind: "refused", reason });
  expect([world.there.size, world.told]).toEqual([2, []]);
  expect(receiptJson(receipt, world.session).purge_result).toBe("blocked");
});

test("what is open in another process is not purged", async () => {
  const world = kept([ended]);
  const other = aRun({ key: "process:77", conversation, host: { kind: "process", process: pid(77) } });
  world.store.set(other.key, other);
  expect((await world.purge()).result).toMatchObject({ kind: "refused", reason: "stillAlive", detail: "it is open in claude (77)" });
});

test("what may be open in a process that does not tell its conversation is not purged", async () => {
  const world = kept([ended]);
  const silent = without(aRun({ key: "process:77", cwd: "/w", host: { kind: "process", process: pid(77) } }), "conversation");
  world.store.set(silent.key, silent);
  expect((await world.purge()).result).toMatchObject({ kind: "refused", reason: "livenessUnknown" });
  world.store.set(silent.key, { ...silent, cwd: "/elsewhere" });
  expect((await world.purge()).result).toMatchObject({ kind: "success" });
});

test("what comes alive between two stores keeps the rest, by name, and no book is told", async () => {
  const world = kept([ended, inRegistry]);
  world.onErase.set("history", () => {
    world.there.delete("history");
    const again = aRun({ key: "process:77", conversation, host: { kind: "process", process: pid(77) } });
    world.store.set(again.key, again);
    return { kind: "erased" };
  });
  const receipt = await world.purge();
  expect(receipt.result).toMatchObject({ kind: "partial" });
  expect(receipt.purged?.[1]).toMatchObject({ store: "transcript", outcome: { kind: "blocked", reason: "it is open in claude (77)" } });
  expect(receipt.warnings.join()).toContain("It came alive while it was being purged");
  expect([...world.there, ...world.told]).toEqual(["transcript"]);
});

test("what came alive after the last store was deleted is no complete purge", async () => {
  const world = kept([ended]);
  world.onErase.set("transcript", () => {
    world.there.delete("transcript");
    const again = aRun({ key: "process:77", conversation, host: { kind: "process", process: pid(77) } });
    world.store.set(again.key, again);
    return { kind: "erased" };
  });
  const receipt = await world.purge();
  expect(receipt.result).toMatchObject({ kind: "partial" });
  expect(world.told).toEqual([]);
});

test("what can't be deleted is named, and a second purge goes on from there", async () => {
  const world = kept([ended]);
  world.onErase.set("history", () => ({ kind: "blocked", reason: "another program holds it" }));
  const first = await world.purge();
  expect(first.result.kind).toBe("partial");
  expect(sentenceOfReceipt(first, world.session)).toContain("history (/c/history: another program holds it)");
  expect(receiptJson(first, world.session).purge_result).toBe("partial");
  expect(world.told).toEqual([]);

  world.onErase.clear();
  const second = await world.purge();
  expect(second).toMatchObject({ result: { kind: "success" }, purged: [{ store: "history", outcome: { kind: "erased" } }] });
  expect(world.told).toEqual([`${ended.key} purged`]);
});

test("a deletion that deleted nothing is not believed", async () => {
  const world = kept([ended]);
  world.onErase.set("transcript", () => ({ kind: "erased" }));
  const receipt = await world.purge();
  expect(receipt.purged?.[1]).toMatchObject({ outcome: { kind: "erased" }, residue: ["/c/transcript"] });
  expect(receipt.result.kind).toBe("partial");
});

test("what was not in the plan that a person saw stays, and is told of", async () => {
  const world = kept([ended]);
  const plan = await planPurge(world.session, world.context);
  if (plan.kind !== "plan") throw new Error("no plan");
  world.there.add("new");
  const receipt = await world.purge({ seen: plan });
  expect([...world.there]).toEqual(["new"]);
  expect(receipt.purged?.at(-1)).toMatchObject({ store: "new", outcome: { kind: "blocked", reason: "it was not in the plan" } });
  expect(receipt.result.kind).toBe("partial");
});

test("work that would be lost has to be seen first", async () => {
  const world = kept([aBook("entire", "ended", { conversation, pending: "2 checkpoints are not condensed" })]);
  expect((await world.purge()).result).toMatchObject({ kind: "refused", reason: "pendingWork", detail: "2 checkpoints are not condensed" });
  expect(world.there.size).toBe(2);
  expect((await world.purge({ pendingSeen: true })).result.kind).toBe("success");
});

test("text that is left on purpose makes it partial, with every book told; what only holds the id does not", async () => {
  const world = kept([ended]);
  world.leftAlone.push({ name: "a log", path: "/c/log", why: "it is written just now", holds: "id" });
  expect((await world.purge()).result.kind).toBe("success");

  const copied = kept([ended]);
  copied.leftAlone.push({ name: "a copy", path: "/c/copy", why: "it began in /other", holds: "text" });
  const receipt = await copied.purge();
  expect(receipt.result.kind).toBe("partial");
  expect(sentenceOfReceipt(receipt, copied.session)).toContain("a copy (/c/copy: it began in /other)");
  expect(copied.told).toEqual([`${ended.key} purged`]);
});

test("an agent that was never run here says what to look at by hand", async () => {
  const world = kept([ended]);
  world.agents.set("claude", { ...anAgent(), storesByHand: ["~/.x/<id>"] });
  const receipt = await world.purge();
  expect(receipt.result).toMatchObject({ kind: "refused", reason: "unsupported" });
  expect(sentenceOfReceipt(receipt, world.session)).toContain("~/.x/<id>");
  expect(receiptJson(receipt, world.session).purge_result).toBe("unsupported");
});

test.each(["../../etc", "a", "A/B", ""])("an id that is none of the agent's (%j) is in no path", async (id) => {
  const world = kept([aBook("ledger", "ended", { conversation: talk(id) })]);
  expect((await world.purge()).result).toMatchObject({ kind: "refused", reason: "unsupported" });
  expect(world.there.size).toBe(2);
});

const end: PurgeOptions["end"] = { steps: ["ask", "hangUp"], options: { ...asked, named: pid(41) } };

test("it can be ended first: only what has left is purged", async () => {
  const world = kept([aRun({ conversation })]);
  world.hooks.onTake = () => {
    world.store.delete(world.session.key);
    world.store.set("ledger:x", aBook("ledger", "ended", { key: "ledger:x", conversation }));
  };
  const receipt = await world.purge({ end });
  expect(receipt.result).toEqual({ kind: "success", method: "graceful" });
  expect(receipt.captured?.id).toBe("A");
  expect(world.there.size).toBe(0);
  expect(receiptJson(receipt, world.session)).toMatchObject({ termination_method: "graceful", purge_result: "complete" });

  const stubborn = kept([aRun({ conversation })], undefined, { left: [[theAgent, itsChild], [itsChild]] });
  const refused = await stubborn.purge({ end });
  expect(refused.result).toMatchObject({ kind: "partial", survivors: [itsChild] });
  expect(stubborn.there.size).toBe(2);
  expect(receiptJson(refused, stubborn.session).purge_result).toBe("blocked");
});

test("an id out of a cache is a guess, and nothing is deleted by it", async () => {
  const world = kept([aBook("mux", "ended", { conversation: talk("A", { toldBy: "cache" }) })]);
  expect((await world.purge()).result).toMatchObject({ kind: "refused", reason: "unsupported" });
  expect(world.there.size).toBe(2);
});

test("where a book tells only the id, the home that another one tells is looked in", async () => {
  const world = kept([inRegistry, aBook("ledger", "ended", { conversation: talk("A", { home: "/other/.claude" }) })]);
  const plan = await planPurge(world.session, world.context);
  expect(plan).toMatchObject({ kind: "plan", conversation: { id: "A", home: "/other/.claude" } });
});

test("where the process table or the agent's own list can't be read, nothing is deleted", async () => {
  const blind = kept([ended]);
  const census = await blind.context.takeCensus(blind.context.signal);
  const context = { ...blind.context, takeCensus: async () => ({ ...census, processes: undefined }) };
  expect((await purge(blind.session, { pendingSeen: false }, context)).result).toMatchObject({ kind: "refused", reason: "livenessUnknown" });

  const silent = kept([ended]);
  const own = silent.sources.get("process");
  if (!own) throw new Error("no source");
  const read = async () => ({ facets: [], unreachable: [{ place: "Claude Code", reason: "its list can't be read" }], notices: [] });
  silent.sources.set("process", { ...own, read });
  expect((await silent.purge()).result).toMatchObject({ kind: "refused", reason: "livenessUnknown" });
  expect([blind.there.size, silent.there.size]).toEqual([2, 2]);
});
