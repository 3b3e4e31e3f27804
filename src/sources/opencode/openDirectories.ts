import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isSameProcess } from "../../core/process.ts";
import { inodesWatchedBy } from "../../system/watchedInodes.ts";
import type { News } from "./news.ts";
import { openOpenedLog } from "./openedLog.ts";
import type { Opened, OpenedLog } from "./openedLog.ts";
import type { OpencodeProcess } from "./processes.ts";
import type { Server } from "./servers.ts";
import type { Unfinished } from "./unfinished.ts";

/** By database, the sessions whose last message is not at its end; undefined where it can't be read. */
export type AtWork = ReadonlyMap<string, readonly Unfinished[] | undefined>;

/** Which directories a server has open, without asking it: only about those it may be asked. */
export type OpenDirectories = (server: Server, processes: readonly OpencodeProcess[], atWork: AtWork) => Promise<OpenOn>;

export interface OpenOn {
  readonly directories: ReadonlySet<string>;
  /** It has no other open. */
  readonly areAll: boolean;
}

/**
 * As its events and its log tell. Where the log does not tell whose lines are whose: of the directories that come into question those that it watches, since
 * it watches what it works in (1.18.33, on Linux). Nothing else of it is known then.
 */
export function openDirectoriesBy(news: News): OpenDirectories {
  const logs = new Map<string, OpenedLog>();

  return async (server, processes, atWork) => {
    const own = processes.find(({ entry }) => isSameProcess(entry.identity, server.process));
    const logged = own ? await inLog(own, processes) : unlogged;
    const unsure = own && !logged.areOurs ? await watchedBy(own, new Set([...logged.directories, ...foldersAtWork(own, atWork)])) : [];
    return { directories: new Set([...news.openedBy(server), ...(logged.areOurs ? logged.directories : unsure)]), areAll: logged.areOurs };
  };

  async function inLog(own: OpencodeProcess, processes: readonly OpencodeProcess[]): Promise<Opened> {
    const { entry, database } = own;
    if (!database?.startsWith("/") || entry.startedAt === undefined || isLoggingElsewhere(own)) return unlogged;
    const path = join(dirname(database), "log", "opencode.log");
    const log = logs.get(path) ?? openOpenedLog(path);
    logs.set(path, log);
    return log.openedBy(
      entry.startedAt,
      processes.filter((other) => other !== own).flatMap((other) => other.entry.startedAt ?? []),
    );
  }
}
const unlogged: Opened = { areOurs: false, directories: new Set() };

/** Its log goes to its terminal, or leaves out what is told here. */
function isLoggingElsewhere({ entry: { argv } }: OpencodeProcess): boolean {
  return argv.some((word) => /^--(print-logs|log-level)(=|$)/.test(word));
}

function foldersAtWork({ database }: OpencodeProcess, atWork: AtWork): readonly string[] {
  return ((database !== undefined && atWork.get(database)) || []).map(({ directory }) => directory);
}

/** Which of these it watches. A folder is watched with what is below it: one whose parent is watched too proves nothing. */
async function watchedBy({ entry }: OpencodeProcess, directories: ReadonlySet<string>): Promise<readonly string[]> {
  if (directories.size === 0) return [];
  const inodes = await inodesWatchedBy(entry.identity);
  const isWatched = async (folder: string): Promise<boolean> => inodes.has(String((await stat(folder, { bigint: true }).catch(() => undefined))?.ino));
  const found = await Promise.all([...directories].map(async (each) => ((await isWatched(each)) && !(await isWatched(dirname(each))) ? [each] : [])));
  return found.flat();
}
