import { setTimeout as sleep } from "node:timers/promises";
import { agentOf } from "../../core/agent.ts";
import type { Agent } from "../../core/agent.ts";
import { ancestorsOf } from "../../core/census.ts";
import type { Census, Pane, ProcessEntry } from "../../core/census.ts";
import type { Run } from "../../core/facet.ts";
import type { Ladder, Remnant, Rung, Taken } from "../../core/ladder.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Refusal } from "../../core/refusal.ts";
import { nameOfProcess } from "../../core/processWords.ts";
import { wordsOfRemnants } from "../../core/sentences.ts";
import type { Machine, Signal } from "../../system/machine.ts";
import { handleOf } from "../../system/tmux/pane.ts";
import { keepPane } from "./keptPane.ts";
import type { KeptPane } from "./keptPane.ts";
import { markedRemnants } from "./marked.ts";
import { isMadeFor } from "./ownPane.ts";
import { whyProtected } from "../../system/protectedProcess.ts";
import { isShared } from "../recognised.ts";
import { growTree } from "../../core/tree.ts";

export interface Parts {
  readonly agent: Agent;
  readonly agents: readonly Agent[];
  readonly census: Census;
  readonly machine: Machine;
  /** Looks afresh whether it is in the middle of a turn. */
  readonly isBusy: () => Promise<boolean>;
}

