import type { Agent } from "../../core/agent.ts";
import type { ProcessEntry } from "../../core/census.ts";
import type { Ladder, Remnant, Rung } from "../../core/ladder.ts";
import { isShared } from "../../core/orphanProtection.ts";
import type { Orphan } from "../../core/orphans.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { nameOfProcess } from "../../core/processWords.ts";
import { growTree } from "../../core/tree.ts";
import type { Machine, Signal } from "../../system/machine.ts";

/** ask: SIGTERM to it and all below it. kill: SIGKILL to what is left of them. */
export function orphanLadder({ process: root, tree: listed }: Orphan, agents: readonly Agent[], machine: Machine): Ladder {
  const tree = growTree([root], { processes: new Map(listed.map((entry) => [entry.identity.pid, entry])) }, (entry) => isShared(entry, agents));
  return {
    ends: "session",
    rungs: [rung("ask", "SIGTERM", 5_000), rung("kill", "SIGKILL", 2_000)],
    remains: () => left(0, new AbortController().signal),
    settled: left,
  };

  function rung(step: Rung["step"], which: Signal, graceMs: number): Rung {
    const name = wordsOf(listed[0], root);
    return {
      step,
      reach: "session",
      does: `${which} to ${name}`,
      graceMs,
      async take(signal) {
        let reached = 0;
        for (const identity of await collect(signal)) if (await machine.signal(identity, which)) reached++;
        const others = reached > 1 ? ` and ${reached - 1} below it` : "";
        return { kind: "taken", did: reached === 0 ? `${name} had ended` : `${which} to ${name}${others}` };
      },
    };
  }

  async function collect(signal: AbortSignal): Promise<readonly ProcessIdentity[]> {
    tree.collect(await machine.processes(signal));
    return tree.members.map(({ identity }) => identity);
  }

  async function left(withinMs: number, signal: AbortSignal): Promise<readonly Remnant[]> {
    const living = await machine.exited(await collect(signal), withinMs, signal);
    return living.map((process) => {
      const entry = tree.members.find(({ identity }) => identity === process);
      return { kind: "process", process, name: entry ? nameOfProcess(entry) : "process", bond: "tree" };
    });
  }
}

function wordsOf(entry: ProcessEntry | undefined, { pid }: ProcessIdentity): string {
  return `${entry ? nameOfProcess(entry) : "process"} (${pid})`;
}
