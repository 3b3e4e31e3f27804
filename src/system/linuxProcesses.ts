import { readFile, readdir, readlink, stat } from "node:fs/promises";
import { hostname } from "node:os";
import type { Here, ProcessEntry } from "../core/census.ts";
import type { ProcessIdentity } from "../core/process.ts";
import type { ProcessTable } from "./processTable.ts";
import { cwdOf, environmentOf, isShortage, readShort, unlessAbsent, withoutMark } from "./procFiles.ts";
import { programOf } from "./programs.ts";

/** What stays as it is until the process executes another program. */
type Fixed = Pick<ProcessEntry, "argv" | "program" | "uid"> & {
  readonly pidNamespace: string | undefined;
  /** Nothing of it failed to be read: only then is it not read again. */
  readonly isWhole: boolean;
};

/**
 * Processes from /proc. A program's file and argv are read once for each execution, not once for each look. Gone is only whom the system says to be
 * gone: any other fault (no descriptor left, a failing disk) rejects, since it would else end the book of an agent that lives.
 */
export async function openLinuxProcesses(proc = "/proc"): Promise<ProcessTable> {
  const here: Here = {
    host: hostname(),
    bootId: (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => undefined))?.trim(),
    pidNamespace: await readlink("/proc/self/ns/pid").catch(() => undefined),
  };
  const ourMounts = await readlink("/proc/self/ns/mnt").catch(() => undefined);
  const bootedAt = await readBootTime();
  let known = new Map<string, Fixed>();

  return { here, readAll, read: (pid) => readOne(pid, known), readThese, environmentOf, cwdOf };

  async function readThese(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessEntry>> {
    return readEach(pids, known);
  }

  async function readAll(): Promise<ReadonlyMap<number, ProcessEntry>> {
    const pids = ((await unlessAbsent(readdir(proc))) ?? []).filter((name) => /^\d+$/.test(name)).map(Number);
    // We are there ourselves at least: that nobody is would prove everybody gone.
    if (pids.length === 0) throw new Error("this system is not supported: sessions are seen on Linux, by way of /proc, and on macOS");
    const seen = new Map<string, Fixed>();
    const entries = await readEach(pids, seen);
    known = seen;
    return entries;
  }

  /** A few at a time: each holds a descriptor, and the editor has no thousands of them. */
  async function readEach(pids: readonly number[], keepIn: Map<string, Fixed>): Promise<ReadonlyMap<number, ProcessEntry>> {
    const entries = new Map<number, ProcessEntry>();
    const waiting = pids.values();
    const readOneByOne = async (): Promise<void> => {
      for (const pid of waiting) {
        const entry = await readOne(pid, keepIn);
        if (entry) entries.set(pid, entry);
      }
    };
    await Promise.all(Array.from({ length: Math.min(readAtOnce, pids.length) }, readOneByOne));
    return entries;
  }

  async function readOne(pid: number, keepIn: Map<string, Fixed>): Promise<ProcessEntry | undefined> {
    const text = await readShort(`${proc}/${pid}/stat`);
    if (text === undefined) return undefined;
    const fields = parseStat(text);
    if (!fields) return untold(pid, here.host);
    const key = `${pid} ${fields.startTicks} ${fields.execution}`;
    const fixed = known.get(key) ?? (await readFixed(`${proc}/${pid}`, ourMounts));
    if (fixed.isWhole) keepIn.set(key, fixed);
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

/** USER_HZ, in which Linux tells times to programs, is 100 wherever VS Code runs. */
const ticksPerSecond = 100;

const readAtOnce = 64;

/** There is somebody, and nothing more is known of them: /proc mounted with `hidepid=1` shows no more of other users. */
function untold(pid: number, host: string): ProcessEntry {
  return {
    identity: { pid, start: { kind: "untold" }, host },
    parentPid: 0,
    groupId: 0,
    sessionId: 0,
    state: "running",
    tty: undefined,
    isForeground: false,
    argv: [],
    program: undefined,
    uid: -1,
    startedAt: undefined,
  };
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

/** Of a process that went meanwhile, or that is another user's, what can't be read stays away for ever. */
async function readFixed(folder: string, ourMounts: string | undefined): Promise<Fixed> {
  const [cmdline, exe, cwd, owner, pidNamespace, mountNamespace] = await Promise.all([
    unlessAbsent(readFile(`${folder}/cmdline`, "utf8")),
    unlessAbsent(readlink(`${folder}/exe`)),
    unlessAbsent(readlink(`${folder}/cwd`)),
    unlessAbsent(stat(folder)),
    unlessAbsent(readlink(`${folder}/ns/pid`)),
    unlessAbsent(readlink(`${folder}/ns/mnt`)),
  ]);
  const argv = (cmdline ?? "").split("\0").slice(0, -1);
  const bare = { argv, uid: owner?.uid ?? -1, pidNamespace };
  if (exe === undefined || argv.length === 0) return { ...bare, program: undefined, isWhole: true };
  // Flatpak, bwrap or a container: what its paths name is not what they name here.
  const seesOtherFiles = mountNamespace !== undefined && ourMounts !== undefined && mountNamespace !== ourMounts;
  const lying = { isDeleted: withoutMark(exe) !== exe, ...(seesOtherFiles && { root: `${folder}/root` }) };
  try {
    return { ...bare, program: await programOf(withoutMark(exe), argv, cwd && withoutMark(cwd), lying), isWhole: true };
  } catch (error) {
    if (isShortage(error)) throw error;
    // Its own files can't be read now (a share that hangs or fails): nobody else is the worse for it, and it is looked at again.
    return { ...bare, program: undefined, isWhole: false };
  }
}

async function readBootTime(): Promise<number | undefined> {
  const seconds = /^btime (\d+)$/m.exec(await readFile("/proc/stat", "utf8").catch(() => ""))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
