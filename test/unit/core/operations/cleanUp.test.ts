import { expect, test } from "vitest";
import type { Facet, SessionRecord } from "../../../../src/core/facet.ts";
import { cleanUp, sessionOfId } from "../../../../src/core/operations/cleanUp.ts";
import type { CleanUpOptions } from "../../../../src/core/operations/cleanUp.ts";
import { stop } from "../../../../src/core/operations/stop.ts";
import type { Receipt } from "../../../../src/core/receipt.ts";
import { receiptJson } from "../../../../src/core/receiptJson.ts";
import type { Session } from "../../../../src/core/session.ts";
import type { Store, StoreOutcome } from "../../../../src/core/store.ts";
import { aBook, aRecord, aRun, aTurn, now, seen, talk, without } from "../../../support/facets.ts";
import { wrongBy } from "../../../support/schema.ts";
import { asked, aWorld, theAgent } from "../../../support/world.ts";
import type { LadderPlan, World } from "../../../support/world.ts";

const id = "ses_abc";
const whole: CleanUpOptions = { ...asked, force: false, tracking: true, verify: true };
const conversation = talk(id, { agent: "opencode" });
const working = aTurn({ key: `opencode:${id}`, conversation, title: "[AUTO-1] fix login" });
const archived = without(aBook("opencode", "archived", { key: `opencode:${id}`, agent: "opencode", conversation }), "process");
const tracked = without(
  aRecord("tracking", { key: `tracking:${id}`, liveness: seen("unknown"), isOnlyListed: true, agent: "opencode", conversation }),
  "process",
);
const turn = { kind: "turn", where: "127.0.0.1:4096" } as const;
const abort: LadderPlan = {
  ends: "turn",
  left: [[turn], []],
  rungs: [
    { step: "ask", does: "abort" },
    { step: "kill", does: "children" },
  ],
};
const stubborn: LadderPlan = { ...abort, left: [[turn]] };

interface Kept extends World {
  /** What was done, in the order in which it was done. */
  readonly done: string[];
  readonly clean: (options?: Partial<CleanUpOptions>) => Promise<Receipt>;
}

/** One server that keeps a session until it is deleted, and the lists that name it. */
function kept(facets: readonly Facet[], plan: LadderPlan = abort, store: Partial<Store> | "none" = {}): Kept {
  const world = aWorld(facets, plan);
  const done: string[] = [];
  const own: Store = {
    name: "the session on 127.0.0.1:4096",
    path: "http://127.0.0.1:4096",
    bytes: undefined,
    belongsBecause: "it is listed",
    async erase(): Promise<StoreOutcome> {
      done.push("delete");
      world.store.delete(`opencode:${id}`);
      return { kind: "erased" };
    },
    async residue() {
      done.push("prove");
      return [];
    },
    ...(store === "none" ? {} : store),
  };
  const servers = world.sources.get("opencode");
  if (servers) world.sources.set("opencode", { ...servers, stores: async () => ({ stores: store === "none" ? [] : [own], leftAlone: [] }) });
  // Also of what it has no record of: a person's list may have been written since.
  const lists = world.sources.get("tracking");
  if (lists)
    world.sources.set("tracking", {
      ...lists,
      record: async (record: SessionRecord, change) => {
        if (change.kind !== "forgotten") return { kind: "unsupported" };
        done.push(change.kind);
        return { kind: world.store.delete(record.key) ? "recorded" : "alreadySo" };
      },
    });
  world.hooks.onLook = (facet) => void done.push(`look at ${facet.source}`);
  world.hooks.onTake = (rung) => void done.push(rung);
  return { ...world, done, clean: (options = {}) => cleanUp(world.session, { ...whole, ...options }, world.context) };
}

function json(receipt: Receipt, session: Session) {
  const told = receiptJson(receipt, session);
  expect(wrongBy("opencode/cleanUpReceipt.schema.json", told)).toEqual([]);
  return told;
}

