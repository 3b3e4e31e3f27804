import { sweep } from "../core/operations/finalize.ts";
import { receiptJson } from "../core/receiptJson.ts";
import { sentenceOfReceipt } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import type { Warden } from "../core/warden.ts";
import { dieAt } from "./fault.ts";
import { exitCodeOf } from "./exitCode.ts";
import type { ExitCode } from "./exitCode.ts";
import { plain } from "./listing.ts";

/** Closes the books of all sessions that Entire tracks here and whose agent has exited, best effort: each is decided again, and one that fails does not hold up the rest. */
export async function finalizeExited(warden: Warden, { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean }): Promise<ExitCode> {
  const { signal } = new AbortController();
  const { sessions, unreachable } = await warden.roster.refresh(signal);
  const exited = sessions.filter(isExitedInEntire);
  if (dryRun) {
    tell(
      exited.map(wouldBe),
      exited.map(({ key, title, status }) => ({ session_id: key, title, why: status.seen })),
      json,
    );
    return 0;
  }
  const context = warden.forOperation(signal, dieAt(process.env["SESSION_WARDEN_FAULT"]));
  const receipts = await sweep(exited, context);
  const done = receipts.flatMap((receipt) => exited.filter(({ key }) => key === receipt.session).map((session) => ({ receipt, session })));
  const lines = done.flatMap(({ receipt, session }) => [sentenceOfReceipt(receipt, session), ...receipt.warnings]);
  tell(
    lines,
    done.map(({ receipt, session }) => receiptJson(receipt, session)),
    json,
  );
  for (const { place, reason } of json ? [] : unreachable) console.error(plain(`${place}: ${reason}`));
  return done.every(({ receipt }) => exitCodeOf(receipt) === 0) ? 0 : 1;
}

function isExitedInEntire({ status, records }: Session): boolean {
  return status.value === "exited" && records.some(({ source }) => source === "entire");
}

function wouldBe({ key, title, status, records }: Session): string {
  const pending = records.flatMap(({ pending }) => (pending === undefined ? [] : [`; ${pending}`])).join("");
  return `Would be recorded as stopped: “${title}” (${status.seen}${pending})  ${key}`;
}

function tell(lines: readonly string[], told: readonly unknown[], json: boolean): void {
  if (json) console.log(JSON.stringify(told, undefined, 2));
  else console.log(lines.length === 0 ? "No session that Entire tracks here has exited." : lines.map(plain).join("\n"));
}
