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
  const children = Map.groupBy(sessions, ({ parentId }) => parentId);
  const ids = new Set([id]);
  for (const member of ids) for (const child of children.get(member) ?? []) ids.add(child.id);
  return ids;
}

export type Asked = { readonly kind: "told"; readonly turns: readonly Turn[] } | { readonly kind: "silent"; readonly server: Server };

/** Looks afresh on these servers, by both engines, for turns of the family; those begun meanwhile too, and each in its own directory. One that a server has not opened it is not asked about. */
export async function turnsOf(id: string, directory: string, looks: readonly ServerLook[], signal: AbortSignal): Promise<Asked> {
  const turns: Turn[] = [];
  for (const { server, opened } of looks) {
    const { client } = server;
    // The quick question first: one that hangs is waited for once.
    const active = await client.active(signal);
    if (active.kind !== "ok" && active.kind !== "noSuchCall") return { kind: "silent", server };
    const sessions = await client.sessions(signal);
    if (sessions.kind !== "ok") return { kind: "silent", server };
    const ids = familyIds(id, sessions.value);
    const members = sessions.value.filter((session) => ids.has(session.id));
    const directories = new Set([directory, ...members.map((member) => member.directory)]);
    for (const asked of [...directories].filter((each) => opened.has(each))) {
      const runs = await client.runs(asked, signal);
      if (runs.kind !== "ok" && runs.kind !== "noSuchCall") return { kind: "silent", server };
      if (runs.kind === "ok") for (const run of runs.value.keys()) if (ids.has(run)) turns.push({ id: run, server, engine: "classic", directory: asked });
    }
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
