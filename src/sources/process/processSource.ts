import type { Agent } from "../../core/agent.ts";
import type { Census } from "../../core/census.ts";
import type { Facet, Run } from "../../core/facet.ts";
import type { Source } from "../../core/source.ts";
import type { Machine } from "../../system/machine.ts";
import { handleOf } from "../../system/tmux/pane.ts";
import { watch } from "../../system/watch.ts";
import { withProcessLadder } from "./processLadder.ts";
import { processTable, readRuns } from "./runs.ts";

/** What executes on this machine: agents' own live registries and the process table, tmux panes included. */
export function createProcessSource(agents: readonly Agent[], machine: Machine, namedHomes: readonly string[]): Source {
  let watched: readonly string[] = [];
  const rewatch = new Set<() => void>();

  return {
    id: "process",
    async read(census, signal) {
      if (!census.processes) return { facets: [], unreachable: census.unreachable.filter(({ place }) => place === processTable), notices: [] };
      return { facets: await runsOf(census, signal), unreachable: [], notices: [] };
    },
    async lookAgain(facet, census, signal) {
      if (!census.processes) return { kind: "unreachable", reason: "the process table can't be read" };
      const fresh = await find(facet, census, signal);
      return fresh ? { kind: "seen", facet: fresh } : { kind: "notThere" };
    },
    watch(onChange) {
      let current = watch(watched, onChange);
      const again = (): void => {
        current[Symbol.dispose]();
        current = watch(watched, onChange);
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
      const isBusy = async (): Promise<boolean> => (await find(run, await machine.census(signal), signal))?.activity.value === "working";
      return withProcessLadder(run, { agent, agents, census, machine, isBusy }, climb, signal);
    },
    async peek({ host }, signal) {
      return host.kind === "process" && host.pane ? handleOf(host.pane, machine.tmux).screen(0, signal) : undefined;
    },
  };

  async function find({ key }: Pick<Facet, "key">, census: Census, signal: AbortSignal): Promise<Run | undefined> {
    return (await runsOf(census, signal)).find((run) => run.key === key);
  }

  async function runsOf(census: Census, signal: AbortSignal): Promise<readonly Run[]> {
    const { runs, homes } = await readRuns(census, agents, machine, namedHomes, signal);
    const paths = [
      ...[...homes].flatMap(([agent, folders]) => folders.flatMap((folder) => agent.watchPaths?.(folder) ?? [])),
      ...runs.flatMap((run) => agents.find(({ id }) => id === run.agent)?.watchPathsOf?.(run) ?? []),
    ];
    if (paths.some((path) => !watched.includes(path))) {
      watched = paths;
      for (const again of rewatch) again();
    }
    return runs;
  }
}
