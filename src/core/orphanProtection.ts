import { agentOf } from "./agent.ts";
import type { Agent } from "./agent.ts";
import { ancestorsOf } from "./census.ts";
import type { ProcessEntry } from "./census.ts";
import type { Marked } from "./handedOn.ts";
import type { Unreachable } from "./notice.ts";
import { findEditor, isEditor, parentOf } from "./parentage.ts";
import { commandOf, nameOfProcess } from "./processWords.ts";
import type { Session } from "./session.ts";
import { isSharedDaemon } from "./sharedDaemon.ts";

/** The machine at one moment, as far as orphans are told by it. */
export interface Seen extends Marked {
  readonly sessions: readonly Session[];
  readonly unreachable: readonly Unreachable[];
  /** This program's own pid: neither what it runs in nor what it runs is an orphan. */
  readonly ours: number;
}

/** What is looked at of the few in question only. */
export interface Trace {
  /** Whether a service manager keeps it; `unknown` where the system does not tell. */
  readonly service: { readonly kind: "none" | "unknown" } | { readonly kind: "kept"; readonly by: string };
  /** Whether somebody is connected to what it or anything below it listens on, or to its standard input and output. */
  readonly clients: "none" | "some" | "unknown";
  /** A place of this user's where it listens for whoever comes, as a service does that has set itself apart. */
  readonly waitsAt?: string;
  /** It, or what runs below it, may have a window on somebody's screen. */
  readonly isGraphical: boolean;
  /** It goes on when its terminal is closed, as it was told to. */
  readonly ignoresHangUp: boolean;
  readonly cwd: string | undefined;
}

/** What already is known of it. */
export interface Standing {
  readonly tree: readonly ProcessEntry[];
  readonly isDaemon: boolean;
  /** It is told as an agent without a record. */
  readonly isUnrecorded: boolean;
  /** Its mark tells that whoever started it is gone. */
  readonly isLeft: boolean;
  /** The server of its closed pane: what ran there goes on as its child, and it does nothing for it. */
  readonly tmuxPid: number | undefined;
}

/** Ends with nobody's session: a daemon or a server that others may use. */
export function isShared(entry: ProcessEntry, agents: readonly Agent[]): boolean {
  const role = agentOf(entry, agents)?.as.role;
  return role === "daemon" || role === "server" || isSharedDaemon(entry);
}

/** By the process table alone; undefined: nothing speaks for it. */
export function whyProtected(entry: ProcessEntry, { tree, isDaemon, isUnrecorded, isLeft, tmuxPid }: Standing, seen: Seen): string | undefined {
  const { census, agents, ours } = seen;
  const above = ancestorsOf(entry.identity.pid, census);
  if (tree.some(({ identity }) => identity.pid === ours)) return "it runs what you are using now";
  if (above.some(({ identity }) => identity.pid === ours)) return "what you are using now runs it";
  const editor = findEditor(entry.identity.pid, census);
  if (editor) return editor === entry ? "it is an editor, or a part of one" : `an editor runs it: ${commandOf(editor)} (${editor.identity.pid})`;
  const below = tree.find(isEditor);
  if (below) return `an editor runs below it: ${nameOfProcess(below)} (${below.identity.pid})`;
  if (isDaemon || isSharedDaemon(entry)) return "others may share it";
  const parent = parentOf(topOf(entry, seen), census);
  if (parent.kind === "lives" && parent.entry.identity.pid !== tmuxPid)
    return `what started it lives: ${nameOfProcess(parent.entry)} (${parent.entry.identity.pid})`;
  if (parent.kind === "first" && !isLeft) return `it may have been started by ${nameOfProcess(parent.entry)} (${parent.entry.identity.pid}), which lives`;
  if (parent.kind === "unknown") return "its parent can't be seen from here";
  if (tree.some(({ tty }) => tty !== undefined)) return "what runs below it has a terminal";
  const [working] = agentsBelow(tree, agents);
  if (working !== undefined) return `${working} runs below it`;
  const silent = isUnrecorded ? seen.unreachable.find(({ place }) => !isServersAddress(place)) : undefined;
  return silent && `${silent.place} gives no answer, so whether a record names it can't be known`;
}

/** Each has a conversation of its own, which would end without being saved. */
function agentsBelow([, ...below]: readonly ProcessEntry[], agents: readonly Agent[]): readonly string[] {
  return below.flatMap((entry) => {
    const found = agentOf(entry, agents);
    return found?.as.role === "agent" ? [`${found.agent.name} (${entry.identity.pid})`] : [];
  });
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

/** By what was looked at of it alone. */
export function whyHeld({ service, clients, waitsAt, isGraphical }: Trace): string | undefined {
  const waits = waitsAt === undefined ? undefined : `it waits for others at ${waitsAt}`;
  return whyKept(service) ?? whyUsed(clients) ?? waits ?? (isGraphical ? "it may have a window on the screen" : undefined);
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
