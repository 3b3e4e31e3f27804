import type { Agent } from "../../src/core/agent.ts";
import type { Census, Here, Pane, ProcessEntry } from "../../src/core/census.ts";
import type { Evidence } from "../../src/core/evidence.ts";
import type { Conversation, Doubt, Facet, Recorded, Run, SessionRecord, SourceId } from "../../src/core/facet.ts";
import { merge } from "../../src/core/merge.ts";
import type { ProcessIdentity } from "../../src/core/process.ts";
import type { Session } from "../../src/core/session.ts";
import type { Status } from "../../src/core/status.ts";

export const now = 1_796_000_000_000;
export const here: Here = { host: "build", bootId: "boot-1", pidNamespace: "pid:[4026531836]" };

export function seen<T>(value: T, words = String(value)): Evidence<T> {
  return { value, seen: words, at: now };
}

export function pid(number: number, ticks = "7"): ProcessIdentity {
  return { pid: number, start: { kind: "ticks", ticks }, bootId: "boot-1" };
}

export function talk(id: string, told: Partial<Conversation> = {}): Conversation {
  return { agent: "claude", id, toldBy: "agent", ...told };
}

/** An idle Claude Code with a pid file, process 41, in conversation A. */
export function aRun(over: Partial<Run> = {}): Run {
  return {
    kind: "run",
    key: "process:41",
    source: "process",
    place: "tmux",
    agent: "claude",
    liveness: seen("alive"),
    activity: seen("idle"),
    runsIn: "terminal",
    host: { kind: "process", process: pid(41) },
    pidFile: "41.json",
    conversation: talk("A"),
    title: "fix login",
    ...over,
  };
}

/** A session of a server that runs many. */
export function aTurn(over: Partial<Run> = {}): Run {
  const conversation: Conversation = { agent: "opencode", id: "s", toldBy: "agent" };
  const host: Run["host"] = { kind: "server", server: pid(9), url: "http://127.0.0.1:4096", directory: "/app" };
  return aRun({ key: "opencode:s", source: "opencode", agent: "opencode", place: "127.0.0.1:4096", activity: seen("working"), conversation, host, ...over });
}

/** A book that says active and names process 41, in conversation A. */
export function aRecord(source: SourceId, over: Partial<SessionRecord> = {}): SessionRecord {
  return {
    kind: "record",
    key: `${source}:r`,
    source,
    place: source,
    agent: "claude",
    liveness: seen("alive"),
    says: seen("active"),
    process: pid(41),
    conversation: talk("A", { toldBy: "record" }),
    ...over,
  };
}

/** The same facet, but that it does not tell this. */
export function without<F extends Facet>(facet: F, ...fields: readonly ("process" | "conversation" | "cwd" | "pidFile" | "agent" | "title")[]): F {
  return Object.fromEntries(Object.entries(facet).filter(([field]) => !fields.some((left) => left === field))) as F;
}

/** The one session that these facets make. */
export function aSession(...facets: readonly Facet[]): Session {
  const [session, ...others] = merge(facets.length > 0 ? facets : [aRun()], now);
  if (!session || others.length > 0) throw new Error(`${others.length + 1} sessions where one was meant`);
  return session;
}

/** A session of a given status, whatever its facets would make of it. */
export function withStatus(session: Session, status: Status, doubt?: Doubt): Session {
  return { ...session, status: seen(status), doubt };
}

export function aBook(source: SourceId, says: Recorded, over: Partial<SessionRecord> = {}): SessionRecord {
  return aRecord(source, { says: seen(says), liveness: seen("gone"), ...over });
}

export function anEntry(identity: ProcessIdentity, over: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    identity,
    parentPid: 1,
    groupId: identity.pid,
    sessionId: identity.pid,
    state: "running",
    argv: [],
    program: undefined,
    uid: 1000,
    tty: undefined,
    isForeground: false,
    startedAt: undefined,
    ...over,
  };
}

export function censusOf(...entries: readonly ProcessEntry[]): Census {
  return { at: now, here, processes: new Map(entries.map((entry) => [entry.identity.pid, entry])), panes: [], unreachable: [] };
}

/** An agent that is known, and does nothing by itself. */
export function anAgent(over: Partial<Agent> = {}): Agent {
  return {
    id: "claude",
    program: "claude",
    name: "Claude Code",
    idPattern: /./,
    ask: { escapeWhenBusy: true, signal: "SIGTERM", graceMs: 5_000 },
    recognise: () => undefined,
    configHomeOf: () => undefined,
    canResume: async () => seen(true),
    resumeCommand: async ({ id }, cwd) => ({ argv: ["claude", "--resume", id], ...(cwd !== undefined && { cwd }) }),
    storesByHand: [],
    ...over,
  };
}

/** A pane that was made for a command, in which process 41 is the first. */
export function aPane(over: Partial<Pane> = {}): Pane {
  return {
    server: { socket: "/tmp/t", pid: 5 },
    id: "%0",
    sessionId: "$0",
    sessionName: "work",
    windowId: "@0",
    windowIndex: 0,
    pid: 41,
    state: "alive",
    title: "",
    cwd: "/app",
    hasStartCommand: true,
    isAttached: false,
    takesKeys: true,
    ...over,
  };
}
