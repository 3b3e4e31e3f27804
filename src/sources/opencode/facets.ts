import { dirname } from "node:path";
import type { Evidence } from "../../core/evidence.ts";
import type { Activity, Conversation, Facet, FacetKey, Permission, Run, SessionRecord } from "../../core/facet.ts";
import type { ServerSession } from "./client.ts";
import type { ServerLook, ServerRun } from "./look.ts";
import { whereItMayRun } from "./mayRun.ts";
import type { Unasked } from "./mayRun.ts";
import { hostIn } from "./origin.ts";
import type { Server } from "./servers.ts";
import { findWait } from "./waits.ts";

/** All that was seen at one moment. */
export interface Seen extends Unasked {
  readonly looks: readonly ServerLook[];
}

/** One session, on whichever servers list or run it. */
interface Known {
  readonly id: string;
  readonly session: ServerSession | undefined;
  readonly listedBy: readonly ServerLook[];
  readonly runBy: readonly { readonly look: ServerLook; readonly run: ServerRun }[];
}

/** A run for what a server runs, or has touched since it began; a record of the past for the rest; and unknown where what can't be asked may run it. */
export function facetsOf(seen: Seen): readonly Facet[] {
  const all = knownIn(seen.looks);
  const atWork = atWorkBelow(all);
  return [...all.values()].map((known) => facetOf(known, atWork.get(known.id) ?? [], seen));
}

function knownIn(looks: readonly ServerLook[]): ReadonlyMap<string, Known> {
  const sessions = new Map<string, { session: ServerSession; listedBy: ServerLook[] }>();
  for (const look of looks)
    for (const session of look.sessions) {
      const before = sessions.get(session.id);
      const newest = before && before.session.updatedAt >= session.updatedAt ? before.session : session;
      sessions.set(session.id, { session: newest, listedBy: [...(before?.listedBy ?? []), look] });
    }
  const runs = Map.groupBy(
    looks.flatMap((look) => look.runs.map((run) => ({ look, run }))),
    ({ run }) => run.id,
  );
  const ids = new Set([...sessions.keys(), ...runs.keys()]);
  return new Map([...ids].map((id) => [id, { id, session: sessions.get(id)?.session, listedBy: sessions.get(id)?.listedBy ?? [], runBy: runs.get(id) ?? [] }]));
}

function facetOf(known: Known, atWork: readonly Known[], seen: Seen): Facet {
  const [busy] = atWork.flatMap(({ runBy }) => runBy);
  if (busy) return runOf(known, busy.look.server, busy.run.directory, activityOf(known, atWork, seen.at), seen);
  const { session } = known;
  const elsewhere = session && whereItMayRun(session, known.listedBy, seen);
  if (elsewhere !== undefined) return recordOf(known, { value: "unknown", seen: elsewhere, at: seen.at }, seen.at);
  const owner = session && !isArchived(session) && ownerOf(session, known.listedBy);
  if (owner) return runOf(known, owner, undefined, { activity: { value: "idle", seen: `idle on ${hostIn(owner.origin)}`, at: seen.at } }, seen);
  return recordOf(known, { value: "gone", seen: "no server that is known runs it", at: seen.at }, seen.at);
}

/** By session, those of it and of what was begun for it that are at work, itself first. Told upwards by the few that are, since parents may stand in long rows, or in a circle. */
function atWorkBelow(all: ReadonlyMap<string, Known>): ReadonlyMap<string, readonly Known[]> {
  const atWork = new Map<string, Known[]>();
  for (const running of [...all.values()].filter(({ runBy }) => runBy.length > 0)) {
    const above = new Set<string>();
    for (let at: Known | undefined = running; at && !above.has(at.id); at = at.session?.parentId === undefined ? undefined : all.get(at.session.parentId)) {
      above.add(at.id);
      const known = atWork.get(at.id) ?? [];
      if (at === running) known.unshift(running);
      else known.push(running);
      atWork.set(at.id, known);
    }
  }
  return atWork;
}

