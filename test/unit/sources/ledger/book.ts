import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Census } from "../../../../src/core/census.ts";
import type { SessionRecord } from "../../../../src/core/facet.ts";
import type { Ledger } from "../../../../src/core/ledger.ts";
import type { Change } from "../../../../src/core/source.ts";
import { openLedger } from "../../../../src/sources/ledger/ledgerSource.ts";
import { anEntry, censusOf, pid } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";

export const { signal } = new AbortController();
export const nobody = censusOf();
export const alive = (...numbers: readonly number[]): Census => censusOf(...numbers.map((number) => anEntry(pid(number))));

/** A real ledger in a folder of its own. */
export async function aLedger(): Promise<{ ledger: Ledger; folder: string; lines: () => Promise<readonly string[]> }> {
  const folder = await aFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, "ledger.jsonl");
  return { folder: folder.path, ledger: openLedger(folder.path), lines: async () => (await readFile(path, "utf8")).split("\n").filter(Boolean) };
}
export const records = async (ledger: Ledger, census: Census = nobody) => (await ledger.read(census, signal)).facets.filter((facet) => facet.kind === "record");
export const picture = async (ledger: Ledger, census: Census = nobody) =>
  (await records(ledger, census)).map(({ conversation, says, liveness }) => `${conversation?.id} ${says.value} ${liveness.value}`);

export async function tell(ledger: Ledger, record: SessionRecord, change: Change): Promise<string | undefined> {
  return (await ledger.record?.(record, change, () => true, signal))?.kind;
}
