import type { Agent } from "../../core/agent.ts";
import type { Census } from "../../core/census.ts";
import type { Source } from "../../core/source.ts";
import type { Machine } from "../../system/machine.ts";
import { handleOf } from "../../system/tmux/pane.ts";
import { watch } from "../../system/watch.ts";
import { withProcessLadder } from "./processLadder.ts";
import { processTable, readRuns } from "./runs.ts";
import type { RunsReading } from "./runs.ts";

/** What executes on this machine: agents' own live registries and the process table, tmux panes included. */
export function createProcessSource(agents: readonly Agent[], machine: Machine, namedHomes: readonly string[]): Source {
  let watched: readonly string[] = [];
  const rewatch = new Set<() => void>();

  return {
    id: "process",
    async read(census, signal) {
      if (!census.processes) return { facets: [], unreachable: census.unreachable.filter(({ place }) => place === processTable), notices: [] };
      const { runs, unreachable } = await look(census, signal);
      return { facets: runs, unreachable, notices: [] };
    },
    async lookAgain(facet, census, signal) {
      if (!census.processes) return { kind: "unreachable", reason: "the process table can't be read" };
      const { runs, unreachable } = await look(census, signal);
      const fresh = runs.find(({ key }) => key === facet.key);
      if (fresh) return { kind: "seen", facet: fresh };
      // Its agent's own list may be all that names it.
      const name = agents.find(({ id }) => id === facet.agent)?.name;
      const fault = unreachable.find(({ place }) => place === name);
      return fault ? { kind: "unreachable", reason: fault.reason } : { kind: "notThere" };
    },
    watch(onChange) {
      let current = watch(watched, onChange);
      const again = (): void => {
        current[Symbol.dispose]();
        current = watch(watched, onChange);
        // What happened between the two was seen by nobody.
        onChange();
      };
      rewatch.add(again);
      return {
        [Symbol.dispose]() {
          rewatch.delete(again);
          current[Symbol.dispose]();
        },
      };
    },
    async withLadder(run, census, climb, signal) {
      const agent = agents.find(({ id }) => id === run.agent);
      if (!agent) return { kind: "refused", reason: "notEndable", detail: "nothing is known of its agent" };
      const isBusy = async (): Promise<boolean> =>
        (await look(await machine.census(signal), signal)).runs.find(({ key }) => key === run.key)?.activity.value === "working";
      return withProcessLadder(run, { agent, agents, census, machine, isBusy }, climb, signal);
    },
    async peek({ host }, signal) {
      return host.kind === "process" && host.pane ? handleOf(host.pane, machine.tmux).screen(0, signal) : undefined;
    },
  };

  async function look(census: Census, signal: AbortSignal): Promise<RunsReading> {
    const reading = await readRuns(census, agents, machine, namedHomes, signal);
    const { runs, homes } = reading;
    const paths = [
      ...[...homes].flatMap(([agent, folders]) => folders.flatMap((folder) => agent.watchPaths?.(folder) ?? [])),
      ...runs.flatMap((run) => agents.find(({ id }) => id === run.agent)?.watchPathsOf?.(run) ?? []),
    ];
    if (paths.some((path) => !watched.includes(path))) {
      watched = paths;
      for (const again of rewatch) again();
    }
    return reading;
  }
}
