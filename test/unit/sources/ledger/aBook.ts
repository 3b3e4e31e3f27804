import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionRecord } from "../../../../src/core/facet.ts";
import type { Change } from "../../../../src/core/source.ts";
import type { Entry } from "../../../../src/sources/ledger/entry.ts";
import { now, talk } from "../../../support/facets.ts";
import { aLedger } from "./book.ts";

export const purged = { kind: "purged", at: now, conversation: talk("A") } as const satisfies Change;

/** A book with these lines, entries or texts. */
export async function aBook(...lines: readonly (Entry | string)[]) {
  const book = await aLedger();
  const path = join(book.folder, "ledger.jsonl");
  await writeFile(path, Buffer.from(lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`)).join(""), "latin1"));
  return { ...book, path, text: () => readFile(path, "latin1") };
}
export const recordOf = (id: string): SessionRecord => ({ ...recordBase, key: `ledger:${id}` });
const recordBase: Omit<SessionRecord, "key"> = {
  kind: "record",
  source: "ledger",
  place: "",
  liveness: { value: "gone", seen: "", at: 0 },
  says: { value: "ended", seen: "", at: 0 },
};
