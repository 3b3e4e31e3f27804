import { open, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { JournalLine, JournalPart } from "../../../src/core/journal.ts";
import type { Receipt } from "../../../src/core/receipt.ts";
import { openJournal } from "../../../src/system/journalFile.ts";
import { aFolder } from "../../support/folder.ts";

const { signal } = new AbortController();
const intent = (id: string, session: Receipt["session"] = "process:41"): JournalLine => ({ kind: "intent", id, operation: "stop", session, at: 7 });
const receipt = (id: string, over: Partial<Receipt> = {}): JournalLine => ({
  kind: "receipt",
  id,
  receipt: {
    operation: "stop",
    session: "process:41",
    result: { kind: "success", method: "graceful" },
    steps: [],
    records: [],
    warnings: [],
    startedAt: 7,
    completedAt: 8,
    ...over,
  },
});
const part: JournalPart = { keys: new Set(["process:41", "ledger:x"]), conversationId: "a-1", except: "now" };
const captured = { agent: "claude", id: "a-1", toldBy: "agent" } as const;

test("each line is one JSON object, after those that are there", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state", "journal.jsonl");
  await openJournal(path).append(intent("a"));
  await openJournal(path).append(intent("b\nc"));
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([intent("a"), intent("b\nc")]);
});

test.each<[string, JournalLine | string, boolean]>([
  ["an intent of one of its keys", intent("1"), true],
  ["a receipt of one of its keys", receipt("1", { session: "ledger:x" }), true],
  ["a receipt of another key that captured its id", receipt("1", { session: "process:5", captured }), true],
  ["a receipt of another that names its id in a sentence", receipt("1", { session: "process:5", warnings: ["a-1 is open there too."] }), false],
  ["a receipt of one of its keys, of an earlier conversation", receipt("1", { captured: { ...captured, id: "c-3" } }), false],
  ["the proof that an earlier conversation of its key was purged", receipt("1", { operation: "purge" }), false],
  ["the proof that another was purged, which names it as a fork", receipt("1", { operation: "purge", session: "process:5", warnings: ["a-1"] }), false],
  ["a key that holds the id", intent("1", "opencode:a-1"), true],
  ["its own intent", intent("now"), false],
  ["its own receipt", receipt("now", { captured }), false],
  ["an intent of another key", intent("1", "process:411"), false],
  ["a longer id", receipt("1", { session: "process:5", warnings: ["a-11 and 1a-1"] }), false],
  ["a line that was cut off and names it", '{"kind":"receipt","captured":{"id":"a-1","to', true],
  ["a line that was cut off and names others", '{"kind":"receipt","session":"process:41","to', false],
  ["no JSON of ours", '"process:41"', false],
])("a purge takes out what is its own: %s", async (_what, line, isIts) => {
  await using folder = await aFolder();
  const { path, text } = await aJournal(folder.path, typeof line === "string" ? line : JSON.stringify(line));
  const stores = await openJournal(path).stores(part);
  expect(stores.length).toBe(isIts ? 1 : 0);
  for (const store of stores) expect([await store.erase(signal), await store.residue(signal)]).toEqual([{ kind: "erased" }, []]);
  expect(await readFile(path, "latin1")).toBe(isIts ? around.join("") : text);
  expect(await openJournal(path).stores(part)).toEqual([]);
});

test("who appends meanwhile loses nothing", async () => {
  await using folder = await aFolder();
  const { path } = await aJournal(folder.path, JSON.stringify(intent("1")));
  const [store] = await openJournal(path).stores(part);
  const late = await open(path, "a");
  const erased = store?.erase(signal);
  await late.appendFile('{"late":1}\n');
  await late.close();
  expect(await erased).toEqual({ kind: "erased" });
  await openJournal(path).append(intent("2", "process:5"));
  expect((await readFile(path, "latin1")).split("\n").slice(-3)).toEqual(['{"late":1}', JSON.stringify(intent("2", "process:5")), ""]);
});

test("where there is no journal there is nothing of it", async () => {
  await using folder = await aFolder();
  expect(await openJournal(join(folder.path, "none", "journal.jsonl")).stores(part)).toEqual([]);
});

/** Between foreign line ends, bytes that are no text, and another's line. */
async function aJournal(folder: string, line: string): Promise<{ readonly path: string; readonly text: string }> {
  const path = join(folder, "journal.jsonl");
  const text = `${around[0]}${line}\n${around[1]}`;
  await openJournal(join(dirname(path), "journal.jsonl")).append(intent("0"));
  await writeFile(path, Buffer.from(text, "latin1"));
  return { path, text };
}
const around = [`${JSON.stringify(intent("0", "process:5"))}\r\n`, "\xff\xfe no text\n\n"] as const;
