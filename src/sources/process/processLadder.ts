import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "../../core/agent.ts";
import { agentOf } from "../../core/agent.ts";
import { ancestorsOf } from "../../core/census.ts";
import type { Census, Pane, ProcessEntry } from "../../core/census.ts";
import type { Run } from "../../core/facet.ts";
import type { Ladder, Remnant, Rung } from "../../core/ladder.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Machine, Signal } from "../../system/machine.ts";
import { handleOf } from "../../system/tmux/pane.ts";
import { markedRemnants, nameOfProcess } from "./marked.ts";
import { isMadeFor } from "./ownPane.ts";
import { whyProtected } from "./protected.ts";
import { isShared } from "./recognised.ts";
import { growTree } from "./tree.ts";

export interface Parts {
  readonly agent: Agent;
  readonly agents: readonly Agent[];
  readonly census: Census;
  readonly machine: Machine;
  /** Looks afresh whether it is in the middle of a turn. */
  readonly isBusy: () => Promise<boolean>;
}

/** ask: one Escape where it is known to be busy, then the agent's own signal. hangUp: close the pane that was made for it, SIGTERM to the rest. kill: SIGKILL to the rest. */
export async function withProcessLadder<T>(run: Run, parts: Parts, climb: (ladder: Ladder) => Promise<T>, signal: AbortSignal): Promise<T | Refusal> {
  const { agent, agents, census, machine, isBusy } = parts;
  if (run.host.kind !== "process") throw new Error("a run of a server has no process of its own");
  const { process: root, pane } = run.host;
  const rootEntry = census.processes?.get(root.pid);
  const why = whyProtected(root, census);
  if (why !== undefined) return { kind: "refused", reason: "protected", detail: why };
  if (!rootEntry) return { kind: "refused", reason: "livenessUnknown", detail: "its process is not in the process table" };

  const tree = growTree([root, ...launchersOf(rootEntry, agent, census)], census, (entry) => isShared(entry, agents));
  const ownPane = pane && isMadeFor(pane, tree.members, census) ? pane : undefined;
  const tellsAtExit = ownPane !== undefined && agent.idFromLastWords !== undefined;
  const name = `${agent.id} (${root.pid})`;
  let putBack: (() => Promise<void>) | undefined;

  const collected = async (): Promise<readonly ProcessIdentity[]> => {
    tree.collect(await machine.processes(signal));
    return tree.members.map(({ identity }) => identity);
  };
  const signalAll = async (identities: readonly ProcessIdentity[], which: Signal): Promise<undefined> => {
    for (const identity of identities) await machine.signal(identity, which);
  };
  const canEscape = agent.ask.escapeWhenBusy && run.activity.value === "working" && rootEntry.isForeground && pane?.takesKeys === true;

  const rungs: readonly Rung[] = [
    rung("ask", `${canEscape ? "Escape and " : ""}${agent.ask.signal} to ${name}`, agent.ask.graceMs, async () => {
      if (tellsAtExit) putBack = await keep(ownPane);
      if (canEscape && pane) await escape(pane);
      await collected();
      return signalAll([root], agent.ask.signal);
    }),
    rung("hangUp", ownPane ? "closed its pane, SIGTERM to the rest" : "SIGTERM to the rest", 1_000, async () => {
      const all = await collected();
      // A pane that is kept for its last words is closed afterwards; its agent is told the same by the signal.
      if (tellsAtExit) await signalAll([root], "SIGHUP");
      const refusal = ownPane && !tellsAtExit ? await handleOf(ownPane, machine.tmux).close() : undefined;
      if (refusal) return refusal;
      return signalAll(all, "SIGTERM");
    }),
    rung("kill", "SIGKILL to the rest", 2_000, async () => signalAll(await collected(), "SIGKILL")),
  ];

  try {
    return await climb({
      ends: "session",
      rungs,
      remains: () => remains(0),
      settled: async (withinMs) => [
        ...(await remains(withinMs)),
        ...(await markedRemnants(run, rootEntry, tree.members, parts, await machine.processes(signal))),
      ],
      ...(tellsAtExit && { lastWords: async () => agent.idFromLastWords?.((await handleOf(ownPane, machine.tmux).screen(50, signal)) ?? "") }),
    });
  } finally {
    if (tellsAtExit && putBack) await closeKept(ownPane, putBack, machine);
  }

  async function remains(withinMs: number): Promise<readonly Remnant[]> {
    const deadline = Date.now() + withinMs;
    const left = await machine.exited(
      tree.members.map(({ identity }) => identity),
      withinMs,
      signal,
    );
    const turn = left.length === 0 ? await endOfTurn(deadline) : undefined;
    return [...left.map(remnantOf), ...(turn ? [turn] : [])];
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

  async function escape(busy: Pane): Promise<void> {
    if (await handleOf(busy, machine.tmux).pressEscape()) return;
    const deadline = Date.now() + turnEndsWithinMs;
    while (Date.now() < deadline && (await isBusy())) await sleep(50, undefined, { signal });
  }

  async function keep(own: Pane): Promise<(() => Promise<void>) | undefined> {
    const kept = await handleOf(own, machine.tmux).keepWhenDead();
    return typeof kept === "function" ? kept : undefined;
  }
}
const turnEndsWithinMs = 500;

function rung(step: Rung["step"], does: string, graceMs: number, take: Rung["take"]): Rung {
  return { step, reach: "session", does, alsoEnds: [], graceMs, take };
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

/** A pane kept for its last words is closed once its agent is gone, and left as it was where it lives on. */
async function closeKept(pane: Pane, putBack: () => Promise<void>, machine: Machine): Promise<void> {
  const census = await machine.census(AbortSignal.timeout(5_000));
  const now = census.panes.find(({ id, server }) => id === pane.id && server.pid === pane.server.pid);
  if (now?.state === "dead") await handleOf(pane, machine.tmux).close();
  else if (now) await putBack();
}
