import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessEntry } from "../core/census.ts";
import type { Usage } from "../core/usage.ts";
import { unlessAbsent } from "./procFiles.ts";
import { run } from "./run.ts";

/** What each of these trees takes, measured twice a moment apart. What has ended by then takes nothing. For the few that are asked about. */
export async function usageOf(trees: readonly (readonly ProcessEntry[])[], signal: AbortSignal): Promise<readonly Usage[]> {
  const pids = [...new Set(trees.flatMap((tree) => tree.map(({ identity }) => identity.pid)))];
  if (pids.length === 0) return trees.map(() => ({ memoryBytes: 0, cpuNow: 0, cpuLife: undefined }));
  const isMac = process.platform === "darwin";
  const before = isMac ? new Map<number, number>() : await cpuMsOf(pids);
  const began = performance.now();
  if (!isMac) await sleep(measuredForMs, undefined, { signal });
  const tookMs = performance.now() - began;
  const [after, memory] = isMac ? await askPs(pids, signal) : await Promise.all([cpuMsOf(pids), memoryOf(pids)]);
  const now = Date.now();
  return trees.map((tree) => ({
    memoryBytes: sum(tree, ({ identity }) => memory.get(identity.pid) ?? 0),
    // What a child had spent that has ended meanwhile is by now its parent's.
    cpuNow: isMac
      ? undefined
      : Math.max(
          0,
          sum(tree, ({ identity: { pid } }) => (after.get(pid) ?? 0) - (before.get(pid) ?? 0)),
        ) / tookMs,
    cpuLife: lifeShare(tree, after, now),
  }));
}
const measuredForMs = 500;

function lifeShare([root, ...below]: readonly ProcessEntry[], spent: ReadonlyMap<number, number>, now: number): number | undefined {
  if (root?.startedAt === undefined || now <= root.startedAt) return undefined;
  return sum([root, ...below], ({ identity }) => spent.get(identity.pid) ?? 0) / (now - root.startedAt);
}

function sum(tree: readonly ProcessEntry[], of: (entry: ProcessEntry) => number): number {
  return tree.reduce((total, entry) => total + of(entry), 0);
}

/** Its share of what it has in common with others where the kernel counts that, else all that it has in memory. */
async function memoryOf(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const read = pids.map(async (pid) => {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
    const shared = kilobytes(rollup, "Pss");
    return [pid, (shared ?? kilobytes((await unlessAbsent(readFile(`/proc/${pid}/status`, "latin1"))) ?? "", "VmRSS") ?? 0) * 1024] as const;
  });
  return new Map(await Promise.all(read));
}

function kilobytes(text: string, name: string): number | undefined {
  const [, told] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text) ?? [];
  return told === undefined ? undefined : Number(told);
}

/** proc_pid_stat(5): user and system time, its own and that of its children that have ended, in hundredths of a second. */
async function cpuMsOf(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const read = pids.map(async (pid) => {
    const text = (await unlessAbsent(readFile(`/proc/${pid}/stat`, "latin1"))) ?? "";
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return [pid, fields.slice(11, 15).reduce((total, field) => total + Number(field), 0) * 10] as const;
  });
  return new Map(await Promise.all(read));
}

/** On macOS `ps` tells both at once: kilobytes, and time as `[[hours:]minutes:]seconds.hundredths`. */
async function askPs(pids: readonly number[], signal: AbortSignal): Promise<readonly [ReadonlyMap<number, number>, ReadonlyMap<number, number>]> {
  const told = await run(["ps", "-o", "pid=,rss=,time=", "-p", pids.join(",")], { withinMs: 5_000, env: { LC_ALL: "C" }, signal });
  const rows = parseUsage(told.kind === "exited" ? told.stdout : "");
  return [new Map(rows.map(({ pid, cpuMs }) => [pid, cpuMs])), new Map(rows.map(({ pid, memoryBytes }) => [pid, memoryBytes]))];
}

export function parseUsage(stdout: string): readonly { readonly pid: number; readonly memoryBytes: number; readonly cpuMs: number }[] {
  return stdout.split("\n").flatMap((line) => {
    const [, pid, kilobytes, time = ""] = /^\s*(\d+)\s+(\d+)\s+([\d:.]+)\s*$/.exec(line) ?? [];
    const seconds = time.split(":").reduce((total, part) => total * 60 + Number(part), 0);
    return pid === undefined ? [] : [{ pid: Number(pid), memoryBytes: Number(kilobytes) * 1024, cpuMs: Math.round(seconds * 1000) }];
  });
}
