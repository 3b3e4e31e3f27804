import { expect, test } from "vitest";
import type { Remnant } from "../../../../src/core/ladder.ts";
import { endOrphan } from "../../../../src/core/operations/endOrphan.ts";
import type { OrphanFinder } from "../../../../src/core/orphanFinder.ts";
import type { Orphan } from "../../../../src/core/orphans.ts";
import { sentenceOfReceipt } from "../../../../src/core/sentences.ts";
import { aRun, aSession, anEntry, pid } from "../../../support/facets.ts";
import { aWorld, theAgent } from "../../../support/world.ts";

const entry = anEntry(pid(70), { argv: ["/bin/sleep", "600"] });
const sleep: Orphan = {
  key: "process:70-7",
  process: pid(70),
  what: "sleep 600",
  why: "It was left behind by OpenCode (60), which is gone.",
  protection: undefined,
  tree: [entry],
  session: undefined,
  cwd: "/app",
  startedAt: undefined,
  usage: undefined,
};
const itself: Remnant = { kind: "process", process: pid(70), name: "sleep", bond: "tree" };

/** What each look finds, the last one for ever; what is left after each signal. */
function aFinder(looks: readonly (readonly Orphan[])[], left: readonly (readonly Remnant[])[] = [[]]): OrphanFinder & { readonly taken: string[] } {
  const taken: string[] = [];
  let look = 0;
  const now = () => looks[Math.min(look, looks.length - 1)] ?? [];
  const remains = async () => left[Math.min(taken.length, left.length) - 1] ?? [itself];
  const rung = (step: "ask" | "kill", does: string) => ({
    step,
    reach: "session" as const,
    does,
    graceMs: 5,
    take: async () => {
      taken.push(does);
      return { kind: "taken" as const, did: does };
    },
  });
  return {
    taken,
    ours: 1,
    find: async () => {
      const found = now();
      look++;
      return found;
    },
    measured: async (orphans) => orphans,
    ladderOf: () => ({ ends: "session", rungs: [rung("ask", "SIGTERM"), rung("kill", "SIGKILL")], remains, settled: remains }),
    treesOf: async (roots) => roots.map(() => (now().length > 0 ? [entry] : [])),
    usageOf: async () => [],
    clientsOf: async () => [],
  };
}

const world = () => aWorld([aRun()]);

test("it is looked at twice, a second apart, asked to leave, and gone", async () => {
  const finder = aFinder([[sleep]]);
  const { context, pauses, journal } = world();
  const receipt = await endOrphan(sleep, finder, context);
  expect([receipt.result, receipt.session, finder.taken, pauses]).toEqual([{ kind: "success", method: "graceful" }, "process:70-7", ["SIGTERM"], [1_000]]);
  expect(receipt.steps.map(({ step }) => step)).toEqual(["look", "look", "ask"]);
  expect(journal.map(({ kind }) => kind)).toEqual(["intent", "receipt"]);
});

test("what stays is killed, and said to have been", async () => {
  const finder = aFinder([[sleep]], [[itself], []]);
  const receipt = await endOrphan(sleep, finder, world().context);
  expect([receipt.result, finder.taken, receipt.warnings]).toEqual([
    { kind: "success", method: "forced" },
    ["SIGTERM", "SIGKILL"],
    ["It did not leave when asked, and was killed."],
  ]);
});

test("what has started itself anew as it was ended is named, and another of its kind that was there before is not", async () => {
  const [again, other] = [71, 72].map((number) => ({ ...sleep, key: `process:${number}-8` as const, process: pid(number, "8") }));
  const receipt = await endOrphan(
    sleep,
    aFinder([
      [sleep, other!],
      [sleep, other!],
      [again!, other!],
    ]),
    world().context,
  );
  expect([receipt.result, receipt.warnings]).toEqual([
    { kind: "partial", method: "graceful", survivors: [{ ...itself, process: pid(71, "8") }] },
    ["It has started itself anew: sleep 600 (71)."],
  ]);
  expect((await endOrphan(sleep, aFinder([[sleep, other!], [sleep, other!], [other!]]), world().context)).result.kind).toBe("success");
});

test("what stays even then is named", async () => {
  const session = aSession(aRun({ title: "sleep 600" }));
  const receipt = await endOrphan(sleep, aFinder([[sleep]], [[itself]]), world().context);
  expect(sentenceOfReceipt(receipt, session)).toBe("“sleep 600” is still running: sleep (70). What is left has to be ended by hand.");
});

test.each([
  ["is protected by now", [[{ ...sleep, protection: "somebody is connected to it" }]], "protected"],
  ["is protected at the second look", [[sleep], [{ ...sleep, protection: "somebody is connected to it" }]], "protected"],
  ["is left by another by now", [[{ ...sleep, why: "It was left behind by OpenCode (61), which is gone." }]], "noLongerOneSession"],
  ["is another process of that pid", [[{ ...sleep, process: pid(70, "8") }]], "noLongerOneSession"],
])("one that %s is left alone", async (_what, looks, reason) => {
  const finder = aFinder(looks);
  const receipt = await endOrphan(sleep, finder, world().context);
  expect([receipt.result, finder.taken]).toEqual([expect.objectContaining({ kind: "refused", reason }), []]);
});

test("one that is gone by then had ended", async () => {
  const finder = aFinder([[sleep], []]);
  const receipt = await endOrphan(sleep, finder, world().context);
  expect([receipt.result, finder.taken]).toEqual([{ kind: "success", method: "notNeeded" }, []]);
});

test("an agent is ended by its own way: its id is saved, its books are told, and it is killed only if it stays", async () => {
  const { session, context, taken, told } = aWorld([aRun()], { left: [[theAgent], [theAgent], [theAgent], []] });
  const orphan: Orphan = { ...sleep, key: session.key, process: pid(41), session };
  const receipt = await endOrphan(orphan, aFinder([[orphan]]), context);
  expect([receipt.result, taken, receipt.captured?.id]).toEqual([{ kind: "success", method: "forced" }, ["ask", "hangUp", "kill"], "A"]);
  expect(told).toContain("ledger:x stopped");
});

test("somebody else at work on it is let be", async () => {
  const { context, held } = world();
  held.add("process:70-7");
  expect((await endOrphan(sleep, aFinder([[sleep]]), context)).result).toEqual({ kind: "refused", reason: "busy" });
});
