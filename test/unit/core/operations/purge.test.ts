import { expect, test } from "vitest";
import type { Agent, LiveEntry } from "../../../../src/core/agent.ts";
import type { Facet } from "../../../../src/core/facet.ts";
import type { ProcessIdentity } from "../../../../src/core/process.ts";
import { planPurge } from "../../../../src/core/operations/planPurge.ts";
import { purge } from "../../../../src/core/operations/purge.ts";
import type { PurgeOptions } from "../../../../src/core/operations/purge.ts";
import type { Receipt } from "../../../../src/core/receipt.ts";
import { receiptJson } from "../../../../src/core/receiptJson.ts";
import { sentenceOfReceipt } from "../../../../src/core/sentences.ts";
import type { LeftAlone, Store, StoreOutcome } from "../../../../src/core/store.ts";
import { aBook, aRecord, anAgent, anEntry, aRun, aTurn, censusOf, pid, seen, talk, without } from "../../../support/facets.ts";
import { asked, aWorld, itsChild, theAgent } from "../../../support/world.ts";
import type { LadderPlan, World } from "../../../support/world.ts";

const conversation = talk("A", { home: "/c" });
const ended = aBook("ledger", "ended", { conversation, cwd: "/w" });
const inRegistry = aBook("mux", "ended", { conversation });

const elsewhere = aRun({ key: "process:77", conversation, host: { kind: "process", process: pid(77) } });

interface Kept extends World {
  /** What stores there are, by name; a deleted one is gone from here. */
  readonly there: Set<string>;
  /** Those that no plan shows. */
  readonly hidden: Set<string>;
  readonly leftAlone: LeftAlone[];
  /** Called as a store is deleted; its answer goes before the ordinary one. */
  readonly onErase: Map<string, () => StoreOutcome | void>;
  readonly purge: (options?: Partial<PurgeOptions>) => Promise<Receipt>;
}

/** An agent that keeps what is there, and a journal that has nothing. */
function kept(facets: readonly Facet[], names = ["history", "transcript"], plan: LadderPlan = {}): Kept {
  const world = aWorld(facets, plan);
  const there = new Set(names);
  const hidden = new Set<string>();
  const leftAlone: LeftAlone[] = [];
  const onErase: Kept["onErase"] = new Map();
  const storeOf = (name: string): Store => ({
    name,
    path: `/c/${name}`,
    bytes: 1_000,
    belongsBecause: "it names it",
    ...(name === "paste" && { foundBy: ["/c/history"] }),
    async erase() {
      const outcome = onErase.get(name)?.() ?? (there.delete(name) ? ({ kind: "erased" } as const) : ({ kind: "absent" } as const));
      return outcome;
    },
    residue: async () => (there.has(name) ? [`/c/${name}`] : []),
  });
  const agent: Agent = {
    ...anAgent(),
    idPattern: /^[A-Z]$/,
    stores: async () => ({ stores: [...there].filter((name) => !hidden.has(name)).map(storeOf), leftAlone }),
  };
  world.agents.set("claude", agent);
  return { ...world, there, hidden, leftAlone, onErase, purge: (options = {}) => purge(world.session, { pendingSeen: false, ...options }, world.context) };
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
  expect(receipt.purged?.at(-1)).toMatchObject({ store: "what is written from now on", outcome: { kind: "blocked", reason: "it is open in claude (77)" } });
  expect([...world.there, ...world.told]).toEqual(["transcript"]);
});

test("what came alive after the last store was deleted is no complete purge, and what was deleted is told as deleted", async () => {
  const world = kept([ended]);
  world.onErase.set("transcript", () => {
    world.there.delete("transcript");
    world.store.set(elsewhere.key, elsewhere);
    return { kind: "erased" };
  });
  const receipt = await world.purge();
  expect(receipt.result).toMatchObject({ kind: "partial" });
  expect(receipt.purged?.map(({ outcome }) => outcome.kind)).toEqual(["erased", "erased", "blocked"]);
  expect(receiptJson(receipt, world.session).purge_result).toBe("partial");
  expect(world.told).toEqual([]);
});