const seedsKeys = ["status", "session_existed", "termination_method", "tracking_cleanup_success", "verification_result"] as const;
const seedsWords = (receipt: Receipt, session: Session) => seedsKeys.map((key) => json(receipt, session)[key]);

test("it is looked for, ended, deleted, proved gone, and only then taken off the lists", async () => {
  const { clean, done, session, changes } = kept([working, tracked]);
  const receipt = await clean();
  expect(receipt.result).toEqual({ kind: "success", method: "graceful" });
  expect(done.filter((each) => !each.startsWith("look"))).toEqual(["abort", "delete", "prove", "forgotten"]);
  expect(done[0]).toMatch(/^look/);
  expect(seedsWords(receipt, session)).toEqual(["success", true, "graceful", true, "session_not_accessible"]);
  // No book is told that a session of a server stopped.
  expect(changes).toEqual([]);
});

test("an idle one is deleted without being asked to end, which is the graceful way", async () => {
  const { clean, done, session } = kept([working, tracked], { ...abort, left: [[]] });
  const receipt = await clean();
  expect(done).not.toContain("abort");
  expect(seedsWords(receipt, session)).toEqual(["success", true, "graceful", true, "session_not_accessible"]);
});

test("one of the past that is archived is deleted too", async () => {
  const { clean, session, done } = kept([archived, tracked]);
  expect(seedsWords(await clean(), session)).toEqual(["success", true, "graceful", true, "session_not_accessible"]);
  expect(done).not.toContain("abort");
});

test("what does not end is not deleted, and stays on the lists", async () => {
  const { clean, done, session } = kept([working, tracked], stubborn);
  const receipt = await clean();
  expect(receipt.result).toEqual({ kind: "partial", method: "graceful", survivors: [turn] });
  expect(done.filter((each) => !each.startsWith("look"))).toEqual(["abort"]);
  expect(seedsWords(receipt, session)).toEqual(["partial", true, "failed", false, "session_may_still_exist"]);
});

test("forced, what its tools run is killed; if it does not end even so it is not deleted, but taken off the lists", async () => {
  const { clean, done, session } = kept([working, tracked], stubborn);
  const receipt = await clean({ force: true });
  expect(done.filter((each) => !each.startsWith("look"))).toEqual(["abort", "children", "forgotten"]);
  expect(seedsWords(receipt, session)).toEqual(["partial", true, "failed", true, "session_may_still_exist"]);
  expect(json(receipt, session).force_cleanup_enabled).toBe(true);
});

test("forced and ended by force, it says so", async () => {
  const { clean, session } = kept([working], { ...abort, left: [[turn], [turn], []] });
  expect(seedsWords(await clean({ force: true }), session)).toEqual(["success", true, "forced", true, "session_not_accessible"]);
});

test("a window that had it open and was hung up has gone gracefully, in the seed's words", async () => {
  const { clean, session } = kept([working], { left: [[theAgent], [theAgent], []] });
  const receipt = await clean();
  expect(receipt.result).toEqual({ kind: "success", method: "hangUp" });
  expect(json(receipt, session).termination_method).toBe("graceful");
});

test("of what may run where nobody can look nothing is deleted, and it stays on the lists", async () => {
  const record: SessionRecord = { ...archived, liveness: seen("unknown", "it may run in opencode (77), which can't be asked") };
  const { clean, done, session } = kept([record, tracked]);
  const receipt = await clean();
  expect(done.filter((each) => !each.startsWith("look"))).toEqual([]);
  expect(receipt.warnings).toContain("Whether it still exists can't be known: it may run in opencode (77), which can't be asked.");
  expect(seedsWords(receipt, session)).toEqual(["partial", false, "failed", false, "session_may_still_exist"]);
});

