import { bytesWords } from "./bytesWords.ts";
import type { ProcessEntry } from "./census.ts";
import type { ProcessIdentity } from "./process.ts";
import type { Session } from "./session.ts";
import type { Usage } from "./usage.ts";

/** An open agent that nobody has needed for a long time, and that can be taken up again. */
export interface IdleAgent {
  readonly session: Session;
  readonly process: ProcessIdentity;
  /** When something last happened in it, by what its agent has written, or a book later. */
  readonly since: number;
}

/** With all that it takes. */
export interface Reclaimable extends IdleAgent {
  readonly tree: readonly ProcessEntry[];
  readonly usage: Usage;
}

/** Undefined unless all of it is known: idle, since when, resumable, and a process of its own in a terminal, with no other agent below it. */
export function idleAgentOf(session: Session, idleMs: number, now: number): IdleAgent | undefined {
  const { run, status, conversation, doubt } = session;
  if (!run || run.host.kind !== "process" || run.runsIn !== "terminal" || run.liveness.value !== "alive" || doubt) return undefined;
  if (status.value !== "idle" || run.activity.value !== "idle" || conversation?.resumable?.value !== true || run.alsoEnds) return undefined;
  const since = lastTouched(session);
  return since !== undefined && since <= now - idleMs ? { session, process: run.host.process, since } : undefined;
}

/** By its own agent's word; a book may know of a later touch. Where only a book tells, its agent may be at work at what the book is not told of. */
function lastTouched({ run, records }: Session): number | undefined {
  const times = records.flatMap(({ lastInteractionAt }) => lastInteractionAt ?? []);
  return run?.idleSince === undefined ? undefined : Math.max(run.idleSince, ...times);
}

/** "9 open agents idle over 4 h, 6.2 GB: stop, all resumable" */
export function offerWords(found: readonly Reclaimable[], idleMs: number): string {
  const memory = found.reduce((sum, { usage }) => sum + usage.memoryBytes, 0);
  const agents = found.length === 1 ? "1 open agent" : `${found.length} open agents`;
  return `${agents} idle over ${hoursWords(idleMs)}, ${bytesWords(memory)}: stop, ${found.length === 1 ? "resumable" : "all resumable"}`;
}

/** "4 h", "30 min" */
export function hoursWords(ms: number): string {
  const hours = ms / 3_600_000;
  return hours >= 1 ? `${Number(hours.toFixed(1))} h` : `${Math.round(ms / 60_000)} min`;
}
