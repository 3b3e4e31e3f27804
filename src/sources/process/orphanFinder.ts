import type { Agent } from "../../core/agent.ts";
import type { ProcessEntry } from "../../core/census.ts";
import type { OrphanFinder } from "../../core/orphanFinder.ts";
import { isShared } from "../../core/orphanProtection.ts";
import type { Trace } from "../../core/orphanProtection.ts";
import { orphanOf, suspectsOf } from "../../core/orphans.ts";
import type { Orphan, Suspect } from "../../core/orphans.ts";
import { isSameProcess } from "../../core/process.ts";
import type { Roster } from "../../core/roster.ts";
import { growTree } from "../../core/tree.ts";
import { clientsOf, waitsAt } from "../../system/clients.ts";
import { ignoresHangUp } from "../../system/hangUp.ts";
import type { Machine } from "../../system/machine.ts";
import { serviceOf } from "../../system/serviceOf.ts";
import { standardStreamsAmong } from "../../system/standardStreams.ts";
import type { IsUsedByPipe } from "../../system/standardStreams.ts";
import { usageOf } from "../../system/usage.ts";
import { mayHaveWindow } from "../../system/windowed.ts";
import { orphanLadder } from "./orphanLadder.ts";

export function openOrphanFinder(agents: readonly Agent[], machine: Machine, roster: Pick<Roster, "refresh">): OrphanFinder {
  const finder: OrphanFinder = {
    ours: process.pid,
    async find(signal) {
      const { sessions, unreachable } = await roster.refresh(signal);
      const census = await machine.census(signal);
      if (!census.processes) throw new Error("the process table can't be read, so nothing can be said of orphans");
      const uid = process.getuid?.();
      const adrift = [...census.processes.values()].filter((entry) => entry.uid === uid && entry.tty === undefined && entry.state !== "zombie");
      const environments = await environmentsOf(adrift);
      const environmentOf = (entry: ProcessEntry): ReadonlyMap<string, string> => environments.get(entry) ?? new Map();
      const suspects = suspectsOf({ census, sessions, unreachable, agents, environmentOf, ours: process.pid });
      const isUsedByPipe = standardStreamsAmong([...census.processes.values()].filter((entry) => entry.uid === uid).map(({ identity }) => identity.pid));
      return judge(suspects, isUsedByPipe);
    },
    async measured(orphans, signal) {
      const usages = await usageOf(
        orphans.map(({ tree }) => tree),
        signal,
      );
      return orphans.map((orphan, nth) => ({ ...orphan, usage: usages[nth] }));
    },
    ladderOf: (orphan) => orphanLadder(orphan, agents, machine),
    async treesOf(roots, signal) {
      const census = await machine.processes(signal);
      return roots.map((root) => growTree([root], census, (entry) => isShared(entry, agents)).members);
    },
    async usageOf(trees, signal) {
      const { processes } = await machine.processes(signal);
      const living = trees.map((tree) => tree.filter(({ identity }) => isSameProcess(processes?.get(identity.pid)?.identity, identity)));
      return usageOf(living, signal);
    },
    clientsOf: (trees) => Promise.all(trees.map((tree) => clientsOf(tree.map(({ identity }) => identity.pid)))),
  };
  return finder;

  /** A few at a time: each holds a descriptor, and there may be thousands. */
  async function environmentsOf(entries: readonly ProcessEntry[]): Promise<ReadonlyMap<ProcessEntry, ReadonlyMap<string, string>>> {
    const environments = new Map<ProcessEntry, ReadonlyMap<string, string>>();
    const waiting = entries.values();
    const readOneByOne = async (): Promise<void> => {
      for (const entry of waiting) environments.set(entry, await machine.environmentOf(entry.identity));
    };
    await Promise.all(Array.from({ length: readAtOnce }, readOneByOne));
    return environments;
  }

  /** The ends of a pipeline that one agent has left are no clients of each other, unless one of them is protected. */
  async function judge(suspects: readonly Suspect[], isUsedByPipe: IsUsedByPipe): Promise<readonly Orphan[]> {
    const traced = await Promise.all(suspects.map(async (suspect) => ({ suspect, trace: await traceOf(suspect) })));
    let free = suspects;
    for (;;) {
      const now = free;
      const orphans = await Promise.all(
        traced.map(async ({ suspect, trace }) => {
          const kin = now.filter(({ why }) => why === suspect.why).flatMap(({ tree }) => tree);
          const own = new Set([...suspect.tree, ...kin].map(({ identity }) => identity.pid));
          const isPiped = suspect.protection === undefined && (await isUsedByPipe(suspect.process.pid, own));
          return orphanOf(suspect, isPiped ? { ...trace, clients: "some" } : trace);
        }),
      );
      free = suspects.filter((_suspect, nth) => orphans[nth]?.protection === undefined);
      if (free.length === now.length) return orphans;
    }
  }

  /** What is protected already need not be looked into. */
  async function traceOf({ process: identity, tree, protection, session }: Suspect): Promise<Trace> {
    const cwd = await machine.cwdOf(identity);
    if (protection !== undefined) return { service: { kind: "unknown" }, clients: "unknown", isGraphical: false, ignoresHangUp: false, cwd };
    const pids = tree.map((entry) => entry.identity.pid);
    // An agent's own program has none, whatever it has loaded.
    const [service, clients, place, isGraphical, isDeaf] = await Promise.all([
      serviceOf(identity.pid),
      clientsOf(pids),
      session ? undefined : waitsAt(pids),
      mayHaveWindow(session ? tree.slice(1) : tree),
      ignoresHangUp(identity.pid),
    ]);
    return { service, clients, ...(place !== undefined && { waitsAt: place }), isGraphical, ignoresHangUp: isDeaf, cwd };
  }
}
const readAtOnce = 64;
