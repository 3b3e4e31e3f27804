import { expect, test } from "vitest";
import type { Operation } from "../../../src/core/lifecycle.ts";
import type { Receipt, Result } from "../../../src/core/receipt.ts";
import { receiptJson } from "../../../src/core/receiptJson.ts";
import type { Session } from "../../../src/core/session.ts";
import { aBook, aRecord, aRun, aSession, aTurn, now, seen, talk, without } from "../../support/facets.ts";
import { wrongBy } from "../../support/schema.ts";
import { itsChild } from "../../support/world.ts";

const running = aSession(aRun());
const ended = aSession(aBook("mux", "ended"));
/** No run that could be ended, and yet somebody lives: an editor that owns the record. */
const owned = aSession(without(aRecord("entire"), "process"));
/** No run, and whether anybody lives can't be known. */
const unseen = aSession(aRecord("mux", { liveness: seen("unknown", "ssh is in its pane") }));

function receipt(operation: Operation, result: Result, over: Partial<Receipt> = {}): Receipt {
  return { operation, session: "process:41", result, steps: [], records: [], warnings: [], startedAt: now, completedAt: now + 1_250, ...over };
}
const graceful: Result = { kind: "success", method: "graceful" };
const survived: Result = { kind: "partial", method: "forced", survivors: [itsChild, { kind: "turn", where: "127.0.0.1:4096" }] };

test("it has the seed's keys", () => {
  const whole = receiptJson(receipt("stop", graceful, { captured: talk("A"), warnings: ["hub (50) carries its mark and was left alone."] }), running, {
    tag: "nightly",
  });
  expect(whole).toEqual({
    status: "success",
    session_id: "process:41",
    source: "process",
    tag: "nightly",
    operation: "stop",
    message: "Stopped “fix login”. Its conversation A is saved.",
    reason: null,
    session_existed: true,
    termination_method: "graceful",
    captured_id: "A",
    captured_by: "agent",
    verification_result: "session_terminated",
    force_cleanup_enabled: false,
    verification_enabled: true,
    purge_result: null,
    purged: [],
    left_alone: [],
    tracking_cleanup_success: null,
    cleanup_tracking_enabled: false,
    survivors: [],
    records: [],
    steps: [],
    warnings: ["hub (50) carries its mark and was left alone."],
    started_at: "2026-11-30T00:53:20.000Z",
    completed_at: "2026-11-30T00:53:21.250Z",
    cleanup_duration_seconds: 1.25,
  });
});

test("nothing in it is lost by writing it as JSON", () => {
  const json = receiptJson(receipt("stop", { kind: "refused", reason: "busy" }), running);
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
});

test("who survives is named", () => {
  expect(receiptJson(receipt("terminate", survived), running).survivors).toEqual([
    { name: "sleep", pid: 42 },
    { name: "a turn in 127.0.0.1:4096", pid: null },
  ]);
});

test("each step and each book has its line, with whether it was verified", () => {
  const { steps, records } = receiptJson(
    receipt("stop", graceful, {
      steps: [
        { step: "capture", did: "A, told by agent", verified: undefined },
        { step: "ask", did: "SIGTERM to claude (41)", verified: seen(true, "nothing is left") },
      ],
      records: [{ record: "mux:r", change: "stopped", outcome: { kind: "failed", reason: "its disk is full" } }],
    }),
    running,
  );
  expect(steps).toEqual([
    { step: "capture", did: "A, told by agent", verified: null, seen: null },
    { step: "ask", did: "SIGTERM to claude (41)", verified: true, seen: "nothing is left" },
  ]);
  expect(records).toEqual([{ record: "mux:r", change: "stopped", outcome: "failed" }]);
});

test.each<[Result, string]>([
  [{ kind: "success", method: "notNeeded" }, "not_needed"],
  [graceful, "graceful"],
  [{ kind: "success", method: "hangUp" }, "hangup"],
  [{ kind: "success", method: "forced" }, "forced"],
  [survived, "forced"],
  [{ kind: "failed", reason: "cancelled" }, "failed"],
  [{ kind: "refused", reason: "busy" }, "failed"],
])("%o was ended by: %s", (result, method) => {
  expect(receiptJson(receipt("stop", result), running).termination_method).toBe(method);
});

test.each<[string, Operation, Result, Session, string]>([
  ["a stop that was verified", "stop", graceful, running, "session_terminated"],
  ["a stop of what was not running", "stop", { kind: "success", method: "notNeeded" }, ended, "session_not_accessible"],
  ["a turn that ended on a server", "stop", graceful, aSession(aTurn()), "session_may_still_exist"],
  ["survivors", "stop", survived, running, "session_may_still_exist"],
  ["survivors of a force", "terminate", survived, running, "session_may_still_exist"],
  ["a book that did not take it", "stop", { kind: "partial", method: "graceful", survivors: [] }, running, "session_terminated"],
  ["a refusal while it runs", "stop", { kind: "refused", reason: "busy" }, running, "session_may_still_exist"],
  ["a failure", "stop", { kind: "failed", reason: "cancelled" }, running, "session_may_still_exist"],
  ["a failure on what had ended", "stop", { kind: "failed", reason: "cancelled" }, ended, "session_may_still_exist"],
  ["a refusal because its owner lives", "stop", { kind: "refused", reason: "stillAlive", detail: "" }, owned, "session_may_still_exist"],
  ["a refusal because nobody can know", "stop", { kind: "refused", reason: "livenessUnknown", detail: "" }, unseen, "session_may_still_exist"],
  ["a refusal of what came back meanwhile", "finalize", { kind: "refused", reason: "stillAlive", detail: "" }, ended, "session_may_still_exist"],
  ["a finalize", "finalize", { kind: "success", method: "notNeeded" }, ended, "session_not_accessible"],
  ["a saved id", "captureId", { kind: "success", method: "notNeeded" }, running, "session_may_still_exist"],
  ["a new name for what has ended", "rename", { kind: "success", method: "notNeeded" }, ended, "session_not_accessible"],
  ["a new name for what its owner has open", "rename", { kind: "success", method: "notNeeded" }, owned, "session_may_still_exist"],
  ["a resume that was seen", "resume", { kind: "success", method: "notNeeded" }, ended, "session_may_still_exist"],
])("%s (%s) proves no more than it did", (_what, operation, result, session, verification) => {
  expect(receiptJson(receipt(operation, result), session).verification_result).toBe(verification);
});

