import { expect, test } from "vitest";
import type { AgentId } from "../../../src/core/facet.ts";
import type { Operation } from "../../../src/core/lifecycle.ts";
import type { Receipt, Result } from "../../../src/core/receipt.ts";
import type { Refusal } from "../../../src/core/refusal.ts";
import type { RecordOutcome } from "../../../src/core/source.ts";
import { sentenceOfConcern } from "../../../src/core/concernSentences.ts";
import { agentNames, processWords, sentenceOfReceipt, sentenceOfRefusal, statusWords, wordsOfRemnants } from "../../../src/core/sentences.ts";
import { aBook, aRun, aSession, aTurn, now, pid, talk, withStatus } from "../../support/facets.ts";
import { itsChild, theAgent } from "../../support/world.ts";

const session = aSession(aRun());
const detail = "its tmux server does not answer";
const refusals: readonly [Refusal, string][] = [
  [{ kind: "refused", reason: "notFound", asked: "login" }, "There is no session login. Refresh the list to see what there is."],
  [
    { kind: "refused", reason: "ambiguous", candidates: ["process:41", "mux:r"] },
    "“fix login” can't be told from others: process:41, mux:r. Name one of them by its key.",
  ],
  [
    { kind: "refused", reason: "mustBeNamed", process: pid(41) },
    "“fix login” was not stopped: process 41 is named by no record and no file of the agent's. Choose that very row, or give its key.",
  ],
  [{ kind: "refused", reason: "busy" }, "Somebody else is at work on “fix login”. Try again in a moment."],
  [{ kind: "refused", reason: "noLongerOneSession" }, "“fix login” is not what it was when it was listed. Refresh the list and choose again."],
  [{ kind: "refused", reason: "unreachable", detail }, `“fix login” can't be reached: ${detail}.`],
  [{ kind: "refused", reason: "livenessUnknown", detail }, `Whether “fix login” still runs can't be known from here: ${detail}. Nothing was done.`],
  [{ kind: "refused", reason: "stillAlive", detail: "process 41" }, "“fix login” is alive (process 41). Stop it first."],
  [{ kind: "refused", reason: "protected", detail }, `“fix login” was not touched: ${detail}.`],
  [{ kind: "refused", reason: "notEndable", detail }, `“fix login” can't be ended from here: ${detail}.`],
  [{ kind: "refused", reason: "pendingWork", detail }, `“fix login” has work that would be lost: ${detail}.`],
  [{ kind: "refused", reason: "unsupported", detail }, `That can't be done with “fix login”: ${detail}.`],
];
const operations: readonly Operation[] = [
  ...(["stop", "terminate", "captureId", "answer", "cleanUp", "finalize", "goTo", "peek", "resume", "start", "track", "rename"] as const),
  ...(["archive", "unarchive", "forget", "restore"] as const),
];

function receipt(operation: Operation, result: Result, over: Partial<Receipt> = {}): Receipt {
  return { operation, session: session.key, result, steps: [], records: [], warnings: [], startedAt: now, completedAt: now, ...over };
}
const say = (operation: Operation, result: Result, over: Partial<Receipt> = {}) => sentenceOfReceipt(receipt(operation, result, over), session);
const recorded = (outcome: RecordOutcome): Partial<Receipt> => ({ records: [{ record: "mux:r", change: "stopped", outcome }] });

test.each(refusals)("refused: $reason", (refusal, sentence) => {
  expect(sentenceOfRefusal(refusal, session)).toBe(sentence);
  expect(say("stop", refusal)).toBe(sentence);
});

test("a refusal of what was not even found names no session", () => {
  for (const [refusal] of refusals) expect(sentenceOfRefusal(refusal, undefined)).not.toContain("fix login");
  expect(sentenceOfRefusal({ kind: "refused", reason: "busy" }, undefined)).toBe("Somebody else is at work on that session. Try again in a moment.");
  expect(sentenceOfRefusal({ kind: "refused", reason: "noLongerOneSession" }, undefined)).toMatch(/^That session is not/);
});

test.each<[Operation, Result, Partial<Receipt>, string]>([
  ["stop", { kind: "success", method: "graceful" }, { captured: talk("A") }, "Stopped “fix login”. Its conversation A is saved."],
  ["stop", { kind: "success", method: "hangUp" }, {}, "Stopped “fix login”. No conversation id was found."],
  ["stop", { kind: "success", method: "notNeeded" }, {}, "“fix login” was not running."],
  ["terminate", { kind: "success", method: "graceful" }, { captured: talk("A") }, "Stopped “fix login”. Its conversation A is saved."],
  ["terminate", { kind: "success", method: "forced" }, { captured: talk("A") }, "Force-terminated “fix login”. Its conversation A is saved."],
  ["captureId", { kind: "success", method: "notNeeded" }, { captured: talk("A") }, "Saved the conversation id of “fix login”. It is A."],
  ["finalize", { kind: "success", method: "notNeeded" }, {}, "“fix login” is recorded as stopped."],
  ["resume", { kind: "success", method: "notNeeded" }, {}, "Resumed “fix login”."],
  ["forget", { kind: "success", method: "notNeeded" }, {}, "“fix login” is forgotten here; its conversation is untouched."],
  [
    "captureId",
    { kind: "failed", reason: "no conversation id was found" },
    {},
    "Saving the conversation id of “fix login” failed: no conversation id was found. The journal has the steps that were taken.",
  ],
  ["stop", { kind: "failed", reason: "cancelled" }, {}, "Stopping “fix login” failed: cancelled. The journal has the steps that were taken."],
])("%s: %o", (operation, result, over, sentence) => {
  expect(say(operation, result, over)).toBe(sentence);
});

