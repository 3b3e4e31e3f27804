import { agentOf } from "./agent.ts";
import type { Agent } from "./agent.ts";
import { ancestorsOf, canBeSeenFrom, descendantsOf } from "./census.ts";
import type { Census, ProcessEntry } from "./census.ts";
import type { FacetKey } from "./facet.ts";
import { fateOf } from "./marks.ts";
import type { Unreachable } from "./notice.ts";
import { findEditor, isSharedDaemon, parentOf } from "./parentage.ts";
import { isSameProcess, wordOf } from "./process.ts";
import type { ProcessIdentity } from "./process.ts";
import { commandOf, nameOfProcess } from "./processWords.ts";
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

/** The machine at one moment, as far as orphans are told by it. */
export interface Seen {
  readonly census: Census;
  readonly sessions: readonly Session[];
  readonly unreachable: readonly Unreachable[];
  readonly agents: readonly Agent[];
  /** Of what has no terminal. */
  readonly environmentOf: (process: ProcessEntry) => ReadonlyMap<string, string>;
  /** This program's own pid: neither what it runs in nor what it runs is an orphan. */
  readonly ours: number;
}

/** What is looked at of the few in question only. */
export interface Trace {
  /** Whether a service manager keeps it; `unknown` where the system does not tell. */
  readonly service: { readonly kind: "none" | "unknown" } | { readonly kind: "kept"; readonly by: string };
  /** Whether somebody is connected to what it or anything below it listens on. */
  readonly clients: "none" | "some" | "unknown";
  readonly cwd: string | undefined;
}

export type Suspect = Omit<Orphan, "cwd" | "usage">;

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
export function orphanOf(suspect: Suspect, { service, clients, cwd }: Trace, usage?: Usage): Orphan {
  const protection = suspect.protection ?? whyKept(service) ?? whyUsed(clients);
  return { ...suspect, protection, cwd: cwd ?? suspect.session?.cwd, usage };
}

function whyKept(service: Trace["service"]): string | undefined {
  switch (service.kind) {
    case "none":
      return undefined;
    case "kept":
      return `${service.by} is a service: what manages it would be its end, and may start it anew`;
    case "unknown":
      return "whether a service manager started it can't be told on this system";
  }
}

function whyUsed(clients: Trace["clients"]): string | undefined {
  switch (clients) {
    case "none":
      return undefined;
    case "some":
      return "somebody is connected to it";
    case "unknown":
      return "whether somebody is connected to it can't be seen";
  }
}

/** An agent that no book names, without a terminal. What a book names is in the list, and ended there. */
function agentLeft(entry: ProcessEntry, agent: Agent, seen: Seen): readonly Suspect[] {
  const session = seen.sessions.find(({ run }) => run?.host.kind === "process" && isSameProcess(run.host.process, entry.identity));
  if (!session || session.records.some(({ source }) => source !== "ledger")) return [];
  if (session.run?.host.kind === "process" && session.run.host.pane) return [];
  const fate = fateOf(entry, seen.environmentOf(entry), seen.census, seen.agents);
  const began = fate === undefined ? "" : ` It was ${fate.why}.`;
  return [
    suspect(entry, seen, {
      why: `${agent.name} runs without a terminal, without a living parent, and in no record.${began}`,
      session,
      doubt: fate?.kind === "lives" ? `it was ${fate.why}` : session.doubt?.why,
    }),
  ];
}

/** Any program that an agent, or a pane, has started and outlived by it. */
function otherLeft(entry: ProcessEntry, seen: Seen): readonly Suspect[] {
  // What has a parent is of its tree, and told by its top.
  if (parentOf(entry, seen.census).kind === "lives") return [];
  const fate = fateOf(entry, seen.environmentOf(entry), seen.census, seen.agents);
  if (!fate || fate.kind === "lives") return [];
  return [suspect(entry, seen, { why: `It was ${fate.why}.`, doubt: fate.kind === "unknown" ? `it was ${fate.why}` : undefined })];
}

interface Found {
  readonly why: string;
  readonly session?: Session;
  readonly isDaemon?: boolean;
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
    protection: whyProtected(entry, tree, seen, found) ?? found.doubt,
    tree,
    session: found.session,
    startedAt,
  };
}

/** What others share may have been started below it, and does not end with it. */
function treeOf(entry: ProcessEntry, { census, agents }: Seen): readonly ProcessEntry[] {
  const below = descendantsOf([entry], census);
  const shared = below.filter((each) => isShared(each, agents));
  const outside = new Set([...shared, ...descendantsOf(shared, census)]);
  return [entry, ...below.filter((each) => each.state !== "zombie" && !outside.has(each))];
}

/** Ends with nobody's session: a daemon or a server that others may use. */
export function isShared(entry: ProcessEntry, agents: readonly Agent[]): boolean {
  const role = agentOf(entry, agents)?.as.role;
  return role === "daemon" || role === "server" || isSharedDaemon(entry);
}

function whyProtected(entry: ProcessEntry, tree: readonly ProcessEntry[], seen: Seen, { isDaemon, session }: Found): string | undefined {
  const { census, ours } = seen;
  const above = ancestorsOf(entry.identity.pid, census);
  if (tree.some(({ identity }) => identity.pid === ours)) return "it runs what you are using now";
  if (above.some(({ identity }) => identity.pid === ours)) return "what you are using now runs it";
  const editor = findEditor(entry.identity.pid, census);
  if (editor) return editor === entry ? "it is an editor, or a part of one" : `an editor runs it: ${commandOf(editor)} (${editor.identity.pid})`;
  if (isDaemon || isSharedDaemon(entry)) return "others may share it: it serves whoever asks";
  const parent = parentOf(topOf(entry, seen), census);
  if (parent.kind === "lives") return `what started it lives: ${nameOfProcess(parent.entry)} (${parent.entry.identity.pid})`;
  if (parent.kind === "unknown") return "its parent can't be seen from here";
  if (tree.some(({ tty }) => tty !== undefined)) return "what runs below it has a terminal";
  const silent = session && seen.unreachable.find(({ place }) => !isServersAddress(place));
  return silent && `${silent.place} gives no answer, so whether a record names it can't be known`;
}

/** A server knows of its own sessions, and of no other program's process. */
function isServersAddress(place: string): boolean {
  return /^(https?:\/\/)?[^/]+:\d+\/?$/.test(place);
}

/** The first of the same agent's processes in one job: the others above it only started it. */
function topOf(entry: ProcessEntry, { census, agents }: Seen): ProcessEntry {
  const agent = agentOf(entry, agents)?.agent;
  let top = entry;
  for (const above of agent ? ancestorsOf(entry.parentPid, census) : []) {
    if (agentOf(above, agents)?.agent !== agent || above.sessionId !== entry.sessionId) break;
    top = above;
  }
  return top;
}
