import type { Facet, FacetKey, Permission, Run, SessionRecord } from "../../../src/core/facet.ts";
import type { Receipt, Result } from "../../../src/core/receipt.ts";
import type { Operation } from "../../../src/core/lifecycle.ts";
import type { Session } from "../../../src/core/session.ts";
import type { Status } from "../../../src/core/status.ts";

export const now = Date.UTC(2026, 1, 3, 12, 0, 0);
export const minuteMs = 60_000;

export type Changes = Partial<Omit<Session, "status">> & { readonly is?: Status; readonly seen?: string };

/** A Claude Code that waits for a prompt in a terminal, told by its own pid file, but for what is changed. */
export function session(title: string, { is = "idle", seen = "waits for a prompt", ...changes }: Changes = {}): Session {
  const key: FacetKey = `process:${title}`;
  const id = "6b1f2a0c-0000-4000-8000-000000000001";
  return {
    key,
    agent: "claude",
    title,
    cwd: "/home/me/app",
    conversation: { agent: "claude", id, toldBy: "agent", resumable: { value: true, seen: "its transcript is there", at: now } },
    startedAt: now - 4 * minuteMs,
    run: run(key),
    records: [],
    doubt: undefined,
    status: { value: is, seen, at: now },
    ...changes,
  };
}

export function run(key: FacetKey, changes: Partial<Run> = {}): Run {
  return {
    kind: "run",
    source: "process",
    key,
    place: "processes",
    liveness: { value: "alive", seen: "process 4121 is there", at: now },
    activity: { value: "idle", seen: "waits for a prompt", at: now },
    runsIn: "terminal",
    host: { kind: "process", process: { pid: 4121, start: { kind: "ticks", ticks: "77" } } },
    pidFile: "/home/me/.claude/sessions/4121.json",
    ...changes,
  };
}

/** The same without a file of the agent's that names its process. */
export function unnamedRun(key: FacetKey): Run {
  const { pidFile: _pidFile, ...unnamed } = run(key);
  return unnamed;
}

export function record(changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    kind: "record",
    source: "ledger",
    key: "ledger:1",
    place: "ledger",
    liveness: { value: "gone", seen: "process 4121 is gone", at: now },
    says: { value: "active", seen: "the ledger says active", at: now },
    ...changes,
  };
}

/** What runs in an OpenCode server, but for what is changed. */
export function ofServer(title: string, { asks, ...changes }: Changes & { readonly asks?: Permission } = {}): Session {
  const key: FacetKey = `opencode:ses_${title}`;
  const host = { kind: "server", server: undefined, url: "http://127.0.0.1:4096", directory: "/home/me/app" } as const;
  const { pidFile: _pidFile, ...turn } = run(key, { source: "opencode", place: host.url, agent: "opencode", host, ...(asks && { asks }) });
  const conversation = { agent: "opencode", id: `ses_${title}`, toldBy: "agent" } as const;
  return session(title, { key, agent: "opencode", conversation, run: turn, ...changes });
}

/** What is over: no run, and one record that tells when it was last seen. */
export function past(title: string, is: Status, seen: string, changes: Changes & { readonly lastAt?: number } = {}): Session {
  const { lastAt = now - 2 * 60 * minuteMs, ...others } = changes;
  return session(title, { is, seen, run: undefined, records: [record({ lastInteractionAt: lastAt })], ...others });
}

export function snapshotOf(...sessions: readonly Session[]) {
  return { at: now, sessions, unreachable: [], notices: [] };
}

export function receipt(operation: Operation, { key }: Pick<Facet, "key">, result: Result, changes: Partial<Receipt> = {}): Receipt {
  return { operation, session: key, result, steps: [], records: [], warnings: [], startedAt: now, completedAt: now + 100, ...changes };
}
