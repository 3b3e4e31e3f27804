import { setTimeout as sleep } from "node:timers/promises";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Run } from "../../core/facet.ts";
import type { Ladder, Remnant, Rung } from "../../core/ladder.ts";
import { isSameProcess } from "../../core/process.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Machine } from "../../system/machine.ts";
import { atWorkOn, familyIds, turnsOf } from "./family.ts";
import type { Turn } from "./family.ts";
import { reasonOf } from "./look.ts";
import type { ServerLook } from "./look.ts";
import { hostIn } from "./origin.ts";
import type { Server } from "./servers.ts";
import { doingOf, remnantOf, runsUs, toolChildrenOf } from "./toolChildren.ts";
import { widerRungs } from "./widerRungs.ts";

export interface OnServer {
  readonly server: Server;
  /** Every server that is known: a session is at work on whichever of them says so. */
  readonly looks: readonly ServerLook[];
  readonly machine: Machine;
  readonly census: Census;
}

/** ask: abort, and interrupt for the second engine. kill: its tools' processes (session); then, as wide as a person says: dispose of the directory, of the server, and the server's process. Ends a turn. */
export async function withServerLadder<T>(
  run: Run,
  { server, looks, machine, census }: OnServer,
  climb: (ladder: Ladder) => Promise<T>,
  signal: AbortSignal,
): Promise<T | Refusal> {
  if (run.host.kind !== "server") throw new Error("a process of its own is not a server's session");
  const { directory } = run.host;
  const id = run.key.slice("opencode:".length);
  const members = familyIds(
    id,
    looks.flatMap(({ sessions }) => sessions),
  );
  const owning = looks.filter((look) => look.server === server || look.runs.some((turn) => members.has(turn.id)));
  const listed = looks.flatMap(({ sessions }) => sessions).find((session) => session.id === id);
  const children = new Map<number, ProcessEntry>();
  const departed = new Map<number, ProcessEntry>();
  let runsThisProgram = false;

  const rungs: readonly Rung[] = [
    { step: "ask", reach: "session", does: `asks ${hostIn(server.origin)} to abort it`, graceMs: 8_000, take: askAll },
    { step: "kill", reach: "session", does: "SIGKILL to what its tools run", graceMs: 3_000, take: killChildren },
    ...widerRungs(run, owning, { machine, census, killChildren }),
  ];
  return climb({ ends: "turn", rungs, remains: () => remains(wasJustTouched() ? beginsWithinMs : 0), settled });

  /** Between a prompt and its turn there is a gap on a cold directory, up to 0.8 s: what is idle in it is about to begin. */
  function wasJustTouched(): boolean {
    return listed !== undefined && Date.now() - listed.updatedAt < touchedLatelyMs;
  }

  async function remains(watchMs: number): Promise<readonly Remnant[]> {
    const deadline = Date.now() + watchMs;
    for (;;) {
      const { turns, left: going } = await turnsLeft();
      const left = [...going, ...childrenLeft(await collect(turns))];
      if (left.length > 0 || Date.now() >= deadline) return left;
      await sleep(lookEveryMs, undefined, { signal });
    }
  }

  async function askAll() {
    const { turns, left } = await turnsLeft();
    await collect(turns);
    if (runsThisProgram) return { kind: "refused", reason: "protected", detail: "it runs what you are using now" } as const;
    if (turns.length === 0 && left.length > 0) return { kind: "refused", reason: "unreachable", detail: `${hostIn(server.origin)} does not answer` } as const;
    const own: Turn = { id, server, engine: "classic", directory };
    const refusal = await ask(turns.length > 0 ? turns : [own]);
    return (
      refusal ??
      ({ kind: "taken", did: `asked ${hostIn(server.origin)} to abort ${turns.length > 1 ? `it and ${turns.length - 1} of its sub-agents` : "it"}` } as const)
    );
  }

  /** The root first: a parent whose child alone is aborted goes on with its next step. */
  async function ask(turns: readonly Turn[]): Promise<Refusal | undefined> {
    for (const turn of turns.toSorted((a, b) => Number(b.id === id) - Number(a.id === id))) {
      const { client } = turn.server;
      const answer = turn.engine === "second" ? await client.interrupt(turn.id, signal) : await client.abort(turn.id, turn.directory, signal);
      if (answer.kind !== "ok") return { kind: "refused", reason: "unreachable", detail: `${hostIn(turn.server.origin)} ${reasonOf(answer)}` };
    }
    return undefined;
  }

  /** Not busy, and that for 2.5 s, since an abort that overtakes its prompt is lost: it is asked again then. OpenCode itself kills what its tools run 3 s after. */
  async function settled(withinMs: number): Promise<readonly Remnant[]> {
    const deadline = Date.now() + withinMs;
    let quietSince: number | undefined;
    let askedAt = Date.now();
    for (;;) {
      const { turns, left } = await turnsLeft();
      const census = await machine.processes(signal);
      const running = childrenLeft(census);
      const now = Date.now();
      quietSince = left.length > 0 ? undefined : (quietSince ?? now);
      if (turns.length > 0 && now - askedAt > askAgainMs) {
        await ask(turns);
        askedAt = now;
      }
      const isQuiet = quietSince !== undefined && now - quietSince >= quietMs;
      if ((isQuiet && running.length === 0) || (now >= deadline && (isQuiet || quietSince === undefined)))
        return [...left, ...running, ...[...departed.values()].filter((entry) => isLiving(entry, census)).map((entry) => remnantOf(entry, "environment"))];
      await sleep(lookEveryMs, undefined, { signal });
    }
  }

  /** A server that gives no answer has not said that it is over, unless it is gone itself. */
  async function turnsLeft(): Promise<{ readonly turns: readonly Turn[]; readonly left: readonly Remnant[] }> {
    const asked = await turnsOf(id, directory, owning, signal);
    if (asked.kind === "told") return { turns: asked.turns, left: asked.turns.map((turn) => ({ kind: "turn", where: hostIn(turn.server.origin) })) };
    const { process } = asked.server;
    const isGone = process !== undefined && (await machine.exited([process], 0, signal)).length === 0;
    return { turns: [], left: isGone ? [] : [{ kind: "turn", where: `${hostIn(asked.server.origin)}, which does not answer` }] };
  }

  /** Every process that was seen below its tools while it was in a turn, by identity: what it did before, nobody can tell from others'. */
  async function collect(turns: readonly Turn[]): Promise<Pick<Census, "processes">> {
    const now = await machine.processes(signal);
    for (const look of owning) {
      const { process } = look.server;
      const isAtWork = turns.some((turn) => turn.server === look.server);
      if (!process || !isAtWork) continue;
      const family = new Set([...familyIds(id, look.sessions), ...turns.map((turn) => turn.id)]);
      const doing = await doingOf(family, await atWorkOn(look, signal), look, signal);
      const found = await toolChildrenOf(process, doing, machine, now);
      runsThisProgram ||= await runsUs(process, doing, machine, now);
      for (const entry of found.own) children.set(entry.identity.pid, entry);
      for (const entry of found.left) departed.set(entry.identity.pid, entry);
    }
    return now;
  }

  function childrenLeft(now: Pick<Census, "processes">): readonly Remnant[] {
    return [...children.values()].filter((entry) => isLiving(entry, now)).map((entry) => remnantOf(entry, "tree"));
  }

  async function killChildren() {
    const { turns } = await turnsLeft();
    const left = childrenLeft(await collect(turns));
    let killed = 0;
    for (const remnant of left) if (remnant.kind === "process" && (await machine.signal(remnant.process, "SIGKILL"))) killed++;
    const did = killed === 0 ? "found nothing of its tools to kill" : `SIGKILL to ${killed === 1 ? "1 process" : `${killed} processes`} of its tools`;
    return { kind: "taken", did } as const;
  }
}
const beginsWithinMs = 2_000;
const touchedLatelyMs = 5_000;
const lookEveryMs = 250;
const askAgainMs = 1_000;
const quietMs = 2_500;

/** What can't be looked at is not proved gone. */
function isLiving({ identity }: ProcessEntry, { processes }: Pick<Census, "processes">): boolean {
  const entry = processes?.get(identity.pid);
  return !processes || (entry !== undefined && entry.state !== "zombie" && isSameProcess(entry.identity, identity));
}
