import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Whoever starts something here puts a mark of its own into its environment; all that comes of it inherits it, daemons too. */
export const markName = "SESSION_WARDEN_STARTED_FOR";

export interface ProcessStarted {
  readonly pid: number;
  readonly startTicks: string;
}

/** Undefined for what is gone; a zombie is gone. */
export function findProcess(pid: number): ProcessStarted | undefined {
  const stat = findStat(pid);
  return stat && stat.state !== "Z" ? { pid, startTicks: stat.startTicks } : undefined;
}

/** Those above this process that are of one job with it: npm, its shell. None where there is no /proc. */
export function startersHere(): readonly ProcessStarted[] {
  const starters: ProcessStarted[] = [];
  const own = findStat(process.pid);
  for (let above = own && findStat(own.parentPid); above && above.groupId === own?.groupId; above = findStat(above.parentPid)) starters.push(above);
  return starters;
}

function findStat(pid: number): (ProcessStarted & { readonly state: string; readonly parentPid: number; readonly groupId: string }) | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, parentPid, groupId] = fields;
    const startTicks = fields[19];
    return state && parentPid && groupId && startTicks ? { pid, state, parentPid: Number(parentPid), groupId, startTicks } : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(started: ProcessStarted): boolean {
  return findProcess(started.pid)?.startTicks === started.startTicks;
}

/** Asks all processes that carry the mark to leave, and ends those that don't. Throws if one is still there at the end. */
export async function endMarked(
  mark: string,
  { only = () => true, graceMs = 3_000 }: { only?: ((argv: readonly string[]) => boolean) | undefined; graceMs?: number } = {},
): Promise<void> {
  const left = (): readonly ProcessStarted[] => marked(mark).filter(({ pid }) => only(argvOf(pid)));
  if (await sendUntilGone("SIGTERM", left, graceMs)) return;
  if (await sendUntilGone("SIGKILL", left, 5_000)) return;
  throw new Error(`These processes can't be ended: ${pids(left())}.`);
}

/** Ends one process at once. Does nothing if it is gone, or its pid is somebody else's by now. */
export function kill(started: ProcessStarted): void {
  send(started, "SIGKILL");
}

/** All living processes that carry the mark, this one left out. */
export function marked(mark: string): readonly ProcessStarted[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && carries(pid, mark))
    .map(findProcess)
    .filter((found) => found !== undefined);
}

/** What is started meanwhile is asked too; nobody is asked twice. */
async function sendUntilGone(signal: NodeJS.Signals, left: () => readonly ProcessStarted[], withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  const asked = new Set<string>();
  while (Date.now() < deadline) {
    const living = left();
    if (living.length === 0) return true;
    for (const started of living) {
      const key = `${started.pid} ${started.startTicks}`;
      if (!asked.has(key)) send(started, signal);
      asked.add(key);
    }
    await delay(30);
  }
  return left().length === 0;
}

function carries(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${markName}=${mark}`);
  } catch {
    return false;
  }
}

function send(to: ProcessStarted, signal: NodeJS.Signals): void {
  if (!isAlive(to)) return;
  try {
    process.kill(to.pid, signal);
  } catch {
    // It left between the look and the signal.
  }
}

function argvOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function pids(of: readonly ProcessStarted[]): string {
  return of.map(({ pid }) => pid).join(", ");
}
