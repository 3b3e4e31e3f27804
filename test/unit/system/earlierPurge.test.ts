import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FacetKey } from "../../../src/core/facet.ts";
import { openJournal } from "../../../src/system/journalFile.ts";
import { aFolder } from "../../support/folder.ts";

const talkedOf = (id: string) => ({ agent: "claude", id, toldBy: "ledger", home: "/c" }) as const;
const about = (id: string, key: FacetKey = "mux:a") => ({ about: { conversation: talkedOf(id), keys: [key] } }) as const;

test("which conversation a purge was last about is told by its intent, though it was cut off; no other operation and no other key counts", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "journal.jsonl");
  const journal = openJournal(path);
  expect(await journal.findPurged({ keys: new Set(["mux:a"]) })).toBeUndefined();

  const line = { kind: "intent", session: "mux:a", at: 7 } as const;
  await journal.append({ ...line, id: "1", operation: "purge", ...about("first") });
  await journal.append({ ...line, id: "2", operation: "purge", ...about("second") });
  await journal.append({ ...line, id: "3", operation: "purge" });
  await journal.append({ ...line, id: "4", operation: "stop", ...about("stopped") });
  await journal.append({ ...line, id: "5", operation: "purge", session: "mux:b", ...about("of another", "mux:b") });
  await appendFile(path, '{"kind":"intent","operation":"purge","session":"mux:a","conversation":{"id":"cut');
  const keys = new Set(["mux:a", "ledger:x"] as const);
  expect(await journal.findPurged({ keys })).toEqual({ conversation: talkedOf("second"), came: "cutOff" });
  expect(await journal.findPurged({ keys, except: "2" })).toMatchObject({ conversation: talkedOf("first") });
  expect(await journal.findPurged({ keys: new Set(["mux:c"]) })).toBeUndefined();

  const purged = (kind: "erased" | "absent") => [{ store: "transcript", path: "/c/t", outcome: { kind }, residue: [] }];
  const receipt = {
    operation: "purge",
    session: "mux:a",
    result: { kind: "refused", reason: "busy" },
    steps: [],
    records: [],
    warnings: [],
    startedAt: 1,
    completedAt: 2,
  } as const;
  await appendFile(path, "\n");
  await journal.append({ kind: "receipt", id: "2", receipt: { ...receipt, purged: purged("absent") } });
  expect(await journal.findPurged({ keys })).toMatchObject({ came: "deletedNothing" });
  await journal.append({ kind: "receipt", id: "1", receipt: { ...receipt, purged: purged("erased") } });
  expect(await journal.findPurged({ keys, except: "2" })).toMatchObject({ came: "deletedSome" });
});
