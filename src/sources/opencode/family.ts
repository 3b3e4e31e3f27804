import type { ServerSession } from "./client.ts";
import type { ServerLook, ServerRun } from "./look.ts";
import type { Server } from "./servers.ts";

/** A turn that is to be ended: on which server, by which engine, in which directory. */
export interface Turn {
  readonly id: string;
  readonly server: Server;
  readonly engine: ServerRun["engine"];
  readonly directory: string;
}

/** A session, and the sub-agents that were begun for it. A deleted one has no children that could be known. */
export function familyIds(id: string, sessions: readonly ServerSession[]): ReadonlySet<string> {
  const ids = new Set([id]);
  for (const member of ids) for (const session of sessions) if (session.parentId === member) ids.add(session.id);
  return ids;
}

export type Asked = { readonly kind: "told"; readonly turns: readonly Turn[] } | { readonly kind: "silent"; readonly server: Server };

/** Looks afresh on these servers, by both engines, for turns of the family; those begun meanwhile too. A directory that a server has not opened it is not asked about. */
export async function turnsOf(id: string, directory: string, looks: readonly ServerLook[], signal: AbortSignal): Promise<Asked> {
  const turns: Turn[] = [];
  for (const { server, opened } of looks) {
    const { client } = server;
    const asked = opened.has(directory) ? client.runs(directory, signal) : undefined;
    const [sessions, runs, active] = await Promise.all([client.sessions(signal), asked, client.active(signal)]);
    if (sessions.kind !== "ok") return { kind: "silent", server };
    if ((runs && runs.kind !== "ok" && runs.kind !== "noSuchCall") || (active.kind !== "ok" && active.kind !== "noSuchCall")) return { kind: "silent", server };
    const ids = familyIds(id, sessions.value);
    if (runs?.kind === "ok") for (const run of runs.value.keys()) if (ids.has(run)) turns.push({ id: run, server, engine: "classic", directory });
    if (active.kind === "ok") for (const run of active.value) if (ids.has(run)) turns.push({ id: run, server, engine: "second", directory });
  }
  return { kind: "told", turns };
}

/** All that is at work on that server by its first engine, in the directories that are known to be open: whose tools' processes could be taken for each other. */
export async function atWorkOn(
  { server: { client }, opened }: ServerLook,
  signal: AbortSignal,
): Promise<readonly { readonly id: string; readonly directory: string }[]> {
  const asked = await Promise.all([...opened].map(async (directory) => ({ directory, runs: await client.runs(directory, signal) })));
  return asked.flatMap(({ directory, runs }) => (runs.kind === "ok" ? [...runs.value.keys()].map((id) => ({ id, directory })) : []));
}
