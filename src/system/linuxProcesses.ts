import { close, open, read } from "node:fs";
import { readFile, readdir, readlink, stat } from "node:fs/promises";
import { hostname } from "node:os";
import type { Here, ProcessEntry } from "../core/census.ts";
import type { ProcessIdentity } from "../core/process.ts";
import { programOf } from "./programs.ts";
import type { ProcessTable } from "./processTable.ts";

/** What stays as it is until the process executes another program. */
type Fixed = Pick<ProcessEntry, "argv" | "program" | "uid"> & { readonly pidNamespace: string | undefined };

/** Processes from /proc. A program's file and argv are read once for each execution, not once for each look. */
export async function openLinuxProcesses(): Promise<ProcessTable> {
  const here: Here = {
    host: hostname(),
    bootId: (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => undefined))?.trim(),
    pidNamespace: await readlink("/proc/self/ns/pid").catch(() => undefined),
  };
  const bootedAt = await readBootTime();
  let known = new Map<string, Fixed>();

  return { here, readAll, read: (pid) => readOne(pid, known), readThese, environmentOf, cwdOf };

  async function readThese(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessEntry>> {
    return byPid(await Promise.all(pids.map((pid) => readOne(pid, known))));
  }

  async function readAll(): Promise<ReadonlyMap<number, ProcessEntry>> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    const seen = new Map<string, Fixed>();
    const entries = await Promise.all(pids.map((pid) => readOne(pid, seen)));
    known = seen;
    return byPid(entries);
  }

  async function readOne(pid: number, keepIn: Map<string, Fixed>): Promise<ProcessEntry | undefined> {
    const text = await readShort(`/proc/${pid}/stat`);
    const fields = text === undefined ? undefined : parseStat(text);
    if (!fields) return undefined;
    const key = `${pid} ${fields.startTicks} ${fields.execution}`;
    const fixed = known.get(key) ?? (await readFixed(pid));
    keepIn.set(key, fixed);
    const { argv, program, uid } = fixed;
    const identity: ProcessIdentity = {
      pid,
      start: { kind: "ticks", ticks: fields.startTicks },
      host: here.host,
      ...(here.bootId !== undefined && { bootId: here.bootId }),
      ...(fixed.pidNamespace !== undefined && { pidNamespace: fixed.pidNamespace }),
    };
    const startedAt = bootedAt === undefined ? undefined : bootedAt + (Number(fields.startTicks) / ticksPerSecond) * 1000;
    const { parentPid, groupId, sessionId, state, tty, isForeground } = fields;
    return { identity, parentPid, groupId, sessionId, state, tty, isForeground, argv, program, uid, startedAt };
  }
}

function byPid(entries: readonly (ProcessEntry | undefined)[]): ReadonlyMap<number, ProcessEntry> {
  return new Map(entries.flatMap((entry) => (entry ? [[entry.identity.pid, entry] as const] : [])));
}

/** USER_HZ, in which Linux tells times to programs, is 100 wherever VS Code runs. */
const ticksPerSecond = 100;

/** A file of at most 1 kB, undefined where it is gone. Half the work of readFile, which counts for hundreds of processes at every look. */
function readShort(path: string): Promise<string | undefined> {
  return new Promise((settle) => {
    open(path, "r", (notThere, descriptor) => {
      if (notThere) return settle(undefined);
      return read(descriptor, Buffer.allocUnsafe(1_024), 0, 1_024, 0, (gone, bytes, buffer) => {
        close(descriptor, () => {});
        settle(gone ? undefined : buffer.toString("latin1", 0, bytes));
      });
    });
  });
}

interface Stat extends Pick<ProcessEntry, "parentPid" | "groupId" | "sessionId" | "state" | "tty" | "isForeground"> {
  readonly startTicks: string;
  /** Other after every execve(2): the name, and where the kernel put stack and arguments this time. */
  readonly execution: string;
}

/** proc_pid_stat(5). The command name may itself hold spaces and brackets: fields count from the last bracket. */
export function parseStat(text: string): Stat | undefined {
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  const [letter, parent, group, session, tty, foreground] = fields;
  const startTicks = fields[19];
  if (close < 0 || startTicks === undefined) return undefined;
  return {
    parentPid: Number(parent),
    groupId: Number(group),
    sessionId: Number(session),
    state: letter === "Z" || letter === "X" ? "zombie" : letter === "T" || letter === "t" ? "stopped" : "running",
    tty: tty === "0" ? undefined : tty,
    isForeground: tty !== "0" && group === foreground,
    startTicks,
    execution: `${text.slice(text.indexOf("("), close)} ${fields[25]} ${fields[45]}`,
  };
}

async function readFixed(pid: number): Promise<Fixed> {
  const [cmdline, exe, cwd, owner, pidNamespace] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
    readlink(`/proc/${pid}/exe`).catch(() => undefined),
    cwdOf({ pid }),
    stat(`/proc/${pid}`).catch(() => undefined),
    readlink(`/proc/${pid}/ns/pid`).catch(() => undefined),
  ]);
  const argv = cmdline.split("\0").slice(0, -1);
  const program = exe === undefined || argv.length === 0 ? undefined : await programOf(exe.replace(/ \(deleted\)$/, ""), argv, cwd);
  return { argv, program, uid: owner?.uid ?? -1, pidNamespace };
}

async function environmentOf({ pid }: Pick<ProcessIdentity, "pid">): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  return new Map(
    text
      .split("\0")
      .filter((pair) => pair.includes("="))
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const),
  );
}

async function cwdOf({ pid }: Pick<ProcessIdentity, "pid">): Promise<string | undefined> {
  return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined))?.replace(/ \(deleted\)$/, "");
}

async function readBootTime(): Promise<number | undefined> {
  const seconds = /^btime (\d+)$/m.exec(await readFile("/proc/stat", "utf8").catch(() => ""))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
