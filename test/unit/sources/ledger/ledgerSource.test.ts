import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Change } from "../../../../src/core/source.ts";
import type { Entry } from "../../../../src/sources/ledger/entry.ts";
import { openLedgerFile } from "../../../../src/sources/ledger/ledgerFile.ts";
import { openLedger } from "../../../../src/sources/ledger/ledgerSource.ts";
import { now, pid, seen, talk } from "../../../support/facets.ts";
import { until } from "../../../real/support/until.ts";
import { aLedger, alive, nobody, picture, records, signal, tell } from "./book.ts";
import { entryOf, living } from "./entries.ts";

test.each<[Change, string]>([
  [{ kind: "stopped", how: "forced", at: now, reason: "manual_stop", conversation: undefined, lastScreen: undefined }, "A ended gone"],
  [{ kind: "exited", conversation: undefined }, "A ended gone"],
  [{ kind: "archived" }, "A archived gone"],
  [{ kind: "purged", at: now, conversation: talk("A") }, "undefined purged gone"],
  [{ kind: "idCaptured", conversation: talk("B") }, "B active gone"],
  [{ kind: "renamed", to: "login form" }, "A active gone"],
])("$kind stands in the book of whoever opens it next", async (change, expected) => {
  const { ledger, folder } = await aLedger();
  expect(await tell(ledger, await ledger.note(living(41, "A")), change)).toBe("recorded");
  expect(await picture(openLedger(folder))).toEqual([expected]);
});

test("a name that a person gave stays when the agent is seen again", async () => {
  const { ledger } = await aLedger();
  await tell(ledger, await ledger.note(living(41, "A")), { kind: "renamed", to: "login form" });
  expect((await ledger.note(living(41, "A", { title: "another prompt" }))).givenName).toBe("login form");
});

test("what is forgotten is not in the book, and what is told of it then finds nobody", async () => {
  const { ledger } = await aLedger();
  const record = await ledger.note(living(41, "A"));
  expect(await tell(ledger, record, { kind: "forgotten" })).toBe("recorded");
  expect(await records(ledger)).toEqual([]);
  expect(await tell(ledger, record, { kind: "archived" })).toBe("changedMeanwhile");
  expect(await ledger.lookAgain(record, nobody, signal)).toEqual({ kind: "notThere" });
});

test("told twice, it is already so", async () => {
  const { ledger } = await aLedger();
  const record = await ledger.note(living(41, "A"));
  await tell(ledger, record, { kind: "archived" });
  expect(await tell(ledger, record, { kind: "archived" })).toBe("alreadySo");
});

test("the guard sees what another window wrote, and what it refuses is not written", async () => {
  const { ledger, folder } = await aLedger();
  const record = await ledger.note(living(41, "A"));
  await openLedger(folder).note(living(77, "A"));
  const guarded: unknown[] = [];
  const outcome = await ledger.record?.(record, { kind: "exited", conversation: undefined }, ({ process }) => guarded.push(process) === 0, signal);
  expect(guarded).toEqual([pid(77)]);
  expect(outcome).toMatchObject({ kind: "changedMeanwhile", fresh: { process: pid(77) } });
  expect(await picture(ledger, alive(77))).toEqual(["A active alive"]);
});

test("lines that can't be read are a notice, and hide no other line", async () => {
  const { ledger, folder } = await aLedger();
  await ledger.note(living(41, "A"));
  await writeFile(join(folder, "ledger.jsonl"), 'what is this\n{"id":7}\n', { flag: "a" });
  expect(await ledger.read(nobody, signal)).toMatchObject({
    facets: [{ conversation: { id: "A" } }],
    notices: [{ sentence: "2 lines of the ledger could not be read and are left as they are.", remedy: "openFile" }],
  });
});

test("one line that can't be read is one line", async () => {
  const { ledger, folder } = await aLedger();
  await writeFile(join(folder, "ledger.jsonl"), "what is this\n");
  expect((await ledger.read(nobody, signal)).notices.map(({ sentence }) => sentence)).toEqual(["1 line of the ledger could not be read and is left as it is."]);
});

test("a folder that can't be written: the note answers all the same, and the list says so", async () => {
  const { folder } = await aLedger();
  await writeFile(join(folder, "file"), "");
  const ledger = openLedger(join(folder, "file", "state"));
  expect(await ledger.note(living(41, "A"))).toMatchObject({ process: pid(41), says: { value: "active" } });
  const { notices } = await ledger.read(nobody, signal);
  expect(notices.map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(/^The ledger can't be written: .*\. What is seen alive is not remembered\.$/),
  ]);
});

test("a folder that can't be written: what is told is a failure with its reason, and nothing is thrown", async () => {
  const { folder } = await aLedger();
  await writeFile(join(folder, "file"), "");
  const ledger = openLedger(join(folder, "file", "state"));
  const record = await ledger.note(living(41, "A"));
  expect(await ledger.record?.(record, { kind: "archived" }, () => true, signal)).toMatchObject({ kind: "failed", reason: expect.stringContaining("ENOTDIR") });
});

test("a book that can't be read is a place without an answer, and takes no other source with it", async () => {
  const { ledger, folder } = await aLedger();
  await mkdir(join(folder, "ledger.jsonl"));
  await writeFile(join(folder, "ledger.jsonl", "why"), "");
  const path = join(folder, "ledger.jsonl");
  expect(await ledger.read(nobody, signal)).toMatchObject({ facets: [], unreachable: [{ place: path, reason: expect.stringContaining("EISDIR") }] });
  const record = await ledger.note(living(41, "A"));
  expect(await ledger.lookAgain(record, nobody, signal)).toMatchObject({ kind: "unreachable" });
});

const dayMs = 24 * 60 * 60 * 1000;

test.each<[string, Partial<Entry>, number]>([
  ["what can be resumed", {}, 1],
  ["what nobody has looked whether it can", { conversation: talk("A") }, 1],
  ["what a person named", { conversation: undefined, givenName: "login form" }, 1],
  ["what a person put away", { conversation: undefined, isArchived: true }, 1],
  ["what was seen within a day", { conversation: undefined, seenAt: now - dayMs + 1 }, 1],
  ["what can't be resumed", { conversation: talk("A", { resumable: seen(false) }) }, 0],
  ["what never told its id", { conversation: undefined }, 0],
])("a day later %s is listed or not", async (_what, over, listed) => {
  const { ledger, folder } = await aLedger();
  await openLedgerFile(folder).append(() => [entryOf("a", { conversation: talk("A", { resumable: seen(true) }), seenAt: now - dayMs, ...over })]);
  expect(await records(ledger)).toHaveLength(listed);
});

test("a line of another window is news", async () => {
  const { ledger, folder } = await aLedger();
  let news = 0;
  using _watching = ledger.watch(() => news++);
  const other = openLedger(folder);
  await until(async () => {
    await other.note(living(41, "A", { title: String(Date.now()) }));
    return news > 0;
  });
});
