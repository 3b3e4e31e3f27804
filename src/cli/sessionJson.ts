import { groupOf } from "../core/groups.ts";
import type { Session } from "../core/session.ts";

/** A session for scripts. Times are ISO 8601; what is not known is null. */
export function sessionJson(session: Session): unknown {
  const { key, title, agent, cwd, status, conversation, run, records, doubt, startedAt, parent } = session;
  const host = run?.host.kind === "process" ? run.host : undefined;
  return {
    key,
    title,
    agent: agent ?? null,
    status: status.value,
    group: groupOf(status.value),
    why: status.seen,
    cwd: cwd ?? null,
    started_at: startedAt === undefined ? null : new Date(startedAt).toISOString(),
    conversation_id: conversation?.id ?? null,
    resumable: conversation?.resumable?.value ?? null,
    runs_in: run?.runsIn ?? null,
    pid: host?.process.pid ?? null,
    tmux: host?.pane ? { socket: host.pane.server.socket, session: host.pane.sessionName, window: host.pane.windowIndex, pane: host.pane.id } : null,
    server: run?.host.kind === "server" ? { url: run.host.url, pid: run.host.server?.pid ?? null } : null,
    parent: parent ?? null,
    asks: run?.asks ? { tool: run.asks.tool, input: run.asks.input } : null,
    pending: records.find(({ pending }) => pending !== undefined)?.pending ?? null,
    records: records.map((record) => ({ key: record.key, says: record.says.value })),
    doubt: doubt ?? null,
  };
}
