import type { Conversation } from "../../../../src/core/facet.ts";
import type { RecordOutcome } from "../../../../src/core/source.ts";
import { changeRow } from "../../../../src/sources/mux/changeRow.ts";
import { openRegistry } from "../../../../src/sources/mux/registry.ts";

/** The same stop at the same time, however often. */
export async function recordStop(path: string, name: string): Promise<RecordOutcome> {
  const { outcome } = await openRegistry(path).update((rows) => {
    const at = rows.find(({ row }) => row.name === name);
    const change = at && changeRow(at.row, { kind: "stopped", at: now, reason: "done", how: "graceful", conversation, lastScreen: "> 한글 é" }, now);
    return at && change ? { kind: "change", at, ...change } : { kind: "outcome", outcome: { kind: "failed", reason: `no row ${name}` } };
  });
  return outcome;
}
const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const conversation: Conversation = { agent: "claude", id: "11111111-2222-4333-8444-555555555555", toldBy: "exit" };
