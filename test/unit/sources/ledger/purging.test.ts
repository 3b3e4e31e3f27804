import { execFile } from "node:child_process";
import { appendFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { merge } from "../../../../src/core/merge.ts";
import type { Change } from "../../../../src/core/source.ts";
import type { Entry } from "../../../../src/sources/ledger/entry.ts";
import { openLedger } from "../../../../src/sources/ledger/ledgerSource.ts";
import { aRun, censusOf, now, pid, talk } from "../../../support/facets.ts";
import { aLedger, alive, nobody, picture, records, signal, tell } from "./book.ts";
import { entryOf, living } from "./entries.ts";
import { aBook, purged, recordOf } from "./aBook.ts";

const stopped: Change = { kind: "stopped", how: "graceful", at: now, reason: "manual_stop", conversation: undefined, lastScreen: "SECRET screen" };

test("of a purged session no line tells what it was about, where it was, or by which id", async () => {
  const { ledger, folder, lines } = await aLedger();
  const record = await ledger.note(living(41, "A", { title: "SECRET title" }));
  await ledger.note(living(41, "A", { title: "SECRET other title" }));
  await tell(ledger, record, { kind: "renamed", to: "Secret  Title" });
  await tell(ledger, record, stopped);
  await ledger.note(living(42, "B"));
  const others = (await lines()).filter((line) => line.includes('"B"'));

  expect(await tell(ledger, record, purged)).toBe("recorded");
  const after = (await lines()).join("\n");
  expect([/secret/i.test(after), after.includes('"A"'), others.every((line) => after.includes(line))]).toEqual([false, false, true]);
  expect(await picture(ledger)).toEqual(["undefined purged gone", "B active gone"]);
  expect(await picture(openLedger(folder))).toEqual(["undefined purged gone", "B active gone"]);
  expect((await readdir(folder)).sort()).toEqual(["ledger.jsonl", "ledger.lock"]);
});

test("every other line stays byte for byte, what can't be read too", async () => {
  const others = [
    `${JSON.stringify(entryOf("b", { conversation: talk("B") }))}\r\n`,
    "\xff\xfe no text\n",
    "\n",
    `{"forgotten":"c"}\n`,
    `{"id":"d","title":"fut`,
  ];
  const [b = "", bytes = "", empty = "", forgotten = "", cutOff = ""] = others;
  const book = await aBook(b, entryOf("a"), bytes, empty, entryOf("a", { title: "later" }), forgotten, cutOff);
  expect(await tell(book.ledger, recordOf("a"), purged)).toBe("recorded");
  const [own = ""] = (await book.text()).split("\n").filter((line) => line.startsWith('{"id":"a"'));
  expect(await book.text()).toBe([b, `${own}\n`, bytes, empty, forgotten, cutOff].join(""));
});

test.each(['{"id":"a","title":"fix lo', `{"id":"other","conversation":{"agent":"claude","id":"A","to`])(
  "what was cut off of it goes too: %s",
  async (cutOff) => {
    const book = await aBook(entryOf("a"), `${cutOff}\n`);
    expect(await tell(book.ledger, recordOf("a"), purged)).toBe("recorded");
    expect((await book.text()).trim().split("\n").length).toBe(1);
  },
);

test("an entry that is called by the id loses that name, and its key with it", async () => {
  const { ledger, lines } = await aLedger();
  const old = await ledger.note(living(41, "B"));
  await ledger.note(living(41, "A"));
  const [, record] = await records(ledger);
  if (!record?.key.endsWith("-A")) throw new Error(`${record?.key} was to be called by the id`);
  await tell(ledger, record, stopped);
  expect(await tell(ledger, record, purged)).toBe("recorded");
  expect((await lines()).join("\n")).not.toMatch(/-A"|"A"/);
  const keys = (await records(ledger)).map(({ key }) => key);
  expect(keys).toEqual([old.key, `${old.key}-2`]);
  // Somebody who still knows it by its old key finds it done.
  expect(await tell(ledger, record, purged)).toBe("alreadySo");
});

test("keys of other books that hold the id go, and those that do not stay", async () => {
  const book = await aBook(
    entryOf("a", { firstKey: "opencode:A", seenWith: ["opencode:A", "mux:app", "entire:A@/x/.git"] }),
    entryOf("b", { conversation: talk("B"), seenWith: ["opencode:A", "opencode:AA"] }),
  );
  await tell(book.ledger, recordOf("a"), purged);
  const [a, b] = (await book.lines()).map((line) => JSON.parse(line) as Entry);
  expect([a?.firstKey, a?.seenWith, b?.seenWith, b?.conversation?.id]).toEqual([undefined, ["mux:app"], ["opencode:AA"], "B"]);
});

test("another entry that has had the same conversation is purged with it, one that is open keeps its place", async () => {
  const book = await aBook(
    entryOf("a", { state: "ended" }),
    entryOf("earlier", { process: pid(40), state: "ended" }),
    entryOf("open", { process: pid(42) }),
    `${JSON.stringify(entryOf("lost"))}\n{"forgotten":"lost"}\n`,
  );
  await tell(book.ledger, recordOf("a"), purged);
  expect((await book.lines()).map((line) => JSON.parse(line) as Entry).map(({ id, state, conversation, title }) => [id, state, conversation, title])).toEqual([
    ["a", "purged", undefined, undefined],
    ["earlier", "purged", undefined, undefined],
    ["open", "active", undefined, undefined],
  ]);
});

test("a name that a person gave by themselves stays", async () => {
  const book = await aBook(entryOf("a", { title: "fix login", givenName: "for Anna" }));
  await tell(book.ledger, recordOf("a"), purged);
  expect((await records(book.ledger)).map(({ givenName, title }) => [givenName, title])).toEqual([["for Anna", undefined]]);
});

test("done again it is so already, and not a byte changes", async () => {
  const book = await aBook(entryOf("a", { state: "ended", end: { how: "exited", at: now, lastScreen: "x" }, left: [], seenWith: ["mux:app"] }));
  await tell(book.ledger, recordOf("a"), purged);
  const before = await book.text();
  expect(await tell(book.ledger, recordOf("a"), { ...purged, at: now + 5 })).toBe("alreadySo");
  expect(await book.text()).toBe(before);
});

test("an entry that has another conversation by now is not touched", async () => {
  const book = await aBook(entryOf("a", { conversation: talk("B") }));
  const before = await book.text();
  expect(await tell(book.ledger, recordOf("a"), purged)).toBe("changedMeanwhile");
  expect(await book.text()).toBe(before);
});

test("what is refused under the lock changes nothing", async () => {
  const book = await aBook(entryOf("a"));
  const before = await book.text();
  const outcome = await book.ledger.record?.(recordOf("a"), purged, () => false, signal);
  expect([outcome?.kind, await book.text()]).toEqual(["changedMeanwhile", before]);
});

test("it is listed for a day after, by its agent and folder", async () => {
  const dayMs = 24 * 60 * 60 * 1000;
  const book = await aBook(entryOf("a", { seenAt: now - 9 * dayMs, cwd: "/home/me/app" }));
  await tell(book.ledger, recordOf("a"), purged);
  const at = (ms: number) => ({ ...nobody, at: now + ms });
  expect(merge(await records(book.ledger, at(dayMs - 1)), now).map(({ title, status }) => [title, status.value])).toEqual([["claude in app", "purged"]]);
  expect(await records(book.ledger, at(dayMs + 1))).toEqual([]);
});

test("a process that has gone on to another conversation is not taken for it", async () => {
  const { ledger } = await aLedger();
  const record = await ledger.note(living(41, "A"));
  await ledger.note(living(41, "B"));
  expect(await tell(ledger, record, purged)).toBe("recorded");
  const run = aRun({ key: "process:41", host: { kind: "process", process: pid(41) }, conversation: talk("B") });
  const sessions = merge([run, ...(await records(ledger, alive(41)))], now);
  expect(sessions.map((session) => [session.run?.key, session.records.length, session.status.value])).toEqual([
    ["process:41", 1, "idle"],
    [undefined, 1, "purged"],
  ]);
});

test("another window that has read the book before reads it anew", async () => {
  const { ledger, folder } = await aLedger();
  const record = await ledger.note(living(41, "A"));
  const other = openLedger(folder);
  expect(await picture(other)).toEqual(["A active gone"]);
  await tell(ledger, record, purged);
  await other.note(living(42, "B"));
  expect([await picture(other), await picture(ledger)]).toEqual([
    ["undefined purged gone", "B active gone"],
    ["undefined purged gone", "B active gone"],
  ]);
});

test("windows that note sessions meanwhile lose none", async () => {
  const { ledger, folder } = await aLedger();
  const record = await ledger.note(living(7, "A"));
  const noting = [100, 200].map((first) => promisify(execFile)(process.execPath, [script, folder, String(first), "20"]));
  expect(await tell(ledger, record, purged)).toBe("recorded");
  await Promise.all(noting);
  const seen = await records(openLedger(folder), censusOf());
  expect([seen.length, seen.filter(({ conversation }) => conversation).length]).toEqual([41, 40]);
});
const script = fileURLToPath(new URL("noteMany.ts", import.meta.url));

test("what someone who was killed has left half written is removed", async () => {
  const book = await aBook(entryOf("a"));
  await appendFile(`${book.path}.0.tmp`, "fix login");
  await tell(book.ledger, recordOf("a"), purged);
  expect((await readdir(book.folder)).sort()).toEqual(["ledger.jsonl", "ledger.lock"]);
});
