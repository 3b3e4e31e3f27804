import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../../src/system/journalFile.ts";
import { aFolder } from "../../support/folder.ts";

const talkedOf = (id: string) => ({ agent: "claude", id, toldBy: "ledger", home: "/c" }) as const;

test("which conversation a purge was last about is told by its intent, though it was cut off; no other operation and no other key counts", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "journal.jsonl");
  const journal = openJournal(path);
  expect(await journal.findPurged(new Set(["mux:a"]))).toBeUndefined();

  const line = { kind: "intent", session: "mux:a", at: 7 } as const;
  await journal.append({ ...line, id: "1", operation: "purge", conversation: talkedOf("first") });
  await journal.append({ ...line, id: "2", operation: "purge", conversation: talkedOf("second") });
  await journal.append({ ...line, id: "3", operation: "purge" });
  await journal.append({ ...line, id: "4", operation: "stop", conversation: talkedOf("stopped") });
  await journal.append({ ...line, id: "5", operation: "purge", session: "mux:b", conversation: talkedOf("of another") });
  await appendFile(path, '{"kind":"intent","operation":"purge","session":"mux:a","conversation":{"id":"cut');
  expect(await journal.findPurged(new Set(["mux:a", "ledger:x"]))).toEqual(talkedOf("second"));
  expect(await journal.findPurged(new Set(["mux:c"]))).toBeUndefined();
});
