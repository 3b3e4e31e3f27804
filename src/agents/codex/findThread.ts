import { readlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Run } from "../../core/facet.ts";
import { uuidPattern } from "../ids.ts";
import { findOpenFiles } from "../openFiles.ts";
import { readOpenThreads } from "./appServer.ts";
import type { Thread } from "./appServer.ts";
import { recognise, readCodexArguments } from "./recognise.ts";
import { findRollouts } from "./rollouts.ts";
import { idInTitle, nameInTitle } from "./title.ts";

/** Which conversation a window of Codex shows. Exactly one, or undefined. */
export interface Found {
  readonly id: string;
  readonly thread?: Thread;
}

/**
 * A window that runs its thread itself has that thread's lock open. Else it is a client of the daemon, which does not tell the clients apart and keeps
 * the threads of closed ones: then its title, where it is set to show the id; its own argument; or the only thread that the only window in its folder
 * can have begun. The last two only where its title does not show another, or none after /new.
 */
export async function findThread(run: Run, census: Census, signal: AbortSignal): Promise<Found | undefined> {
  if (run.host.kind !== "process") return undefined;
  const { process, pane } = run.host;
  const entry = census.processes?.get(process.pid);
  if (!entry) return undefined;
  const held = await locksHeldBy(process.pid);
  if (held.length > 0) return held.length === 1 && held[0] !== undefined ? { id: held[0] } : undefined;

  const home = homeOf(run);
  const title = entry.isForeground ? pane?.title : undefined;
  const threads = (await openThreadsAt(census, home, signal)) ?? [];
  const known = (id: string): Found => ({ id, ...withThread(threads.find((thread) => thread.id === id)) });
  const inTitle = title === undefined ? undefined : await idShownIn(home, title);
  if (inTitle !== undefined) return known(inTitle);

  const folder = await folderOf(entry);
  if (folder === undefined) return undefined;
  const begunHere = threads.filter(({ cwd, isOfTerminal, createdAt }) => cwd === folder && isOfTerminal && createdAt >= begunAfter(entry));
  const asked = resumedIdOf(entry);
  if (asked !== undefined) return begunHere.length === 0 && (title === undefined || shows(title, known(asked).thread)) ? known(asked) : undefined;

  const [only] = begunHere;
  if (!only || begunHere.length > 1 || !(await isOnlyWindowIn(folder, entry, census))) return undefined;
  // Another window may have begun it later and be closed by now.
  const isItsOwn = title === undefined ? only.createdAt <= begunAfter(entry) + startsWithinMs : shows(title, only);
  return isItsOwn ? known(only.id) : undefined;
}
const startsWithinMs = 15_000;

/** A thread that the daemon doesn't list has no name to compare. */
function shows(title: string, thread: Thread | undefined): boolean {
  const shown = nameInTitle(title);
  if (shown === undefined) return false;
  return thread?.name === undefined || plain(thread.name).startsWith(plain(shown).replace(/(…|\.\.\.)$/, ""));
}

function plain(name: string): string {
  return name.replace(/\s+/g, " ").trim();
}

/** One question to the daemon for all windows of one look. */
function openThreadsAt(census: Census, home: string, signal: AbortSignal): ReturnType<typeof readOpenThreads> {
  const asked = answers.get(census) ?? new Map<string, ReturnType<typeof readOpenThreads>>();
  const answer = asked.get(home) ?? readOpenThreads(home, signal);
  answers.set(census, asked.set(home, answer));
  return answer;
}
const answers = new WeakMap<Census, Map<string, ReturnType<typeof readOpenThreads>>>();

export function homeOf({ configHome }: Pick<Run, "configHome">): string {
  return configHome ?? join(homedir(), ".codex");
}

function withThread(thread: Thread | undefined): Partial<Found> {
  return thread ? { thread } : {};
}

/** Threads are dated in whole seconds. A process whose start isn't known could be older than any of them. */
function begunAfter({ startedAt }: ProcessEntry): number {
  return startedAt === undefined ? Number.POSITIVE_INFINITY : startedAt - 1_000;
}

async function locksHeldBy(pid: number): Promise<readonly string[]> {
  const files = (await findOpenFiles(pid)) ?? [];
  return [...new Set(files.flatMap((file) => /\/thread-writer-locks\/([^/]+)\.lock$/.exec(file)?.[1] ?? []).filter((id) => uuidPattern.test(id)))];
}

async function idShownIn(home: string, title: string): Promise<string | undefined> {
  const shown = idInTitle(title);
  if (shown === undefined || uuidPattern.test(shown)) return shown;
  const [id, another] = await findRollouts(home, shown);
  return another === undefined ? id : undefined;
}

function resumedIdOf({ program }: ProcessEntry): string | undefined {
  const [subcommand, id] = readCodexArguments(program?.args ?? []).words;
  return subcommand === "resume" && id !== undefined && uuidPattern.test(id) ? id : undefined;
}

async function folderOf({ identity, program }: ProcessEntry): Promise<string | undefined> {
  const cwd = await readlink(`/proc/${identity.pid}/cwd`).catch(() => undefined);
  return cwd === undefined ? undefined : resolve(cwd, readCodexArguments(program?.args ?? []).valueOf("-C", "--cd") ?? ".");
}

/** One whose folder can't be read may be in this one. */
async function isOnlyWindowIn(folder: string, { identity }: ProcessEntry, { processes }: Census): Promise<boolean> {
  for (const other of processes?.values() ?? []) {
    if (other.identity.pid === identity.pid || other.state === "zombie" || recognise(other)?.role !== "agent") continue;
    const otherFolder = await folderOf(other);
    if (otherFolder === undefined || otherFolder === folder) return false;
  }
  return true;
}
