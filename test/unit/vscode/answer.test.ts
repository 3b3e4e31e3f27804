import { expect, it } from "vitest";
import type { Result } from "../../../src/core/receipt.ts";
import { answerOf } from "../../../src/vscode/answer.ts";
import { now, ofServer, receipt, session } from "./sessions.ts";

const login = session("login");
const schema = session("schema");
const captured = { agent: "claude", id: "6b1f", toldBy: "agent" } as const;
const success: Result = { kind: "success", method: "graceful" };
const survived: Result = {
  kind: "partial",
  method: "graceful",
  survivors: [{ kind: "process", process: { pid: 4121, start: { kind: "ticks", ticks: "7" } }, name: "claude", bond: "tree" }],
};

it("a stop says that the id is saved, and offers to resume", () => {
  const answer = answerOf([{ session: login, receipt: receipt("stop", login, success, { captured }) }]);
  expect(answer).toMatchObject({ weight: "information", next: { does: "Resume", sessions: [login] } });
  expect(answer.text).toContain("6b1f is saved");
});

it("what can't be resumed is not offered to be", () => {
  const lost = { ...captured, resumable: { value: false, seen: "no transcript", at: now } };
  expect(answerOf([{ session: login, receipt: receipt("stop", login, success, { captured: lost }) }]).next).toBeUndefined();
  expect(answerOf([{ session: login, receipt: receipt("stop", login, success) }]).next).toBeUndefined();
});

it("a stop that ends still running offers force, and names who is left", () => {
  const answer = answerOf([{ session: login, receipt: receipt("stop", login, survived) }]);
  expect(answer).toMatchObject({ weight: "warning", next: { does: "Force Terminate", sessions: [login] } });
  expect(answer.text).toContain("claude (4121)");
});

it("a turn that was stopped on a server leaves its session there: nothing is to be resumed, and no id was to be saved", () => {
  const turn = ofServer("schema");
  const answer = answerOf([{ session: turn, receipt: receipt("stop", turn, success, { captured }) }]);
  expect(answer).toMatchObject({ weight: "information", next: undefined });
  expect(answer.text).toBe("Stopped “schema”: its turn is over, and the session stays.");
});

it("a turn that goes on is said to be at work, not to have left a terminal", () => {
  const turn = ofServer("schema");
  const goesOn: Result = { kind: "partial", method: "graceful", survivors: [{ kind: "turn", where: "http://127.0.0.1:4096" }] };
  expect(answerOf([{ session: turn, receipt: receipt("stop", turn, goesOn) }])).toMatchObject({
    weight: "warning",
    text: "“schema” is still at work: a turn in http://127.0.0.1:4096. Stop it once more.",
  });
});

it("an answer to a permission is said quietly", () => {
  expect(answerOf([{ session: login, receipt: receipt("answer", login, success) }])).toMatchObject({ weight: "quiet", next: undefined });
});

it("what survived even force is not offered force again", () => {
  expect(answerOf([{ session: login, receipt: receipt("terminate", login, survived) }]).next).toBeUndefined();
});

it("a forget can be taken back, and what was only written down is said quietly", () => {
  const done: Result = { kind: "success", method: "notNeeded" };
  expect(answerOf([{ session: login, receipt: receipt("forget", login, done) }])).toMatchObject({
    weight: "information",
    next: { does: "Undo", sessions: [login] },
  });
  for (const operation of ["start", "track", "restore", "archive"] as const)
    expect(answerOf([{ session: login, receipt: receipt(operation, login, done) }])).toMatchObject({ weight: "quiet", next: undefined });
});

it("of several, the good are counted, and the bad said each", () => {
  const answer = answerOf([
    { session: login, receipt: receipt("stop", login, success, { captured }) },
    { session: schema, receipt: receipt("stop", schema, survived) },
  ]);
  expect(answer.text).toMatch(/^Stopped 1 session\. “schema” is still running/);
  expect(answer).toMatchObject({ weight: "warning", next: { does: "Force Terminate", sessions: [schema] } });
});

it("what the tree shows by itself is said quietly", () => {
  expect(answerOf([{ session: login, receipt: receipt("rename", login, success) }]).weight).toBe("quiet");
  expect(answerOf([{ session: login, receipt: receipt("finalize", login, success) }]).weight).toBe("quiet");
});

it("to be called off is no failure", () => {
  expect(answerOf([{ session: login, receipt: receipt("stop", login, { kind: "failed", reason: "cancelled" }) }])).toMatchObject({
    weight: "information",
    next: undefined,
  });
});

it("a failure leads to the journal", () => {
  expect(answerOf([{ session: login, receipt: receipt("stop", login, { kind: "failed", reason: "the disk is full" }) }])).toMatchObject({
    weight: "error",
    next: { does: "Show Journal" },
  });
});

it("a title is no link in what is said", () => {
  const hostile = session("[x](command:evil)");
  expect(answerOf([{ session: hostile, receipt: receipt("stop", hostile, success) }]).text).not.toContain("](");
});