interface Doing {
  readonly activity: Evidence<Activity>;
  readonly asks?: Permission;
}

/** What waits for a person goes first, also where a sub-agent waits; of turns its own goes before theirs. */
function activityOf(known: Known, atWork: readonly Known[], at: number): Doing {
  const waits = atWork.flatMap((member) => member.runBy.flatMap(({ look }) => findWait(member.id, look) ?? []).map((found) => ({ member, found })));
  const [first] = waits;
  if (first) {
    const { member, found } = first;
    const whose = member === known ? "" : `its sub-agent ${member.session?.title ?? member.id} asks: `;
    return { activity: { value: "needsInput", seen: whose + found.words, at }, ...(found.asks && { asks: found.asks }) };
  }
  const [own] = known.runBy;
  const [theirs] = atWork.flatMap(({ runBy }) => runBy);
  const state = (own ?? theirs)?.run.state;
  const what = state?.kind === "retry" ? `tries again, ${state.attempt}: ${state.message}` : own ? "in a turn" : "a sub-agent of it is in a turn";
  return { activity: { value: "working", seen: known.session ? what : "deleted, but it still runs", at } };
}

/** Touched since that server began, by it or by a person through it: of several the one that has its directory open. */
function ownerOf({ directory, updatedAt }: ServerSession, listedBy: readonly ServerLook[]): Server | undefined {
  const touching = listedBy.filter(({ server: { startedAt } }) => startedAt !== undefined && updatedAt >= startedAt);
  return (touching.find(({ opened }) => opened.has(directory)) ?? touching[0])?.server;
}

function runOf(known: Known, server: Server, askedAbout: string | undefined, { activity, asks }: Doing, { at }: Seen): Run {
  const { id, session } = known;
  const directory = session?.directory ?? askedAbout ?? "";
  return {
    kind: "run",
    ...frame(known, server),
    liveness: { value: "alive", seen: `it is on ${hostIn(server.origin)}`, at },
    activity,
    host: { kind: "server", server: server.process, url: server.origin, directory },
    runsIn: server.role === "agent" ? "terminal" : "appServer",
    title: session?.title ?? `deleted session ${id}`,
    ...(directory !== "" && { cwd: directory }),
    ...(asks && { asks }),
  };
}

function recordOf(known: Known, liveness: SessionRecord["liveness"], at: number): SessionRecord {
  const [first] = known.listedBy;
  const { session } = known;
  if (!first || !session) throw new Error("a session that is neither listed nor run");
  const archived = isArchived(session);
  return {
    kind: "record",
    ...frame(known, first.server),
    liveness,
    says: archived
      ? { value: "archived", seen: "archived in OpenCode", at: session.archivedAt ?? at }
      : { value: "ended", seen: `${hostIn(first.server.origin)} keeps it and does not run it`, at: session.updatedAt },
    title: session.title,
    cwd: session.directory,
    lastInteractionAt: session.updatedAt,
  };
}

function frame(
  { id, session }: Known,
  { origin, database }: Server,
): Pick<Run, "key" | "source" | "place" | "agent" | "conversation" | "startedAt" | "parent"> {
  const home = database?.startsWith("/") ? dirname(database) : undefined;
  const conversation: Conversation = {
    agent: "opencode",
    id,
    toldBy: "agent",
    ...(home !== undefined && { home }),
    resumable: { value: session !== undefined, seen: session ? "its server has it" : "it was deleted", at: session?.updatedAt ?? 0 },
  };
  return {
    key: keyOf(id),
    source: "opencode",
    place: origin,
    agent: "opencode",
    conversation,
    ...(session && { startedAt: session.createdAt }),
    ...(session?.parentId !== undefined && { parent: keyOf(session.parentId) }),
  };
}

export function keyOf(id: string): FacetKey {
  return `opencode:${id}`;
}

function isArchived({ archivedAt }: ServerSession): boolean {
  return archivedAt !== undefined;
}