test("a window that has it open, or had, is not ended for it, not by force either: nothing is deleted while it lives", async () => {
  const window = aRun({ agent: "opencode", conversation, title: "[AUTO-1] fix login" });
  for (const force of [false, true]) {
    const { clean, done, session } = kept([window, archived, tracked], { left: [[theAgent], []] });
    const receipt = await clean({ force });
    expect(done.filter((each) => !each.startsWith("look"))).toEqual(force ? ["forgotten"] : []);
    expect(receipt.warnings[0]).toContain("it may be open in opencode (41)");
    expect(seedsWords(receipt, session).slice(2)).toEqual(["failed", force, "session_may_still_exist"]);
  }
});

test.each([
  ["a run", [working, tracked]],
  ["a session of the past", [archived, tracked]],
  ["what only a list names", [tracked]],
] as const)("a server that does not answer for %s: partial, nothing is deleted, and it stays on the lists", async (_what, facets) => {
  const { clean, done, session, hooks } = kept(facets);
  hooks.onLook = ({ source }) => (source === "opencode" ? { kind: "unreachable", reason: "127.0.0.1:4096 did not answer in time" } : undefined);
  const receipt = await clean();
  expect(done).toEqual([]);
  expect(receipt.warnings.join(" ")).toContain("127.0.0.1:4096 did not answer in time");
  expect(seedsWords(receipt, session).slice(2)).toEqual(["failed", false, "session_may_still_exist"]);
  expect(receipt.result.kind).toBe("partial");
});

test("found on no server, it was cleaned up before: a success, and off the lists it goes", async () => {
  const { clean, done, session } = kept([tracked]);
  expect(seedsWords(await clean(), session)).toEqual(["success", false, "not_needed", true, "session_not_accessible"]);
  expect(done).toEqual(["look at tracking", "look at opencode", "forgotten"]);
});

test("a second time is a success too", async () => {
  const world = kept([working, tracked]);
  await world.clean();
  expect(seedsWords(await world.clean(), world.session)).toEqual(["success", false, "not_needed", true, "session_not_accessible"]);
});

test("an id that is in no list is looked for on the servers, and taken off the tracking files all the same", async () => {
  const { context, done } = kept([aRecord("mux")]);
  const session = sessionOfId(id, now);
  expect(seedsWords(await cleanUp(session, whole, context), session)).toEqual(["success", false, "not_needed", true, "session_not_accessible"]);
  expect(done).toEqual(["look at opencode", "forgotten"]);
});

test("an id that can't be OpenCode's is no server's to know", async () => {
  const only = { ...without(tracked, "conversation"), key: "tracking:abc123-def456" } as const;
  const { clean, session, done } = kept([only]);
  for (const verify of [true, false]) {
    const receipt = await clean({ verify });
    expect(seedsWords(receipt, session)).toEqual(["success", false, "not_needed", true, "session_not_accessible"]);
    expect(json(receipt, session).session_id).toBe("abc123-def456");
  }
  expect(done).toEqual(["look at tracking", "forgotten", "look at tracking", "forgotten"]);
});

test("without the look before, what no server lists is deleted and proved gone all the same", async () => {
  const { clean, done, session } = kept([tracked]);
  const receipt = await clean({ verify: false });
  expect(done.filter((each) => !each.startsWith("look"))).toEqual(["delete", "prove", "forgotten"]);
  expect(seedsWords(receipt, session)).toEqual(["success", false, "not_needed", true, "session_not_accessible"]);
  expect(json(receipt, session).verification_enabled).toBe(false);
});

test.each<[string, Partial<Store> | "none", string]>([
  ["a server that refuses", { erase: async () => ({ kind: "blocked", reason: "it still runs on http://127.0.0.1:4096" }) }, "it still runs on"],
  ["a server that has it all the same", { residue: async () => ["http://127.0.0.1:4096 still lists it"] }, "still lists it"],
  ["no server that could be asked", "none", "No server"],
])("%s: partial, said why, and it stays on the lists", async (_what, store, why) => {
  const { clean, done, session } = kept([working, tracked], abort, store);
  const receipt = await clean();
  expect(done).not.toContain("forgotten");
  // Nothing was deleted, so nobody is asked whether it is gone.
  if (why === "it still runs on") expect(done).not.toContain("prove");
  expect(seedsWords(receipt, session)).toEqual(["partial", true, "failed", false, "session_may_still_exist"]);
  expect(json(receipt, session).message).toContain(why);
});

