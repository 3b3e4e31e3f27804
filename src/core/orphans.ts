import { agentOf } from "./agent.ts";
import type { Agent } from "./agent.ts";
import { canBeSeenFrom, descendantsOf } from "./census.ts";
import type { ProcessEntry } from "./census.ts";
import type { FacetKey } from "./facet.ts";
import { fateOf } from "./marks.ts";
import { isShared, whyHeld, whyProtected } from "./orphanProtection.ts";
import type { Seen, Standing, Trace } from "./orphanProtection.ts";
import { parentOf } from "./parentage.ts";
import { isSameProcess, wordOf } from "./process.ts";
import type { ProcessIdentity } from "./process.ts";
import { commandOf } from "./processWords.ts";
import type { Session } from "./session.ts";
import type { Usage } from "./usage.ts";

/** A process that belongs to nobody, as far as can be seen; or one that looks like it, and is protected. */
export interface Orphan {
  readonly key: FacetKey;
  readonly process: ProcessIdentity;
  /** "sleep 600", "claude --print" */
  readonly what: string;
  /** By what that is known, as a sentence. */
  readonly why: string;
  /** Why it is never offered to be ended; undefined: a person may choose to. */
  readonly protection: string | undefined;
  /** Itself first, then what runs below it and ends with it. */
  readonly tree: readonly ProcessEntry[];
  /** Of an agent. */
  readonly session: Session | undefined;
  readonly cwd: string | undefined;
  readonly startedAt: number | undefined;
  readonly usage: Usage | undefined;
}

/** `isOfPane`: it was left in a pane, and nothing tells that an agent started it there. */
export type Suspect = Omit<Orphan, "cwd" | "usage"> & { readonly isOfPane: boolean };

/** All that the process table and the marks in environments bring up, the topmost of each tree. What is in question goes on to `orphanOf`. */
export function suspectsOf(seen: Seen): readonly Suspect[] {
  const { census, agents, ours } = seen;
  const uid = census.processes?.get(ours)?.uid;
  const adrift = [...(census.processes?.values() ?? [])].filter(
    (entry) =>
      entry.uid === uid && entry.state !== "zombie" && entry.tty === undefined && entry.identity.pid !== ours && canBeSeenFrom(census.here, entry.identity),
  );
  return adrift.flatMap((entry) => {
    const found = agentOf(entry, agents);
    switch (found?.as.role) {
      case "daemon":
      case "server":
        return [suspect(entry, seen, { why: `It is a background process of ${found.agent.name}.`, isDaemon: true })];
      case "agent":
        return agentLeft(entry, found.agent, seen);
      case "launcher":
        // It is told by the agent below it.
        return [];
      case "command":
      case undefined:
        return otherLeft(entry, seen);
    }
  });
}

/** With what was found out about it: an orphan, or protected. */
export function orphanOf({ isOfPane, ...suspect }: Suspect, trace: Trace): Orphan {
  const outlives = isOfPane && trace.ignoresHangUp ? "it was started so as to outlive its pane" : undefined;
  const protection = suspect.protection ?? whyHeld(trace) ?? outlives;
  return { ...suspect, protection, cwd: trace.cwd ?? suspect.session?.cwd, usage: undefined };
}

/** An agent that no book names, without a terminal. What a book names is in the list, and ended there. */
function agentLeft(entry: ProcessEntry, agent: Agent, seen: Seen): readonly Suspect[] {
  const session = seen.sessions.find(({ run }) => run?.host.kind === "process" && isSameProcess(run.host.process, entry.identity));
  if (!session || session.records.some(({ source }) => source !== "ledger")) return [];
  if (session.run?.host.kind === "process" && session.run.host.pane) return [];
  const fate = fateOf(entry, seen);
  const began = fate?.kind === "gone" ? ` It was ${fate.why}.` : "";
  return [
    suspect(entry, seen, {
      why: `${agent.name} runs without a terminal, without a living parent, and in no record.${began}`,
      session,
      isLeft: fate?.kind === "gone",
      tmuxPid: fate?.tmuxPid,
      doubt: fate && fate.kind !== "gone" ? `it was ${fate.why}` : session.doubt?.why,
    }),
  ];
}

/** Any program that an agent, or a pane, has started and outlived by it. */
function otherLeft(entry: ProcessEntry, seen: Seen): readonly Suspect[] {
  // What has a parent is of its tree, and told by its top.
  const parent = parentOf(entry, seen.census);
  const fate = fateOf(entry, seen);
  if (!fate || fate.kind === "lives" || (parent.kind === "lives" && parent.entry.identity.pid !== fate.tmuxPid)) return [];
  const doubt = fate.kind === "unknown" ? `it was ${fate.why}` : undefined;
  return [suspect(entry, seen, { why: `It was ${fate.why}.`, isLeft: true, isOfPane: fate.of === "pane", tmuxPid: fate.tmuxPid, doubt })];
}

interface Found {
  readonly why: string;
  readonly session?: Session;
  readonly isDaemon?: boolean;
  readonly isLeft?: boolean;
  readonly isOfPane?: boolean;
  readonly tmuxPid?: number | undefined;
  /** What already speaks against it. */
  readonly doubt?: string | undefined;
}

function suspect(entry: ProcessEntry, seen: Seen, found: Found): Suspect {
  const tree = treeOf(entry, seen);
  const { identity, startedAt } = entry;
  return {
    key: `process:${wordOf(identity)}`,
    process: identity,
    what: commandOf(entry),
    why: found.why,
    protection: whyProtected(entry, { tree, ...standingOf(found) }, seen) ?? found.doubt,
    tree,
    isOfPane: found.isOfPane ?? false,
    session: found.session,
    startedAt,
  };
}

function standingOf({ isDaemon = false, isLeft = false, session, tmuxPid }: Found): Omit<Standing, "tree"> {
  return { isDaemon, isLeft, isUnrecorded: session !== undefined, tmuxPid };
}

/** What others share may have been started below it, and does not end with it. */
function treeOf(entry: ProcessEntry, { census, agents }: Seen): readonly ProcessEntry[] {
  const below = descendantsOf([entry], census);
  const shared = below.filter((each) => isShared(each, agents));
  const outside = new Set([...shared, ...descendantsOf(shared, census)]);
  return [entry, ...below.filter((each) => each.state !== "zombie" && !outside.has(each))];
}
