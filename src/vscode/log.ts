import type { Receipt } from "../core/receipt.ts";

/** A receipt for the log: what a person would ask about afterwards. */
export function receiptLines({ operation, session, result, steps, records, warnings, startedAt, completedAt }: Receipt): readonly string[] {
  const how = result.kind === "refused" || result.kind === "failed" ? result.reason : result.method;
  return [
    `${operation} ${session}: ${result.kind} (${how}) in ${completedAt - startedAt} ms`,
    ...steps
      .filter(({ step }) => !named.has(step))
      .map(({ step, did, verified }) => `  ${step}: ${did}${verified ? ` (${verified.value ? "verified" : "not so"}: ${verified.seen})` : ""}`),
    ...records.map(({ record, change, outcome }) => `  ${record}: ${change}, ${outcome.kind}${"reason" in outcome ? ` (${outcome.reason})` : ""}`),
    ...warnings.map((warning) => `  ${warning}`),
  ];
}

/** What names a conversation stands in the journal, which a purge reaches: VS Code keeps its logs elsewhere. */
const named: ReadonlySet<Receipt["steps"][number]["step"]> = new Set(["capture", "erase"]);
