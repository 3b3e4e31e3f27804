import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { until } from "./until.ts";

// Reads /proc by itself and shares nothing with the product: what the product says is checked against this.

export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat, in clock ticks since boot. */
  readonly startTicks: string;
}

export interface SeenProcess extends ProcessIdentity {
  readonly ppid: number;
  readonly comm: string;
  readonly state: string;
}

/** The process as it is now, a zombie included; undefined if there is none. */
export function findProcess(pid: number): SeenProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may itself hold spaces and parentheses.
    const end = stat.lastIndexOf(")");
    const rest = stat.slice(end + 2).split(" ");
    return { pid, comm: stat.slice(stat.indexOf("(") + 1, end), state: rest[0] ?? "", ppid: Number(rest[1]), startTicks: rest[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** Throws if there is no such process: a test that starts from a wrong pid proves nothing. */
export function identityOf(pid: number): ProcessIdentity {
  const found = findProcess(pid);
  if (found === undefined) throw new Error(`There is no process ${pid}`);
  return { pid, startTicks: found.startTicks };
}

/** A zombie is not alive: nothing of it runs any more. */
export function isAlive({ pid, startTicks }: ProcessIdentity): boolean {
  const now = findProcess(pid);
  return now !== undefined && now.startTicks === startTicks && now.state !== "Z";
}

/** Signals exactly this process, or nobody if it has ended; says whether it did. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  process.kill(identity.pid, name);
  return true;
}

/** Resolves when none of them lives; rejects, naming those that do, after `withinMs`. */
export async function untilGone(identities: readonly ProcessIdentity[], withinMs = 15_000): Promise<void> {
  const living = () => identities.filter(isAlive);
  await until(
    () => living().length === 0,
    withinMs,
    () => `Still alive: ${living().map(describe).join("; ")}`,
  );
}

export function allProcesses(): readonly SeenProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => findProcess(Number(name)))
    .filter((found) => found !== undefined);
}

/** The process and all below it, parents first. */
export function treeOf(pid: number): readonly SeenProcess[] {
  const all = allProcesses();
  const below = (parent: SeenProcess): readonly SeenProcess[] => [parent, ...all.filter((child) => child.ppid === parent.pid).flatMap(below)];
  const root = all.find((found) => found.pid === pid);
  return root === undefined ? [] : below(root);
}

export function argvOf(pid: number): readonly string[] {
  return readNulls(`/proc/${pid}/cmdline`);
}

export function environmentOf(pid: number): Readonly<Record<string, string>> {
  return Object.fromEntries(readNulls(`/proc/${pid}/environ`).map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]));
}

export function executableOf(pid: number): string {
  return linkOf(`/proc/${pid}/exe`);
}

export function folderOf(pid: number): string {
  return linkOf(`/proc/${pid}/cwd`);
}

function describe({ pid }: ProcessIdentity): string {
  return `${pid} ${argvOf(pid).join(" ").slice(0, 120)}`;
}

function readNulls(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").replace(/\0$/, "").split("\0");
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