/** ask: one Escape where it is known to be busy, the agent's own signal, then an end to what a daemon still runs for it. hangUp: close the pane that was made for it, SIGTERM to the rest. kill: SIGKILL to the rest. */
export async function withProcessLadder<T>(run: Run, parts: Parts, climb: (ladder: Ladder) => Promise<T>, signal: AbortSignal): Promise<T | Refusal> {
  const { agent, agents, census, machine, isBusy } = parts;
  if (run.host.kind !== "process") throw new Error("a run of a server has no process of its own");
  const { process: root, pane } = run.host;
  const rootEntry = census.processes?.get(root.pid);
  const why = whyProtected(root, census);
  if (why !== undefined) return { kind: "refused", reason: "protected", detail: why };
  if (!rootEntry) return { kind: "refused", reason: "livenessUnknown", detail: "its process is not in the process table" };

  const tree = growTree([root, ...launchersOf(rootEntry, agent, census)], census, (entry) => isShared(entry, agents));
  const tellsAtExit = agent.idFromLastWords !== undefined && pane !== undefined && isMadeFor(pane, tree.members, census);
  const name = `${agent.id} (${root.pid})`;
  let kept: KeptPane | undefined;

  const rungs: readonly Rung[] = [
    rung("ask", `${agent.ask.signal} to ${name}`, agent.ask.graceMs, async () => {
      if (tellsAtExit) kept = await keepPane(pane, agent, machine, signal);
      const escaped = pane !== undefined && (await escape(pane));
      await collect();
      const asked = await signalAll([root], agent.ask.signal);
      return taken([...(escaped ? ["Escape"] : []), asked > 0 ? `${agent.ask.signal} to ${name}` : `${name} had ended`, ...(await endTurn())].join(" and "));
    }),
    rung("hangUp", "hangs up", 1_000, async () => {
      const all = await collect();
      // A pane that is kept for its last words is closed afterwards; its agent is told the same by the signal.
      if (kept) await signalAll([root], "SIGHUP");
      const closed = kept || !pane ? false : await closeOwn(pane);
      if (typeof closed === "object") return closed;
      const asked = await signalAll(all, "SIGTERM");
      const did = `${closed ? "closed its pane, " : kept ? "SIGHUP to it, " : ""}SIGTERM to ${asked === 1 ? "1 process" : `${asked} processes`}`;
      return taken([did, ...(await endTurn())].join(" and "));
    }),
    rung("kill", "SIGKILL to the rest", 2_000, async () => {
      const killed = await signalAll(await collect(), "SIGKILL");
      return taken(`SIGKILL to ${killed === 1 ? "1 process" : `${killed} processes`}`);
    }),
  ];

  try {
    return await climb({
      ends: "session",
      rungs,
      remains: () => remains(0),
      async settled(withinMs) {
        const left = await remains(withinMs);
        const now = await machine.processes(signal);
        return [...left, ...(await markedRemnants(run, rootEntry, tree.members, parts, now))];
      },
      lastWords: async () => kept?.lastWords(),
    });
  } finally {
    await kept?.close();
  }

  async function collect(): Promise<readonly ProcessIdentity[]> {
    tree.collect(await machine.processes(signal));
    return tree.members.map(({ identity }) => identity);
  }

  /** How many of them were there to be signalled. */
  async function signalAll(identities: readonly ProcessIdentity[], which: Signal): Promise<number> {
    let reached = 0;
    for (const identity of identities) if (await machine.signal(identity, which)) reached++;
    return reached;
  }

  /** Looked at afresh: what was the agent's pane may by now be somebody else's. */
  async function closeOwn(listed: Pane): Promise<boolean | Refusal> {
    const now = await machine.census(signal);
    tree.collect(now);
    const same = now.panes.find(({ id, server }) => id === listed.id && server.pid === listed.server.pid);
    if (!same || !isMadeFor(same, tree.members, now)) return false;
    return (await handleOf(same, machine.tmux).close()) ?? true;
  }

  async function remains(withinMs: number): Promise<readonly Remnant[]> {
    const deadline = Date.now() + withinMs;
    let left = await machine.exited(identitiesOf(tree.members), withinMs, signal);
    // What was begun while it left, like a hook at a session's end, is of it too.
    if (left.length === 0) left = await machine.exited(await collect(), Math.max(0, deadline - Date.now()), signal);
    const turn = left.length === 0 ? await endOfTurn(deadline) : undefined;
    return [...left.map(remnantOf), ...(turn ? [turn] : [])];
  }

  /** Only when its window is gone: Cline's begins its turn in the hub anew while it leaves. */
  async function endTurn(): Promise<readonly string[]> {
    if (!agent.endTurnElsewhere || (await machine.exited(identitiesOf(tree.members), leavesWithinMs, signal)).length > 0) return [];
    const turn = await agent.endTurnElsewhere(run, signal);
    return turn ? [`interrupted ${wordsOfRemnants([turn])}`] : [];
  }

  /** A daemon may need a moment to notice that its window is gone. */
  async function endOfTurn(deadline: number): Promise<Remnant | undefined> {
    for (;;) {
      const turn = await agent.turnElsewhere?.(run, signal);
      if (!turn || Date.now() >= deadline) return turn;
      await sleep(100, undefined, { signal });
    }
  }

  function remnantOf(process: ProcessIdentity): Remnant {
    const entry = tree.members.find(({ identity }) => identity === process);
    return { kind: "process", process, name: entry ? nameOfProcess(entry) : "process", bond: "tree" };
  }

  /** Only where it is busy, owns the keyboard, and the keyboard is its own: all three looked at right before. */
  async function escape(listed: Pane): Promise<boolean> {
    if (!agent.ask.escapeWhenBusy || run.activity.value !== "working" || !listed.takesKeys) return false;
    const entry = (await machine.processes(signal)).processes?.get(root.pid);
    if (!entry?.isForeground || !(await isBusy())) return false;
    if (await handleOf(listed, machine.tmux).pressEscape()) return false;
    const deadline = Date.now() + turnEndsWithinMs;
    while (Date.now() < deadline && (await isBusy())) await sleep(50, undefined, { signal });
    return true;
  }
}
const turnEndsWithinMs = 500;
const leavesWithinMs = 2_000;

function rung(step: Rung["step"], does: string, graceMs: number, take: Rung["take"]): Rung {
  return { step, reach: "session", does, graceMs, take };
}

function taken(did: string): Taken {
  return { kind: "taken", did };
}

function identitiesOf(entries: readonly ProcessEntry[]): readonly ProcessIdentity[] {
  return entries.map(({ identity }) => identity);
}

/** The same agent's processes above it, in one job: they only started it, and end with it. */
function launchersOf(root: ProcessEntry, agent: Agent, census: Census): readonly ProcessIdentity[] {
  const launchers: ProcessIdentity[] = [];
  for (const entry of ancestorsOf(root.parentPid, census)) {
    if (agentOf(entry, [agent]) === undefined || entry.sessionId !== root.sessionId || entry.groupId !== root.groupId) break;
    launchers.push(entry.identity);
  }
  return launchers;
}