test("what a stop left over is named, and so is the way on", () => {
  const partial: Result = { kind: "partial", method: "hangUp", survivors: [theAgent, itsChild] };
  expect(say("stop", partial)).toBe("“fix login” is still running: claude (41), sleep (42). Force Terminate ends what is left.");
});

test("what survives a force is not told to be ended by a force", () => {
  const sentence = say("terminate", { kind: "partial", method: "forced", survivors: [itsChild] });
  expect(sentence).toBe("“fix login” is still running: sleep (42). What is left has to be ended by hand.");
});

test.each<[RecordOutcome, string]>([
  [{ kind: "busy" }, "mux:r (busy)"],
  [{ kind: "changedMeanwhile", fresh: undefined }, "mux:r (it changed meanwhile)"],
  [{ kind: "failed", reason: "its disk is full" }, "mux:r (its disk is full)"],
  [{ kind: "unreachable", reason: "locked" }, "mux:r (locked)"],
])("a book that did not take it is named: %o", (outcome, words) => {
  const partial: Result = { kind: "partial", method: "graceful", survivors: [] };
  expect(say("stop", partial, recorded(outcome))).toBe(`Stopped “fix login”, but not every record of it could be written: ${words}.`);
});

test("on a server a turn ends and its session stays, which is said", () => {
  const turn = aSession(aTurn());
  const told = (result: Result) => sentenceOfReceipt(receipt("stop", result), turn);
  expect(told({ kind: "success", method: "graceful" })).toBe("Stopped “fix login”: its turn is over, and the session stays.");
  expect(told({ kind: "success", method: "notNeeded" })).toBe("“fix login” was not at work.");
  expect(told({ kind: "partial", method: "graceful", survivors: [{ kind: "turn", where: "127.0.0.1:4096" }] })).toBe(
    "“fix login” is still at work: a turn in 127.0.0.1:4096. Stop it once more.",
  );
});

const cleaned = { id: "ses_abc", existed: true, isGone: true, force: false, tracking: true, verify: true };
test.each<[string, Result, Partial<Receipt>, string]>([
  ["deleted", { kind: "success", method: "graceful" }, { cleanedUp: cleaned }, "Deleted “fix login” from its server."],
  ["found nowhere", { kind: "success", method: "notNeeded" }, { cleanedUp: { ...cleaned, existed: false } }, "“fix login” was on no server."],
  [
    "not proved gone",
    { kind: "partial", method: "notNeeded", survivors: [] },
    { cleanedUp: { ...cleaned, isGone: false }, warnings: ["No server could be asked to delete it."] },
    "“fix login” was not cleaned up: it may still be on its server. No server could be asked to delete it.",
  ],
  [
    "gone, and its list can't be written",
    { kind: "partial", method: "graceful", survivors: [] },
    { cleanedUp: cleaned, records: [{ record: "tracking:s", change: "forgotten", outcome: { kind: "failed", reason: "it is a symbolic link" } }] },
    "Deleted “fix login” from its server, but not every record of it could be written: tracking:s (it is a symbolic link).",
  ],
])("a clean-up says what became of it: %s", (_what, result, over, sentence) => {
  expect(say("cleanUp", result, over)).toBe(sentence);
});

test("no sentence of any operation has a hole", () => {
  const results: readonly Result[] = [
    { kind: "success", method: "notNeeded" },
    { kind: "success", method: "forced" },
    { kind: "partial", method: "graceful", survivors: [] },
    { kind: "partial", method: "forced", survivors: [itsChild] },
    { kind: "failed", reason: "cancelled" },
    ...refusals.map(([refusal]) => refusal),
  ];
  for (const operation of operations)
    for (const result of results) {
      const sentence = say(operation, result, recorded({ kind: "busy" }));
      expect(sentence).toMatch(/^[A-Z“].*[.]$/);
      expect(sentence).not.toMatch(/undefined|null|NaN|\[object|Error:|!/);
    }
});

test.each([
  ["midTurn", withStatus(session, "working"), "It is in the middle of a turn; the rest of the answer is lost."],
  ["midTurn", withStatus(session, "needsInput"), "It waits for an answer; the pending step will not be run."],
  ["notResumable", session, "Its conversation can't be resumed afterwards."],
  ["notResumable", { ...session, conversation: undefined }, "Its conversation id is not known, so it may not be resumable afterwards."],
  ["force", session, "What does not leave when asked is killed."],
  ["deletes", session, "Its conversation is deleted on its server, and can't be resumed."],
  ["noWarrant", session, "This ends claude (41), which no record names."],
] as const)("before: %s", (concern, of, sentence) => {
  expect(sentenceOfConcern(concern, of)).toBe(sentence);
});

test("a process is named by its agent and pid, a server's session by its place, and nothing by a word", () => {
  expect(processWords(session)).toBe("claude (41)");
  expect(processWords(aSession(aTurn()))).toBe("127.0.0.1:4096");
  expect(processWords(aSession(aBook("mux", "ended")))).toBe("nothing");
});

test("what is left is said in words, nothing too", () => {
  expect(wordsOfRemnants([theAgent, { kind: "turn", where: "127.0.0.1:4096" }])).toBe("claude (41), a turn in 127.0.0.1:4096");
  expect(wordsOfRemnants([])).toBe("nothing is left");
});

test("every agent and every status has a name", () => {
  const agents: readonly AgentId[] = ["claude", "codex", "opencode", "cline", "gemini", "copilot", "agy", "hermes"];
  expect(agents.map((id) => agentNames[id]).filter(Boolean)).toHaveLength(8);
  expect(Object.values(statusWords).filter((word) => /^[a-z ]+$/.test(word))).toHaveLength(10);
});
