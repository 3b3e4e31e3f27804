import { expect, it } from "vitest";
import { createIncidents } from "../../../src/vscode/incidents.ts";
import { run, session, snapshotOf } from "./sessions.ts";

const waiting = session("login", { is: "needsInput" });
const working = session("login", { is: "working" });
const unclear = session("login", { is: "unknown" });

it("what waits at the first look is not told", () => {
  expect(createIncidents()(snapshotOf(waiting))).toEqual([]);
});

it("who begins to wait is told once, and again only after it went on", () => {
  const begun = createIncidents();
  begun(snapshotOf(working));
  expect(begun(snapshotOf(waiting))).toEqual([waiting]);
  expect(begun(snapshotOf(waiting))).toEqual([]);
  begun(snapshotOf(working));
  expect(begun(snapshotOf(waiting))).toEqual([waiting]);
});

it("a moment without an answer is no new incident", () => {
  const begun = createIncidents();
  begun(snapshotOf(working));
  begun(snapshotOf(waiting));
  begun(snapshotOf(unclear));
  expect(begun(snapshotOf(waiting))).toEqual([]);
});

it("what waits below another is told by that one alone", () => {
  const begun = createIncidents();
  begun(snapshotOf(working));
  expect(begun(snapshotOf(waiting, session("a", { is: "needsInput", parent: waiting.key })))).toEqual([waiting]);
});

it("automation is never told of", () => {
  const begun = createIncidents();
  begun(snapshotOf());
  expect(begun(snapshotOf(session("nightly", { is: "needsInput", run: run("process:nightly", { runsIn: "automation" }) })))).toEqual([]);
});
