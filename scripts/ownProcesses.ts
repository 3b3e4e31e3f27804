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
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[19] === undefined ? undefined : { pid, startTicks: fields[19] };
  } catch {
    return undefined;
  }
}

export function isAlive(started: ProcessStarted): boolean {
  return findProcess(started.pid)?.startTicks === started.startTicks;
}

/** Asks all processes that carry the mark to leave, and ends those that don't. Throws if one is still there at the end. */
export async function endMarked(mark: string, { graceMs = 3_000 } = {}): Promise<void> {
  for (const { signal, ms } of [
    { signal: "SIGTERM", ms: graceMs },
    { signal: "SIGKILL", ms: 5_000 },
  ] as const) {
    const deadline = Date.now() + ms;
    const asked = new Set<string>();
    while (true) {
      const left = marked(mark);
      if (left.length === 0) return;
      if (Date.now() > deadline) break;
      for (const process of left) {
        // What was started meanwhile is asked too; nobody is asked twice.
        if (asked.has(key(process))) continue;
        asked.add(key(process));
        send(process, signal);
      }
      await delay(30);
    }
  }
  throw new Error(
    `These processes can't be ended: ${marked(mark)
      .map(({ pid }) => pid)
      .join(", ")}.`,
  );
}

/** All living processes that carry the mark, this one left out. */
export function marked(mark: string): readonly ProcessStarted[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && carries(pid, mark))
    .map(findProcess)
    .filter((found) => found !== undefined);
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

function key({ pid, startTicks }: ProcessStarted): string {
  return `${pid}:${startTicks}`;
}
