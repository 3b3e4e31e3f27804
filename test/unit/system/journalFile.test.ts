import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalLine } from "../../../src/core/journal.ts";
import { openJournal } from "../../../src/system/journalFile.ts";
import { aFolder } from "../../support/folder.ts";

const intent = (id: string): JournalLine => ({ kind: "intent", id, operation: "stop", session: "process:41", at: 7 });

test("each line is one JSON object, after those that are there", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state", "journal.jsonl");
  await openJournal(path).append(intent("a"));
  await openJournal(path).append(intent("b\nc"));
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([intent("a"), intent("b\nc")]);
});
