import type { ServerSession } from "./client.ts";
import type { ServerLook } from "./look.ts";
import { hostIn } from "./origin.ts";
import type { Unfinished } from "./unfinished.ts";

export interface Mute {
  readonly name: string;
  readonly database: string | undefined;
  readonly startedAt: number | undefined;
}

/** What is known of places that could not be asked. */
export interface Unasked {
  /** What gave no answer: it has no port, is locked, or hangs, or it is something else that writes to that database. What it runs, nobody else knows. */
  readonly mute: readonly Mute[];
  /** By database, the sessions whose last message is not at its end; undefined where it can't be read. */
  readonly unfinished: ReadonlyMap<string, readonly Unfinished[] | undefined>;
  readonly at: number;
}

/**
 * Where a session that runs nowhere that was asked may run all the same, in words; undefined: nowhere. A message that is at its end runs nowhere; where no
 * database tells, it may be at work wherever it was touched since that place began.
 */
export function whereItMayRun(session: ServerSession, listedBy: readonly ServerLook[], { mute, unfinished, at }: Unasked): string | undefined {
  const databases = listedBy.map(({ server }) => server.database);
  const unaskedServer = listedBy.find(
    ({ server, opened, knowsAllOpened }) => !opened.has(session.directory) && !knowsAllOpened && mayBeAtWork(server.database, server.startedAt ?? at - dayMs),
  );
  if (unaskedServer) return `it may run on ${hostIn(unaskedServer.server.origin)}, which can't be asked about its folder`;
  const one = mute.find(({ database, startedAt }) => (database === undefined || databases.includes(database)) && mayBeAtWork(database, startedAt ?? 0));
  return one && `it may run in ${one.name}, which can't be asked`;

  function mayBeAtWork(database: string | undefined, began: number): boolean {
    const rows = database === undefined ? undefined : unfinished.get(database);
    if (!rows) return session.updatedAt >= began - clockGrainMs;
    return rows.some(({ id, since }) => id === session.id && since >= began - clockGrainMs);
  }
}
const dayMs = 24 * 60 * 60 * 1000;
/** When a process began is told from when the machine was, which is a whole second. */
const clockGrainMs = 1_500;