test("a server that never had it is not said to have deleted it", async () => {
  const { clean, session } = kept([tracked], abort, { erase: async () => ({ kind: "absent" }) });
  const receipt = await clean({ verify: false });
  expect(seedsWords(receipt, session)).toEqual(["success", false, "not_needed", true, "session_not_accessible"]);
  const dids = json(receipt, session).steps.map(({ did }) => did);
  expect(dids.filter((did) => did.startsWith("deleted"))).toEqual([]);
});

test("told to leave the tracking files alone, it does, and that is no failure", async () => {
  const { clean, done, session } = kept([working, tracked]);
  const receipt = await clean({ tracking: false });
  expect(done).not.toContain("forgotten");
  expect(seedsWords(receipt, session)).toEqual(["success", true, "graceful", true, "session_not_accessible"]);
  expect(json(receipt, session).cleanup_tracking_enabled).toBe(false);
});

test("a tracking file that can't be written makes it partial, though the session is gone", async () => {
  const { clean, session, sources } = kept([working, tracked]);
  const lists = sources.get("tracking");
  if (lists) sources.set("tracking", { ...lists, record: async () => ({ kind: "failed", reason: "it is a symbolic link" }) });
  expect(seedsWords(await clean(), session)).toEqual(["partial", true, "graceful", false, "session_not_accessible"]);
});

test("a title without the tag is a warning, and holds up nothing", async () => {
  expect((await kept([working]).clean({ tag: "AUTO-1" })).warnings).toEqual([]);
  const receipt = await kept([working]).clean({ tag: "AUTO-2" });
  expect(receipt.warnings).toEqual(["Its title does not contain [AUTO-2]: [AUTO-1] fix login"]);
  expect(receipt.result.kind).toBe("success");
});

test("refused because another is at work on it, or cut off: nothing is claimed, and the flags are told as they were given", async () => {
  const flags = { force: true, tracking: false, verify: false };
  const busy = kept([working, tracked]);
  busy.held.add(`opencode:${id}`);
  const cut = kept([working, tracked]);
  cut.hooks.onLook = () => {
    cut.abort.abort();
    throw new Error("aborted");
  };
  for (const [world, status] of [
    [busy, "refused"],
    [cut, "failed"],
  ] as const) {
    const receipt = await world.clean(flags);
    expect([...seedsWords(receipt, world.session)]).toEqual([status, true, "failed", true, "session_may_still_exist"]);
    expect(json(receipt, world.session)).toMatchObject({
      session_id: id,
      force_cleanup_enabled: true,
      cleanup_tracking_enabled: false,
      verification_enabled: false,
    });
    expect(world.done.filter((each) => !each.startsWith("look"))).toEqual([]);
  }
});

test("a run that can no longer be told from others is refused, and left on the lists", async () => {
  const { clean, session, done } = kept([working, tracked]);
  const receipt = await clean();
  expect(receipt.result.kind).toBe("success");
  const doubtful = kept([working, tracked]);
  const refused = await cleanUp({ ...session, doubt: { why: "two could be it", candidates: ["opencode:a", "opencode:b"] } }, whole, doubtful.context);
  expect(refused.result).toMatchObject({ kind: "refused", reason: "ambiguous" });
  expect(doubtful.done).toEqual([]);
  expect(done).toContain("forgotten");
  json(refused, session);
});

test("what runs in a server is not noted in our ledger, whatever is done to it", async () => {
  const { clean, store } = kept([working]);
  await clean();
  const other = aWorld([working], abort);
  await stop(other.session, asked, other.context);
  for (const keys of [store.keys(), other.store.keys()]) expect([...keys].filter((key) => key.startsWith("ledger"))).toEqual([]);
});