test("where its only record goes away meanwhile, whoever takes it up is seen all the same", async () => {
  const world = kept([inRegistry]);
  world.onErase.set("history", () => {
    world.there.delete("history");
    world.store.delete(inRegistry.key);
    world.store.set(elsewhere.key, elsewhere);
    return { kind: "erased" };
  });
  const receipt = await world.purge();
  expect([...world.there]).toEqual(["transcript"]);
  expect(receipt.purged?.[1]?.outcome).toEqual({ kind: "blocked", reason: "it is open in claude (77)" });
});

test("cut off by a fault or a person, the receipt says what had been deleted, and claims no more", async () => {
  const world = kept([ended]);
  world.onErase.set("transcript", () => world.abort.abort() ?? world.abort.signal.throwIfAborted());
  const receipt = await world.purge();
  expect(receipt).toMatchObject({ result: { kind: "failed", reason: "cancelled" }, purged: [{ store: "history", outcome: { kind: "erased" } }] });
  expect(receiptJson(receipt, world.session).purge_result).toBe("partial");
});

test("what a person agreed to is of one conversation: of another by now, nothing is deleted", async () => {
  const world = kept([ended]);
  const plan = await planPurge(world.session, world.context);
  if (plan.kind !== "plan") throw new Error("no plan");
  world.store.set(ended.key, { ...ended, conversation: talk("B") });
  world.store.set(elsewhere.key, elsewhere);
  expect((await world.purge({ seen: plan })).result).toMatchObject({ kind: "refused", reason: "noLongerOneSession" });
  expect(world.there.size).toBe(2);
});

test("what became another's since the plan was seen stays, and is told of", async () => {
  const world = kept([ended]);
  const plan = await planPurge(world.session, world.context);
  if (plan.kind !== "plan") throw new Error("no plan");
  world.hidden.add("history");
  world.leftAlone.push({ name: "history", path: "/c/history", why: "another conversation names it too", holds: "text" });
  const receipt = await world.purge({ seen: plan });
  expect([...world.there]).toEqual(["history"]);
  expect(receipt.result.kind).toBe("partial");
  expect(receipt.leftAlone?.[0]).toMatchObject({ why: "another conversation names it too" });
});

test.each<[string, Facet]>([
  ["lives", aRecord("entire", { conversation, process: pid(77), liveness: seen("alive") })],
  ["may live on another host", aBook("entire", "active", { conversation, process: pid(77), liveness: seen("unknown") })],
])("another record of the same conversation that %s holds it up", async (_what, other) => {
  const world = kept([ended]);
  world.store.set(other.key, other);
  expect((await world.purge()).result).toMatchObject({ kind: "refused" });
  expect(world.there.size).toBe(2);
});

test("what its agent's own list has in a home that only a record knows holds it up", async () => {
  const home = "/other/.claude";
  const world = kept([aBook("ledger", "ended", { conversation: talk("A", { home }) })]);
  const asked: string[] = [];
  const entry: LiveEntry = {
    agent: "claude",
    process: pid(77),
    liveness: seen("unknown"),
    file: `${home}/sessions/77.json`,
    conversation,
    activity: seen("silent"),
    runsIn: "terminal",
  };
  const own = world.agents.get("claude");
  if (!own) throw new Error("no agent");
  world.agents.set("claude", {
    ...own,
    readLive: async (homes) => {
      asked.push(...homes);
      return [entry];
    },
  });
  expect((await world.purge()).result).toMatchObject({ kind: "refused", reason: "livenessUnknown" });
  expect(asked).toEqual([home]);
});

test("a silent process in the same folder is seen however the folder is spelled, and one that has ended meanwhile is not", async () => {
  const world = kept([aBook("ledger", "ended", { conversation, cwd: "/link/w" })]);
  const silent = without(aRun({ key: "process:77", cwd: "/real/w", host: { kind: "process", process: pid(77) } }), "conversation");
  world.store.set(silent.key, silent);
  const context = { ...world.context, realPath: async (path: string) => path.replace("/link", "/real") };
  expect((await purge(world.session, { pendingSeen: false }, context)).result).toMatchObject({ kind: "refused", reason: "livenessUnknown" });

  world.store.set(silent.key, without(silent, "cwd"));
  expect((await purge(world.session, { pendingSeen: false }, context)).result.kind).toBe("success");
});

