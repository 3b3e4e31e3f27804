import type { Census, ProcessEntry } from "../../core/census.ts";
import { isSameProcess } from "../../core/process.ts";
import { writersOf } from "../../system/openFiles.ts";
import type { ServerLook } from "./look.ts";
import type { Mute } from "./mayRun.ts";
import type { AtWork } from "./openDirectories.ts";
import type { OpencodeProcess } from "./processes.ts";

interface Seen {
  readonly census: Census;
  readonly processes: readonly OpencodeProcess[];
  readonly looks: readonly ServerLook[];
  readonly atWork: AtWork;
  /** A reading of many: what was found a moment ago is enough. */
  readonly isHasty: boolean;
}

/** OpenCode that gave no look. Where a message is not at its end, and nobody who answered runs it, also whatever else has that database open: it may go by any name. */
export function openMuteFinder(): (seen: Seen) => Promise<readonly Mute[]> {
  const found = new Map<string, { readonly at: number; readonly holders: readonly Mute[] }>();

  return async ({ census, processes, looks, atWork, isHasty }) => {
    const hasAnswered = ({ identity }: ProcessEntry): boolean => looks.some(({ server }) => isSameProcess(server.process, identity));
    const known = processes
      .filter(({ entry }) => !hasAnswered(entry))
      .map(({ entry, database }): Mute => ({ name: `opencode (${entry.identity.pid})`, database, startedAt: entry.startedAt }));
    const running = new Set(looks.flatMap(({ runs }) => runs.map(({ id }) => id)));
    const unexplained = [...atWork].filter(([, rows]) => !rows || rows.some(({ id }) => !running.has(id))).map(([database]) => database);
    const holders = await Promise.all(unexplained.map((database) => holdersOf(database)));
    return [...known, ...holders.flat()];

    async function holdersOf(database: string): Promise<readonly Mute[]> {
      const before = found.get(database);
      if (isHasty && before && census.at - before.at < keptMs) return before.holders;
      const holders = await whoHolds(database, othersIn(census, processes));
      found.set(database, { at: census.at, holders });
      return holders;
    }
  };
}
const keptMs = 10_000;

function othersIn(census: Census, processes: readonly OpencodeProcess[]): readonly ProcessEntry[] {
  const uid = process.getuid?.();
  const isKnown = (entry: ProcessEntry): boolean => processes.some((one) => isSameProcess(one.entry.identity, entry.identity));
  return [...(census.processes?.values() ?? [])].filter((entry) => entry.uid === uid && entry.identity.pid !== process.pid && !isKnown(entry));
}

async function whoHolds(database: string, others: readonly ProcessEntry[]): Promise<readonly Mute[]> {
  const pids = await writersOf(
    database,
    others.map(({ identity }) => identity.pid),
  );
  return others
    .filter(({ identity }) => pids.has(identity.pid))
    .map(({ identity: { pid }, program, argv, startedAt }) => ({
      name: `${(program?.file ?? argv[0] ?? "a process").split("/").at(-1)} (${pid})`,
      database,
      startedAt,
    }));
}