const turn = aSession(aTurn());
const cleaned = { id: "ses_abc", existed: true, isGone: true, force: false, tracking: true, verify: true };
const taken = [{ record: "tracking:ses_abc", change: "forgotten", outcome: { kind: "recorded" } }] as const;
const notTaken = [{ record: "tracking:ses_abc", change: "forgotten", outcome: { kind: "failed", reason: "it is a symbolic link" } }] as const;
const notNeeded: Result = { kind: "success", method: "notNeeded" };
const partial: Result = { kind: "partial", method: "notNeeded", survivors: [] };

test.each<[string, Result, Partial<Receipt>, readonly unknown[]]>([
  ["ended and deleted", graceful, { cleanedUp: cleaned, records: taken }, ["success", true, "graceful", true, "session_not_accessible"]],
  ["idle and deleted", notNeeded, { cleanedUp: cleaned, records: taken }, ["success", true, "graceful", true, "session_not_accessible"]],
  [
    "hung up and deleted",
    { kind: "success", method: "hangUp" },
    { cleanedUp: cleaned, records: taken },
    ["success", true, "graceful", true, "session_not_accessible"],
  ],
  [
    "killed and deleted",
    { kind: "success", method: "forced" },
    { cleanedUp: { ...cleaned, force: true }, records: taken },
    ["success", true, "forced", true, "session_not_accessible"],
  ],
  [
    "found nowhere",
    notNeeded,
    { cleanedUp: { ...cleaned, existed: false }, records: [{ ...taken[0], outcome: { kind: "alreadySo" } }] },
    ["success", false, "not_needed", true, "session_not_accessible"],
  ],
  [
    "deleted, and its list can't be written",
    partial,
    { cleanedUp: cleaned, records: notTaken },
    ["partial", true, "graceful", false, "session_not_accessible"],
  ],
  ["deleted, its list left alone", graceful, { cleanedUp: { ...cleaned, tracking: false } }, ["success", true, "graceful", true, "session_not_accessible"]],
  ["still at work", survived, { cleanedUp: { ...cleaned, isGone: false } }, ["partial", true, "failed", false, "session_may_still_exist"]],
  [
    "still at work, and off its list by force",
    survived,
    { cleanedUp: { ...cleaned, isGone: false, force: true }, records: taken },
    ["partial", true, "failed", true, "session_may_still_exist"],
  ],
  ["refused", { kind: "refused", reason: "busy" }, { cleanedUp: { ...cleaned, isGone: false } }, ["refused", true, "failed", false, "session_may_still_exist"]],
  [
    "cut off",
    { kind: "failed", reason: "cancelled" },
    { cleanedUp: { ...cleaned, isGone: false } },
    ["failed", true, "failed", false, "session_may_still_exist"],
  ],
])("a clean-up in the seed's words: %s", (_what, result, over, words) => {
  const told = receiptJson(receipt("cleanUp", result, over), turn, { tag: "AUTO-1" });
  const { status, session_existed, termination_method, tracking_cleanup_success, verification_result } = told;
  expect([status, session_existed, termination_method, tracking_cleanup_success, verification_result]).toEqual(words);
  expect(wrongBy("opencode/cleanUpReceipt.schema.json", told)).toEqual([]);
});

test.each(["force", "tracking", "verify"] as const)("a clean-up says how it was asked for: %s", (flag) => {
  const off = { ...cleaned, force: false, tracking: false, verify: false };
  const told = receiptJson(receipt("cleanUp", graceful, { cleanedUp: { ...off, [flag]: true } }), turn);
  const flags = [told.force_cleanup_enabled, told.cleanup_tracking_enabled, told.verification_enabled];
  expect(flags).toEqual([flag === "force", flag === "tracking", flag === "verify"]);
});

test("the schema finds what is wrong", () => {
  const told = receiptJson(receipt("cleanUp", graceful, { cleanedUp: cleaned, records: taken }), turn);
  const wrong = (over: object) => wrongBy("opencode/cleanUpReceipt.schema.json", { ...told, ...over });
  expect(wrong({})).toEqual([]);
  for (const over of [
    { status: "done" },
    { session_id: "opencode:ses_abc" },
    { tag: 1 },
    { session_existed: "true" },
    { termination_method: "hangup" },
    { tracking_cleanup_success: null },
    { verification_result: "session_terminated" },
    { cleanup_duration_seconds: "3" },
    { started_at: "2026-11-30" },
  ])
    expect(wrong(over)).not.toEqual([]);
});