test("where the journal could not be cleared, no book is told: a second purge has to find it", async () => {
  const world = kept([ended]);
  let isHeld = true;
  const lines: Store = {
    name: "its lines in the journal",
    path: "/s/journal.jsonl",
    bytes: 10,
    belongsBecause: "they name it",
    erase: async () => (isHeld ? { kind: "blocked", reason: "another program holds it" } : { kind: "erased" }),
    residue: async () => (isHeld ? ["/s/journal.jsonl"] : []),
  };
  const context = { ...world.context, journal: { ...world.context.journal, stores: async () => [lines] } };
  expect((await purge(world.session, { pendingSeen: false }, context)).result.kind).toBe("partial");
  expect(world.told).toEqual([]);
  isHeld = false;
  expect((await purge(world.session, { pendingSeen: false }, context)).result.kind).toBe("success");
  expect(world.told).toEqual([`${ended.key} purged`]);
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
  const world = kept([aBook("mux", "ended", { conversation: talk("A") }), aBook("ledger", "ended", { conversation: talk("A", { home: "/other/.claude" }) })]);
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

test("another row of the same conversation, of a session that was resumed under its name, is told as well", async () => {
  const world = kept([ended]);
  const other = aBook("mux", "ended", { key: "mux:two", conversation, cwd: "/w" });
  world.store.set(other.key, other);
  const elsewhereToo = [
    aBook("mux", "ended", { key: "mux:other-folder", conversation, cwd: "/x" }),
    aBook("mux", "ended", { key: "mux:other-home", conversation: talk("A", { home: "/d" }), cwd: "/w" }),
  ];
  for (const each of elsewhereToo) world.store.set(each.key, each);
  expect((await world.purge()).result.kind).toBe("success");
  expect(world.told.toSorted()).toEqual([`${ended.key} purged`, "mux:two purged"].toSorted());
});

test("work that would be lost and was not in what a person saw is not lost", async () => {
  const book = aBook("entire", "ended", { conversation });
  const world = kept([book]);
  const plan = await planPurge(world.session, world.context);
  if (plan.kind !== "plan") throw new Error("no plan");
  world.store.set(book.key, { ...book, pending: "2 checkpoints are not condensed" });
  expect((await world.purge({ seen: plan, pendingSeen: true })).result).toMatchObject({ kind: "refused", reason: "pendingWork" });
  expect(world.there.size).toBe(2);
});

test("where its home is not known and nothing was found, that is no proof, and no book is told; unless an earlier purge has deleted it", async () => {
  const world = kept([aBook("mux", "ended", { conversation: talk("A") })], []);
  const receipt = await world.purge();
  expect(receipt.result.kind).toBe("partial");
  expect(sentenceOfReceipt(receipt, world.session)).toContain("where it was kept is not known");
  expect([world.told, receiptJson(receipt, world.session).purge_result]).toEqual([[], "blocked"]);

  const context = {
    ...world.context,
    journal: { ...world.context.journal, findPurged: async () => ({ conversation: talk("A"), came: "deletedSome" }) as const },
  };
  expect((await purge(world.session, { pendingSeen: false }, context)).result.kind).toBe("success");
});

test("a row that was told of a purge that was cut off then: the other books are told, and what has the id by now is another's", async () => {
  const book = without(aBook("mux", "purged"), "conversation");
  const world = kept([book]);
  expect((await world.purge()).result).toMatchObject({ kind: "refused", reason: "unsupported" });
  const asked: string[][] = [];
  const findPurged: World["context"]["journal"]["findPurged"] = async ({ keys }) => {
    asked.push([...keys]);
    return { conversation, came: "cutOff" };
  };
  const context = { ...world.context, journal: { ...world.context.journal, findPurged } };
  expect((await purge(world.session, { pendingSeen: false }, context)).result.kind).toBe("success");
  expect([world.there.size, asked[0], world.told]).toEqual([2, [book.key], [`${book.key} purged`]]);
});

test("a command in the background that its agent started holds it up; one of another that has the pid by now does not", async () => {
  const world = kept([ended]);
  const own = world.agents.get("claude");
  if (!own) throw new Error("no agent");
  world.agents.set("claude", { ...own, childMarks: (_run, of) => ({ CLAUDE_PID: String(of) }) });
  const [itself, child] = [anEntry(pid(1)), anEntry(pid(99))];
  const environmentOf = async (of: ProcessIdentity) => new Map(of.pid === 99 ? [["CLAUDE_PID", String(ended.process?.pid)]] : []);
  const context = { ...world.context, environmentOf, takeCensus: async () => censusOf(itself, child) };
  expect((await purge(world.session, { pendingSeen: false }, context)).result).toMatchObject({ kind: "refused", reason: "stillAlive" });
  expect(world.there.size).toBe(2);
  const without99 = { ...context, takeCensus: async () => censusOf(itself) };
  expect((await purge(world.session, { pendingSeen: false }, without99)).result.kind).toBe("success");
});

test("a receipt that could not be written proves nothing", async () => {
  const world = kept([ended]);
  const append: World["context"]["journal"]["append"] = async ({ kind }) => {
    if (kind === "receipt") throw new Error("no space left on device");
  };
  const context = { ...world.context, journal: { ...world.context.journal, append } };
  const receipt = await purge(world.session, { pendingSeen: false }, context);
  expect(receipt.result.kind).toBe("partial");
  expect(receipt.warnings.join()).toContain("This is not in the journal");
});

test("what could not be looked at may be its own: no book is told, and a second purge finds it", async () => {
  const world = kept([ended]);
  world.leftAlone.push({ name: "a folder that can't be read", path: "/c/x", why: "what of it is in there can't be told", holds: "unseen" });
  const receipt = await world.purge();
  expect([receipt.result.kind, receiptJson(receipt, world.session).purge_result, world.told]).toEqual(["partial", "partial", []]);
  expect(sentenceOfReceipt(receipt, world.session)).toContain("Purge it again when that has changed");
  world.leftAlone.length = 0;
  expect((await world.purge()).result.kind).toBe("success");
  expect(world.told).toEqual([`${ended.key} purged`]);
});

test("one that is purged already is not purged again: whatever has its id by now is another's", async () => {
  const world = kept([without(aBook("mux", "purged"), "conversation")]);
  const context = { ...world.context, journal: { ...world.context.journal, findPurged: async () => ({ conversation, came: "deletedSome" }) as const } };
  expect((await purge(world.session, { pendingSeen: false }, context)).result).toMatchObject({ kind: "refused", reason: "unsupported" });
  expect(world.there.size).toBe(2);
});

test("what leads to a place that could not be deleted stays until it can be", async () => {
  const world = kept([ended], ["paste", "history", "transcript"]);
  world.onErase.set("paste", () => ({ kind: "blocked", reason: "it may not be changed" }));
  const receipt = await world.purge();
  expect([...world.there]).toEqual(["paste", "history"]);
  expect(receipt.purged?.[1]?.outcome).toEqual({ kind: "blocked", reason: "paste could not be deleted, and is found by it alone" });
  world.onErase.clear();
  expect((await world.purge()).result.kind).toBe("success");
  expect(world.there.size).toBe(0);
});

test("an agent's list of what lives that can't be read is no proof that nobody does", async () => {
  const world = kept([ended]);
  const own = world.agents.get("claude");
  if (!own) throw new Error("no agent");
  world.agents.set("claude", { ...own, readLive: async () => Promise.reject(new Error("EACCES")) });
  expect((await world.purge()).result).toMatchObject({ kind: "refused", reason: "livenessUnknown" });
  expect(world.there.size).toBe(2);
});

test("a conversation that would go with it, such as a sub-agent's, holds it up where it is open by itself", async () => {
  const world = kept([ended]);
  const own = world.agents.get("claude");
  if (!own) throw new Error("no agent");
  world.agents.set("claude", {
    ...own,
    stores: async (of, signal) => ({ ...((await own.stores?.(of, signal)) ?? { stores: [], leftAlone: [] }), family: ["A", "B"] }),
  });
  const ofChild = aRun({ key: "process:77", conversation: talk("B"), host: { kind: "process", process: pid(77) } });
  world.store.set(ofChild.key, ofChild);
  expect((await world.purge()).result).toMatchObject({
    kind: "refused",
    reason: "stillAlive",
    detail: "a conversation that would go with it, B: it is open in claude (77)",
  });
  world.store.delete(ofChild.key);
  expect((await world.purge()).result.kind).toBe("success");
});
