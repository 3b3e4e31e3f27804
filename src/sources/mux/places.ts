import type { Agent } from "../../core/agent.ts";
import { ancestorsOf } from "../../core/census.ts";
import type { Census, Pane } from "../../core/census.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Machine } from "../../system/machine.ts";
import { agentProcesses } from "../recognised.ts";
import type { AgentProcess } from "../recognised.ts";

/** A census, by the words that rows use. */
export interface Places {
  readonly census: Census;
  /** Those of the tmux sessions with that name, on whatever server. */
  readonly panesOf: (sessionName: string) => readonly Pane[];
  /** The agents on its terminal, but for those that another agent of the same kind started. */
  readonly agentsIn: (pane: Pane) => readonly AgentInPane[];
  readonly cwdOf: (process: ProcessIdentity) => Promise<string | undefined>;
}
export interface AgentInPane extends AgentProcess {
  readonly pane: Pane;
}

export function placesOf(census: Census, agents: readonly Agent[], machine: Pick<Machine, "cwdOf">): Places {
  const byName = Map.groupBy(census.panes, ({ sessionName }) => sessionName);
  const paneOf = new Map(census.panes.map((pane) => [pane.pid, pane]));
  const inPanes = agentProcesses(census, agents).flatMap((each): AgentInPane[] => {
    const above = ancestorsOf(each.entry.identity.pid, census);
    const top = above.find(({ identity, tty }) => paneOf.has(identity.pid) && tty === each.entry.tty);
    const pane = each.entry.tty === undefined ? undefined : top && paneOf.get(top.identity.pid);
    return pane ? [{ ...each, pane }] : [];
  });
  const byPane = Map.groupBy(inPanes, ({ pane }) => pane);
  return {
    census,
    panesOf: (sessionName) => byName.get(sessionName) ?? [],
    agentsIn: (pane) => (byPane.get(pane) ?? []).filter((each, _index, all) => !all.some((outer) => isBelow(each, outer, census))),
    // Whoever is gone by now has no folder.
    cwdOf: (process) => machine.cwdOf(process).catch(() => undefined),
  };
}

function isBelow({ entry, agent }: AgentProcess, outer: AgentProcess, census: Census): boolean {
  return outer.entry !== entry && outer.agent === agent && ancestorsOf(entry.identity.pid, census).includes(outer.entry);
}
