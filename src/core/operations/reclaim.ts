import { bytesWords } from "../bytesWords.ts";
import type { FacetKey } from "../facet.ts";
import type { Scales } from "../orphanFinder.ts";
import type { ProcessIdentity } from "../process.ts";
import type { Receipt } from "../receipt.ts";
import { hoursWords, idleAgentOf } from "../reclaim.ts";
import type { Reclaimable } from "../reclaim.ts";
import { nameOf, processWords, sentenceOfReceipt } from "../sentences.ts";
import type { Session } from "../session.ts";
import type { OperationContext } from "./operation.ts";
import { stop } from "./stop.ts";
import { weigh } from "./weigh.ts";

/** What came of all of them, in one. Each has its own receipt in the journal too. */
export interface ReclaimReceipt {
  readonly lines: readonly ReclaimLine[];
  /** It was called off before it came to these. */
  readonly notReached: readonly Session[];
  /** Of those that were stopped: what they had in memory right before, less what of them is left. Measured, both times. */
  readonly freedBytes: number;
  readonly startedAt: number;
  readonly completedAt: number;
}
export interface ReclaimLine {
  readonly session: Session;
  readonly since: number;
  /** Right before it was stopped. */
  readonly memoryBytes: number;
  readonly outcome: "stopped" | "leftAlone" | "notStopped";
  readonly receipt: Receipt;
}

/** What could be reclaimed now, the longest idle first; none that this program is a part of, and none below which something is at work. */
export async function planReclaim(sessions: readonly Session[], idleMs: number, scales: Scales, { now, signal }: Clock): Promise<readonly Reclaimable[]> {
  const idle = sessions.flatMap((session) => idleAgentOf(session, idleMs, now()) ?? []).toSorted((a, b) => a.since - b.since);
  const trees = await scales.treesOf(
    idle.map(({ process }) => process),
    signal,
  );
  const weighed = await weigh(trees, scales, signal);
  return idle.flatMap((agent, nth) => {
    const [tree, found] = [trees[nth], weighed[nth]];
    const isOurs = tree?.some(({ identity }) => identity.pid === scales.ours) ?? true;
    return tree && found && found.need === undefined && !isOurs ? [{ ...agent, tree, usage: found.usage }] : [];
  });
}
type Clock = Pick<OperationContext, "now" | "signal">;

/** Stops each of them as a person would, never by force. Each is looked at again right before: one that went to work meanwhile is left alone. */
export async function reclaim(chosen: readonly Reclaimable[], idleMs: number, scales: Scales, context: OperationContext): Promise<ReclaimReceipt> {
  const { journal, now, signal } = context;
  const startedAt = now();
  const trees = await scales.treesOf(
    chosen.map(({ process }) => process),
    signal,
  );
  const before = await scales.usageOf(trees, signal);

  const lines: ReclaimLine[] = [];
  for (const [nth, { session, process, since }] of chosen.entries()) {
    if (signal.aborted) break;
    const need = await needBelow(process, scales);
    if (signal.aborted) break;
    let wasNeeded = false;
    const unless = (fresh: Session) => {
      const detail = idleAgentOf(fresh, idleMs, now()) ? need : `it is not idle any more: ${fresh.status.seen}`;
      wasNeeded = detail !== undefined;
      return detail === undefined ? undefined : ({ kind: "refused", reason: "protected", detail } as const);
    };
    const receipt = await stop(session, { reason: "reclaim", reach: "session", named: process, unless }, context);
    lines.push({ session, since, memoryBytes: before[nth]?.memoryBytes ?? 0, outcome: wasNeeded ? "leftAlone" : outcomeOf(receipt), receipt });
  }

  const ended = trees.filter((_tree, nth) => lines[nth]?.outcome === "stopped");
  // Called off in the middle, it still tells what it did.
  const after = await scales.usageOf(ended, new AbortController().signal);
  const freedBytes =
    sum(lines.flatMap(({ outcome, memoryBytes }) => (outcome === "stopped" ? [memoryBytes] : []))) - sum(after.map((left) => left.memoryBytes));
  const notReached = chosen.slice(lines.length).map(({ session }) => session);
  const receipt: ReclaimReceipt = { lines, notReached, freedBytes: Math.max(0, freedBytes), startedAt, completedAt: now() };
  await journal.append({ kind: "reclaim", id: crypto.randomUUID(), ...inJournal(receipt) });
  return receipt;
}

/** One that had ended by itself was not stopped by this. */
function outcomeOf({ result }: Receipt): ReclaimLine["outcome"] {
  if (result.kind !== "success") return "notStopped";
  return result.method === "notNeeded" ? "leftAlone" : "stopped";
}

/** Not cut off in the middle, so that what was done is told. */
async function needBelow(process: ProcessIdentity, scales: Scales): Promise<string | undefined> {
  const { signal } = new AbortController();
  const [found] = await weigh(await scales.treesOf([process], signal), scales, signal);
  return found?.need;
}

/** No names: what is kept for ever tells by keys who it was. */
function inJournal({
  lines,
  freedBytes,
  startedAt,
  completedAt,
}: ReclaimReceipt): Omit<ReclaimReceipt, "lines" | "notReached"> & { readonly outcomes: Readonly<Record<FacetKey, string>> } {
  return { outcomes: Object.fromEntries(lines.map(({ session, outcome }) => [session.key, outcome])), freedBytes, startedAt, completedAt };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** "Stopped 8 idle agents, 5.9 GB freed.", then whoever was not, a sentence each. */
export function reclaimWords({ lines, notReached, freedBytes }: ReclaimReceipt, force?: string): readonly string[] {
  const stopped = lines.filter(({ outcome }) => outcome === "stopped").length;
  const agents = stopped === 1 ? "1 idle agent" : `${stopped} idle agents`;
  const others = lines.filter(({ outcome }) => outcome !== "stopped");
  return [
    stopped === 0 ? "No agent was stopped." : `Stopped ${agents}, ${bytesWords(freedBytes)} freed. Each can be resumed.`,
    ...others.map(({ receipt, session }) => sentenceOfReceipt(receipt, session, force)),
    ...(notReached.length > 0 ? [`It was called off before it came to ${notReached.map(nameOf).join(", ")}.`] : []),
  ];
}

/** "idle for 5 h · 640 MB · claude (4121) and 2 below it": its process is named, as whoever agrees has to see it. */
export function reclaimableWords({ session, since, usage, tree }: Reclaimable, now: number): string {
  const below = tree.length > 1 ? ` and ${tree.length - 1} below it` : "";
  return `idle for ${hoursWords(now - since)} · ${bytesWords(usage.memoryBytes)} · ${processWords(session)}${below}`;
}
