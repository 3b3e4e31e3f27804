import { dirname, join } from "node:path";
import { isSameProcess } from "../../core/process.ts";
import type { News } from "./news.ts";
import { openOpenedLog } from "./openedLog.ts";
import type { OpenedLog } from "./openedLog.ts";
import type { OpencodeProcess } from "./processes.ts";
import type { Server } from "./servers.ts";
import type { Unfinished } from "./unfinished.ts";

/** By database, the sessions whose last message is not at its end; undefined where it can't be read. */
export type AtWork = ReadonlyMap<string, readonly Unfinished[] | undefined>;

/** Which directories a server has open, without asking it: only about those it may be asked. */
export type OpenDirectories = (server: Server, processes: readonly OpencodeProcess[], atWork: AtWork, signal: AbortSignal) => Promise<OpenOn>;

export interface OpenOn {
  readonly directories: ReadonlySet<string>;
  /** It has no other open. */
  readonly areAll: boolean;
}

/** As its events and its log tell. Where neither does: where a message was begun and not ended, if nobody else can have begun it. */
export function openDirectoriesBy(news: News): OpenDirectories {
  const logs = new Map<string, OpenedLog>();

  return async (server, processes, atWork, signal) => {
    const logged = await inLog(server, processes, signal);
    const directories = new Set([...news.openedBy(server), ...(logged ?? whereItAloneCanBeAtWork(server, processes, atWork))]);
    return { directories, areAll: logged !== undefined };
  };

  async function inLog(
    { database, process, client }: Server,
    processes: readonly OpencodeProcess[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string> | undefined> {
    const own = processes.find(({ entry }) => isSameProcess(entry.identity, process));
    if (database === undefined || !own) return undefined;
    const path = join(dirname(database), "log", "opencode.log");
    const log = logs.get(path) ?? openOpenedLog(path);
    logs.set(path, log);
    const of = { startedAt: own.entry.startedAt, cwd: own.cwd };
    const told = await log.openedBy(of);
    if (told) return told;
    // Of two that began together one has not opened its own folder yet; this question makes it do so.
    await client.ownDirectory(signal);
    return log.openedBy(of);
  }
}

function whereItAloneCanBeAtWork({ database, startedAt, process }: Server, processes: readonly OpencodeProcess[], atWork: AtWork): readonly string[] {
  const isAlone = processes.every(({ entry, database: theirs }) => theirs !== database || isSameProcess(entry.identity, process));
  const rows = (database !== undefined && isAlone && startedAt !== undefined && atWork.get(database)) || [];
  return rows.filter(({ since }) => since >= (startedAt ?? 0)).map(({ directory }) => directory);
}
