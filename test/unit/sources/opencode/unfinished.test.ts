import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { isKeptIn, unfinishedIn } from "../../../../src/sources/opencode/unfinished.ts";
import { aFolder } from "../../../support/folder.ts";
import { aHolder, letGo } from "../../system/aDatabase.ts";

type Message = readonly [time: number, role: "user" | "assistant", completed?: number];

/** With the columns of 1.18.33 that are read. */
async function aDatabase(sessions: Readonly<{ [id: string]: readonly Message[] }>, mode: "wal" | "delete" = "wal") {
  const folder = await aFolder();
  const path = join(folder.path, "opencode.db");
  const database = new Sqlite(path);
  database.pragma(`journal_mode = ${mode}`);
  database.exec("CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT NOT NULL, time_updated INTEGER NOT NULL)");
  database.exec("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, data TEXT NOT NULL)");
  let nth = 0;
  for (const [id, messages] of Object.entries(sessions)) {
    const touched = Math.max(0, ...messages.map(([created]) => created));
    database.prepare("INSERT INTO session VALUES (?, ?, ?)").run(id, `/work of ${id}`, touched);
    for (const [created, role, completed] of messages) {
      const data = JSON.stringify({ role, time: { created, ...(completed !== undefined && { completed }) } });
      database.prepare("INSERT INTO message VALUES (?, ?, ?, ?)").run(`msg_${String(nth++).padStart(4, "0")}`, id, created, data);
    }
  }
  database.close();
  return { path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const idsIn = async (path: string, since = 0): Promise<readonly string[] | undefined> => (await unfinishedIn(path, since))?.map(({ id }) => id);

test("a session is unfinished while its last message is a prompt, or an answer that is not at its end", async () => {
  await using file = await aDatabase({
    ses_answered: [
      [10, "user"],
      [11, "assistant", 12],
    ],
    ses_asked: [
      [10, "user"],
      [11, "assistant", 12],
      [13, "user"],
    ],
    ses_answering: [
      [10, "user"],
      [11, "assistant"],
    ],
    ses_empty: [],
  });
  expect(await unfinishedIn(file.path, 0)).toEqual([
    { id: "ses_asked", directory: "/work of ses_asked", since: 13 },
    { id: "ses_answering", directory: "/work of ses_answering", since: 11 },
  ]);
});

test("of two messages of one millisecond the later counts", async () => {
  await using file = await aDatabase({
    ses_a: [
      [10, "user"],
      [10, "assistant", 10],
    ],
    ses_b: [
      [10, "assistant", 10],
      [10, "user"],
    ],
  });
  expect(await idsIn(file.path)).toEqual(["ses_b"]);
});

test("of sessions that nobody has touched since then nothing is told", async () => {
  await using file = await aDatabase({ ses_before: [[9, "assistant"]], ses_at: [[10, "assistant"]], ses_after: [[11, "user"]] });
  expect(await idsIn(file.path, 10)).toEqual(["ses_at", "ses_after"]);
});

test("an answer that was cut off long ago is not what a later one says", async () => {
  await using file = await aDatabase({
    ses_a: [
      [10, "assistant"],
      [20, "user"],
      [21, "assistant", 22],
    ],
  });
  expect(await idsIn(file.path)).toEqual([]);
});

test("while a server writes to it, what it has not committed does not count, and reading waits for nobody", async () => {
  await using file = await aDatabase({ ses_a: [[10, "assistant"]] });
  const writer = await aHolder(file.path, "BEGIN IMMEDIATE", "UPDATE session SET directory = '/elsewhere'");
  expect(await unfinishedIn(file.path, 0)).toEqual([{ id: "ses_a", directory: "/work of ses_a", since: 10 }]);
  await letGo(writer);
});

test("held by another for good, it tells nothing rather than that nothing is at work", async () => {
  await using file = await aDatabase({ ses_a: [[10, "assistant"]] }, "delete");
  const holder = await aHolder(file.path, "BEGIN EXCLUSIVE");
  expect(await unfinishedIn(file.path, 0)).toBeUndefined();
  await letGo(holder);
  expect(await idsIn(file.path)).toEqual(["ses_a"]);
});

test("a file that is not there, is no database, or is one of another kind tells nothing", async () => {
  await using folder = await aFolder();
  expect(await unfinishedIn(join(folder.path, "absent.db"), 0)).toBeUndefined();
  expect(await unfinishedIn(folder.path, 0)).toBeUndefined();
  writeFileSync(join(folder.path, "text.db"), "this is no database at all, though it is long enough to be taken for one".repeat(20));
  expect(await unfinishedIn(join(folder.path, "text.db"), 0)).toBeUndefined();
  const other = new Sqlite(join(folder.path, "other.db"));
  other.exec("CREATE TABLE session (id TEXT)");
  other.close();
  expect(await unfinishedIn(join(folder.path, "other.db"), 0)).toBeUndefined();
});

test("a message that is no JSON makes only its own session unknown", async () => {
  await using file = await aDatabase({ ses_a: [[10, "assistant"]], ses_b: [[10, "assistant"]] });
  const database = new Sqlite(file.path);
  database.prepare("UPDATE message SET data = '{' WHERE session_id = 'ses_b'").run();
  database.close();
  expect(await idsIn(file.path)).toContain("ses_a");
});

test("the second engine's messages tell too, and so does a prompt that still waits for its turn", async () => {
  await using file = await aDatabase({ ses_open: [], ses_over: [], ses_asked: [], ses_waits: [], ses_taken: [] });
  const database = new Sqlite(file.path);
  database.exec("CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT)");
  database.exec("CREATE TABLE session_input (id TEXT, session_id TEXT, promoted_seq INTEGER, time_created INTEGER)");
  const message = database.prepare("INSERT INTO session_message VALUES (?, ?, ?, ?, 5, ?)");
  message.run("m1", "ses_open", "user", 1, "{}");
  message.run("m2", "ses_open", "assistant", 2, '{"time":{"created":5}}');
  message.run("m3", "ses_over", "assistant", 1, '{"time":{"created":5,"completed":6}}');
  message.run("m4", "ses_asked", "user", 1, "no JSON");
  const input = database.prepare("INSERT INTO session_input VALUES (?, ?, ?, 5)");
  input.run("i1", "ses_waits", null);
  input.run("i2", "ses_taken", 3);
  database.close();
  expect((await idsIn(file.path))?.toSorted()).toEqual(["ses_asked", "ses_open", "ses_waits"]);
});

test("whether a session is kept there at all is told, or that it can't be", async () => {
  await using file = await aDatabase({ ses_a: [] });
  expect([await isKeptIn(file.path, "ses_a"), await isKeptIn(file.path, "ses_b"), await isKeptIn(`${file.path}.none`, "ses_a")]).toEqual([true, false, false]);
  writeFileSync(file.path, "no database at all, and long enough to be looked at");
  expect(await isKeptIn(file.path, "ses_a")).toBeUndefined();
});
