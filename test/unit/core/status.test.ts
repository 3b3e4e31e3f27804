import { expect, test } from "vitest";
import type { Activity, Liveness, Recorded } from "../../../src/core/facet.ts";
import { statusOf, statusOfFacets } from "../../../src/core/status.ts";
import type { Status } from "../../../src/core/status.ts";
import { aBook, aRecord, aRun, aTurn, now, seen, without } from "../../support/facets.ts";

// Written from what a person should see, not from the code: a line a liveness and activity, a column a book.
//                             none      active    ended     purged    archived
const table = `
  alive   | needsInput | needsInput needsInput needsInput needsInput needsInput
  alive   | working    | working    working    working    working    working
  alive   | idle       | idle       idle       idle       idle       idle
  alive   | silent     | open       open       open       open       open
  gone    | needsInput | exited     exited     stopped    purged     archived
  gone    | working    | exited     exited     stopped    purged     archived
  gone    | idle       | exited     exited     stopped    purged     archived
  gone    | silent     | exited     exited     stopped    purged     archived
  unseen  | needsInput | exited     unknown    stopped    purged     archived
  unseen  | working    | exited     unknown    stopped    purged     archived
  unseen  | idle       | exited     unknown    stopped    purged     archived
  unseen  | silent     | exited     unknown    stopped    purged     archived
  unknown | needsInput | unknown    unknown/stuck unknown unknown    unknown
  unknown | working    | unknown    unknown/stuck unknown unknown    unknown
  unknown | idle       | unknown    unknown/stuck unknown unknown    unknown
  unknown | silent     | unknown    unknown/stuck unknown unknown    unknown
`;
const books = ["none", "active", "ended", "purged", "archived"] as const;

const cases = table
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [liveness = "", activity = "", expected = ""] = line.split("|").map((cell) => cell.trim());
    return expected.split(/\s+/).flatMap((cell, column) => {
      // Where an hour without interaction makes a difference, the second word is for that.
      const [lively = "", quiet = lively] = cell.split("/");
      const book = books[column] ?? "none";
      return [
        [liveness, activity, book, false, lively],
        [liveness, activity, book, true, quiet],
      ] as [Liveness, Activity, Recorded | "none", boolean, Status][];
    });
  });

test("the table has every combination", () => {
  expect(new Set(cases.map((row) => row.slice(0, 4).join(" "))).size).toBe(4 * 4 * 5 * 2);
  expect(cases).toHaveLength(160);
});

test.each(cases)("%s, %s, book: %s, quiet: %s → %s", (liveness, activity, book, isQuiet, expected) => {
  expect(statusOf({ liveness, activity, book, isQuiet })).toBe(expected);
});

const hour = 60 * 60 * 1000;
const unseenState = (lastInteractionAt: number) =>
  without(aRecord("entire", { liveness: seen("unknown", "it names no process"), lastInteractionAt }), "process");

test("an active record is stuck after more than an hour without interaction", () => {
  expect(statusOfFacets(undefined, [unseenState(now - hour - 1)], undefined, now)).toMatchObject({ value: "stuck", seen: "it names no process" });
  expect(statusOfFacets(undefined, [unseenState(now - hour)], undefined, now).value).toBe("unknown");
});

test("what is alive and at work is told by its activity", () => {
  const run = aRun({ activity: seen("needsInput", "permission: Bash") });
  expect(statusOfFacets(run, [aBook("mux", "ended")], undefined, now)).toEqual({ value: "needsInput", seen: "permission: Bash", at: now });
});

test("what has exited is told by its process", () => {
  const record = aBook("mux", "active", { liveness: seen("gone", "process 41 is gone") });
  expect(statusOfFacets(undefined, [record], undefined, now)).toEqual({ value: "exited", seen: "process 41 is gone", at: now });
});

test("what has ended is told by its book", () => {
  const record = aBook("mux", "ended", { says: seen("ended", "forced") });
  expect(statusOfFacets(undefined, [record], undefined, now)).toEqual({ value: "stopped", seen: "forced", at: now });
});

test("doubt makes it unknown, and is the reason told", () => {
  const doubt = { why: "more than one process could be it", candidates: [] };
  expect(statusOfFacets(undefined, [aBook("mux", "active")], doubt, now)).toMatchObject({ value: "unknown", seen: doubt.why });
});

test.each([
  [["active", "archived"], "exited"],
  [["ended", "archived"], "archived"],
  [["ended", "purged"], "purged"],
  [["purged", "archived"], "archived"],
  [["ended", "active"], "exited"],
] as const)("of books that say %s, the row says %s", (says, status) => {
  const [mux, entire] = [aBook("mux", says[0]), aBook("entire", says[1])];
  expect(statusOfFacets(undefined, [mux, entire], undefined, now).value).toBe(status);
  expect(statusOfFacets(undefined, [entire, mux], undefined, now).value).toBe(status);
});

test.each([
  [["gone", "alive"], "open"],
  [["gone", "unknown"], "unknown"],
  [["unseen", "gone"], "exited"],
] as const)("of records whose processes are %s, the row is %s", ([one, other], status) => {
  const records = [aRecord("mux", { liveness: seen(one) }), aRecord("entire", { liveness: seen(other) })];
  expect(statusOfFacets(undefined, records, undefined, now).value).toBe(status);
  expect(statusOfFacets(undefined, records.toReversed(), undefined, now).value).toBe(status);
});

test("a run that can't be seen is unknown, though a record thinks its process gone", () => {
  expect(statusOfFacets(aRun({ liveness: seen("unknown") }), [aBook("mux", "ended")], undefined, now).value).toBe("unknown");
});

const listed = without(aRecord("tracking", { liveness: seen("unknown", "known only from the tracking files"), isOnlyListed: true }), "process");

test("a list of names decides nothing where anything else tells of it, however long nobody has touched it", () => {
  const old = { ...listed, lastInteractionAt: now - 2 * hour };
  for (const book of ["ended", "archived", "purged"] as const)
    expect(statusOfFacets(undefined, [old, aBook("opencode", book)], undefined, now)).toMatchObject({
      value: book === "ended" ? "stopped" : book,
    });
  expect(statusOfFacets(undefined, [old, aBook("entire", "active")], undefined, now).value).toBe("exited");
  expect(statusOfFacets(aTurn(), [old], undefined, now)).toMatchObject({ value: "working" });
  expect(statusOfFacets(aTurn({ activity: seen("idle") }), [old], undefined, now)).toMatchObject({ value: "idle" });
  expect(statusOfFacets(aTurn({ liveness: seen("gone", "its server is gone") }), [listed], undefined, now).value).toBe("exited");
});

test("what only a list names is unknown, and says that nothing else knows of it", () => {
  expect(statusOfFacets(undefined, [listed], undefined, now)).toMatchObject({ value: "unknown", seen: "known only from the tracking files" });
});
