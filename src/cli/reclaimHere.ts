import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import { planReclaim, reclaim, reclaimableWords, reclaimWords } from "../core/operations/reclaim.ts";
import type { ReclaimReceipt } from "../core/operations/reclaim.ts";
import { hoursWords, offerWords } from "../core/reclaim.ts";
import type { Reclaimable } from "../core/reclaim.ts";
import { receiptJson } from "../core/receiptJson.ts";
import { nameOf, processWords } from "../core/sentences.ts";
import type { Warden } from "../core/warden.ts";
import type { CommandHands } from "./endCommands.ts";
import type { ExitCode } from "./exitCode.ts";
import { dieAt } from "./fault.ts";
import { abortedByInterrupt } from "./interrupt.ts";
import { plain } from "./listing.ts";

interface ReclaimFlags {
  readonly idleHours: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Stops what has been open and idle for long, and can be resumed: one list, one receipt. */
export function addReclaimCommand(program: Command, { warden, exitWith }: CommandHands): void {
  program
    .command("reclaim")
    .description("stop the open agents that have been idle for hours and can be resumed, and say how much memory that freed")
    .option("--idle-hours <HOURS>", "how long they have been idle at least", hours, 4)
    .option("--dry-run", "only show which")
    .option("--yes", "do it; without, they are only shown")
    .option("--json", "print the list or the receipt for scripts")
    .action(async (flags: ReclaimFlags) => exitWith(await reclaimHere(await warden(), flags)));
}

function hours(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("It is a number of hours above 0, such as 4 or 0.5.");
  return value;
}

async function reclaimHere(warden: Warden, { idleHours, dryRun = false, yes = false, json = false }: ReclaimFlags): Promise<ExitCode> {
  const signal = abortedByInterrupt();
  try {
    return await reclaimUnless(signal, warden, { idleHours, dryRun, yes, json });
  } catch (error) {
    if (!signal.aborted) throw error;
    // Each that it comes to has a receipt: what is cut off in between is only a look.
    console.error("Called off. No agent was stopped.");
    return 1;
  }
}

async function reclaimUnless(cancelled: AbortSignal, warden: Warden, { idleHours, dryRun, yes, json }: Required<ReclaimFlags>): Promise<ExitCode> {
  const idleMs = idleHours * 3_600_000;
  const context = warden.forOperation(cancelled, dieAt(process.env["SESSION_WARDEN_FAULT"]));
  const { sessions } = await warden.roster.refresh(cancelled);
  const found = await planReclaim(sessions, idleMs, warden.orphans, context);
  if (found.length === 0 || dryRun || !yes) return showPlan(found, idleMs, { dryRun, json });
  const receipt = await reclaim(found, idleMs, warden.orphans, context);
  if (json) console.log(JSON.stringify(reclaimJson(receipt, idleHours), undefined, 2));
  else console.log(reclaimWords(receipt, "session-warden terminate").map(plain).join("\n"));
  return isWell(receipt) ? 0 : 1;
}

/** One that went to work meanwhile is no failure. */
function isWell({ lines, notReached }: ReclaimReceipt): boolean {
  return notReached.length === 0 && lines.every(({ outcome }) => outcome !== "notStopped");
}

function showPlan(found: readonly Reclaimable[], idleMs: number, { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean }): ExitCode {
  const isNothing = found.length === 0;
  const now = Date.now();
  const status = isNothing ? "nothing" : dryRun ? "plan" : "needs_confirmation";
  if (json) {
    const agents = found.map(({ session, since, usage, tree }) => ({
      session_id: session.key,
      title: session.title,
      agent: session.agent ?? null,
      process: processWords(session),
      idle_since: new Date(since).toISOString(),
      memory_bytes: usage.memoryBytes,
      processes: tree.map(({ identity }) => identity.pid),
    }));
    console.log(JSON.stringify({ status, operation: "reclaim", idle_hours: idleMs / 3_600_000, agents, memory_bytes: memoryOf(found) }, undefined, 2));
  } else if (isNothing) {
    console.log(`No open agent is known to be idle for over ${hoursWords(idleMs)}, and to be resumable.`);
  } else {
    const rows = found.map((each) => `  ${nameOf(each.session)} · ${reclaimableWords(each, now)}  ${each.session.key}`);
    console.log([`${offerWords(found, idleMs)}.`, ...rows].map((line) => plain(line).replaceAll("\n", " ")).join("\n"));
    if (!dryRun) console.error("Run it again with --yes to do it.");
  }
  return isNothing || dryRun ? 0 : 3;
}

function memoryOf(found: readonly Reclaimable[]): number {
  return found.reduce((sum, { usage }) => sum + usage.memoryBytes, 0);
}

function reclaimJson(receipt: ReclaimReceipt, idleHours: number): unknown {
  const { lines, notReached, freedBytes, startedAt, completedAt } = receipt;
  return {
    status: isWell(receipt) ? "success" : "partial",
    operation: "reclaim",
    message: reclaimWords(receipt, "session-warden terminate").join(" "),
    idle_hours: idleHours,
    memory_bytes_before: lines.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    memory_bytes_freed: freedBytes,
    sessions: [
      ...lines.map(({ session, since, memoryBytes, outcome, receipt: own }) => ({
        session_id: session.key,
        outcome: outcomes[outcome],
        idle_since: new Date(since).toISOString(),
        memory_bytes: memoryBytes,
        receipt: receiptJson(own, session, { force: `session-warden terminate ${session.key}` }),
      })),
      ...notReached.map(({ key }) => ({ session_id: key, outcome: "not_reached", receipt: null })),
    ],
    started_at: new Date(startedAt).toISOString(),
    completed_at: new Date(completedAt).toISOString(),
  };
}
const outcomes = { stopped: "stopped", leftAlone: "left_alone", notStopped: "not_stopped" } as const;
