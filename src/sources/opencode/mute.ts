import type { Census, ProcessEntry } from "../../core/census.ts";
import { isSameProcess } from "../../core/process.ts";
import { writersOf } from "../../system/openFiles.ts";
import type { ServerLook } from "./look.ts";
import type { Mute } from "./mayRun.ts";
import type { AtWork } from "./openDirectories.ts";
import type { OpencodeProcess } from "./processes.ts";

/** OpenCode that gave no look. Where a message is not at its end, and nobody who answered runs it, also whatever else has that database open: it may go by any name. */
export async function muteIn(census: Census, processes: readonly OpencodeProcess[], looks: readonly ServerLook[], atWork: AtWork): Promise<readonly Mute[]> {
  const hasAnswered = ({ identity }: ProcessEntry): boolean => looks.some(({ server }) => isSameProcess(server.process, identity));
  const known = processes
    .filter(({ entry }) => !hasAnswered(entry))
    .map(({ entry, database }): Mute => ({ name: `opencode (${entry.identity.pid})`, database, startedAt: entry.startedAt }));

  const running = new Set(looks.flatMap(({ runs }) => runs.map(({ id }) => id)));
  const unexplained = [...atWork].filter(([, rows]) => !rows || rows.some(({ id }) => !running.has(id))).map(([database]) => database);
  const uid = process.getuid?.();
  const others = [...(census.processes?.values() ?? [])].filter(
    (entry) => entry.uid === uid && entry.identity.pid !== process.pid && !processes.some((one) => isSameProcess(one.entry.identity, entry.identity)),
  );
  const holding = await Promise.all(unexplained.map(async (database) => holdersOf(database, others)));
  return [...known, ...holding.flat()];
}

async function holdersOf(database: string, others: readonly ProcessEntry[]): Promise<readonly Mute[]> {
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
