import { expect, test } from "vitest";
import { linesOfChange } from "../../../../src/sources/ledger/changed.ts";
import type { AddedChange } from "../../../../src/sources/ledger/changed.ts";
import type { Entry } from "../../../../src/sources/ledger/entry.ts";
import { now, pid, seen, talk } from "../../../support/facets.ts";
import { entryOf, livingRun } from "./entries.ts";

const later = now + 60_000;
const entry = entryOf("e");
const stopped: AddedChange = {
  kind: "stopped",
  how: "graceful",
  at: later,
  reason: "manual_stop",
  conversation: talk("B", { toldBy: "exit" }),
  lastScreen: "  bye\n\n  and  thanks ",
};

/** The entry as the one line that the change needs leaves it. */
function after(change: AddedChange, before: Entry = entry): Entry {
  const [line, ...more] = linesOfChange(before, change, later);
  if (!line || "forgotten" in line || more.length > 0) throw new Error("one entry was meant");
  return line;
}

test("stopped: when, how and why, the id that was saved, and the last screen on one line", () => {
  expect(after(stopped)).toEqual({
    ...entry,
    conversation: talk("B", { toldBy: "exit" }),
    seenAt: later,
    state: "ended",
    end: { how: "graceful", at: later, reason: "manual_stop", lastScreen: "bye and thanks" },
  });
});

test("stopped without an id keeps the one that is known", () => {
  expect(after({ ...stopped, conversation: undefined }).conversation?.id).toBe("A");
});

test("of a last screen its last 500 characters are kept", () => {
  expect(after({ ...stopped, lastScreen: "x".repeat(600) + "end" }).end?.lastScreen).toMatch(/^x{497}end$/);
});

test("exited: it ended when it was last seen", () => {
  expect(after({ kind: "exited", conversation: talk("B") })).toEqual({ ...entry, state: "ended", end: { how: "exited", at: now } });
});

test("exited takes the id of another book where ours has none", () => {
  expect(after({ kind: "exited", conversation: talk("B") }, { ...entry, conversation: undefined }).conversation?.id).toBe("B");
});

test("idCaptured: only the conversation is other", () => {
  expect(after({ kind: "idCaptured", conversation: talk("B") })).toEqual({ ...entry, conversation: talk("B") });
});

test("resumed: active again, in the new process, out of the archive", () => {
  const past = entryOf("e", { state: "ended", isArchived: true, end: { how: "exited", at: now } });
  expect(after({ kind: "resumed", run: livingRun(77, "A") }, past)).toMatchObject({
    process: pid(77),
    seenAt: later,
    state: "active",
    isArchived: undefined,
    end: undefined,
  });
});

test.each([
  ["  login form ", "login form"],
  ["   ", undefined],
])("renamed to %j: called %j", (to, givenName) => {
  expect(after({ kind: "renamed", to }, entryOf("e", { givenName: "before" }))).toEqual({ ...entry, givenName });
});

test("archived and unarchived", () => {
  const archived = after({ kind: "archived" });
  expect(archived).toEqual({ ...entry, isArchived: true });
  expect(after({ kind: "unarchived" }, archived)).toEqual({ ...entry, isArchived: undefined });
});

test("forgotten: one line that says so", () => {
  expect(linesOfChange(entry, { kind: "forgotten" }, later)).toEqual([{ forgotten: "e" }]);
});

test.each<[AddedChange, Entry]>([
  [
    { kind: "idCaptured", conversation: talk("A", { toldBy: "exit", resumable: seen(true) }) },
    entryOf("e", { conversation: talk("A", { resumable: { value: true, seen: "found", at: 1 } }) }),
  ],
  [{ kind: "exited", conversation: undefined }, entryOf("e", { state: "ended", end: { how: "exited", at: now } })],
  [{ kind: "renamed", to: "login" }, entryOf("e", { givenName: "login" })],
  [{ kind: "archived" }, entryOf("e", { isArchived: true })],
  [{ kind: "unarchived" }, entry],
])("$kind: an entry that already says so needs no line", (change, before) => {
  expect(linesOfChange(before, change, later)).toEqual([]);
});
