import { hostname } from "node:os";
import type { Here, ProcessEntry } from "../core/census.ts";
import type { ProcessTable } from "./processTable.ts";
import { programOf } from "./programs.ts";
import { run } from "./run.ts";
import type { RunOutcome } from "./run.ts";

/** Processes from ps(1). It prints times of whole seconds, and arguments without their borders: what can't be told apart is left unknown. */
export async function openMacProcesses(): Promise<ProcessTable> {
  const here: Here = { host: hostname(), bootId: undefined, pidNamespace: undefined };
  return {
    here,
    async readAll(signal) {
      const all = await ask([], signal);
      // It lists itself at least: that nobody is there would prove everybody gone.
      if (all.size === 0) throw new Error("the process table could not be read");
      return all;
    },
    read: async (pid) => (await ask(["-p", String(pid)])).get(pid),
    readThese: async (pids) => (pids.length === 0 ? new Map() : ask(["-p", pids.join(",")])),
    environmentOf: async () => new Map(),
    cwdOf: async ({ pid }) => cwdIn((await answerOf(["lsof", "-a", "-d", "cwd", "-p", String(pid), "-Fn"])).stdout),
  };

  async function ask(selection: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<number, ProcessEntry>> {
    const all = selection.length === 0 ? ["-ax"] : selection;
    const [table, commands] = await Promise.all([tableOf([...all, "-ww", "-o", tableColumns], signal), tableOf([...all, "-ww", "-o", "pid=,args="], signal)]);
    const rows = parsePs(table, commands, here.host);
    return new Map(
      await Promise.all(
        rows.map(async ({ executable, ...entry }) => [entry.identity.pid, { ...entry, program: await programOf(executable, entry.argv, undefined) }] as const),
      ),
    );
  }
}
const tableColumns = "pid=,ppid=,pgid=,tpgid=,uid=,tty=,stat=,lstart=,comm=";

/** Whole, or not at all: who is missing in half a table is not gone. */
async function tableOf(question: readonly string[], signal?: AbortSignal): Promise<string> {
  const { code, stdout, stderr } = await answerOf(["ps", ...question], signal);
  // Nobody has these pids.
  if (code === 1 && stdout === "" && stderr === "") return "";
  if (code !== 0) throw new Error(stderr.trim() === "" ? `ps ended with ${code}` : `ps said: ${stderr.trim().slice(0, 200)}`);
  return stdout;
}

/** UTC and no language: `lstart` is then "Mon Nov 30 02:01:35 2026" everywhere. */
async function answerOf(command: readonly [string, ...string[]], signal?: AbortSignal): Promise<RunOutcome & { readonly kind: "exited" }> {
  const answer = await run(command, { withinMs: 5_000, env: { TZ: "UTC", LC_ALL: "C" }, ...(signal && { signal }) });
  if (answer.kind !== "exited") throw new Error(`${command[0]} gave no answer`);
  return answer;
}

type Row = Omit<ProcessEntry, "program"> & { readonly executable: string };

/** Of a row whose columns can't be read only the pid is told: there is somebody, and nothing more is known of them. */
export function parsePs(table: string, commands: string, host: string): readonly Row[] {
  const argvOf = new Map(
    commands.split("\n").flatMap((line) => {
      const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      return pid === undefined || args === undefined ? [] : [[Number(pid), args] as const];
    }),
  );
  return table.split("\n").flatMap((line): readonly Row[] => {
    const [, pid, parent, group, foreground, uid, tty, stat, started, executable] = rowPattern.exec(line) ?? [];
    const atMs = parseStarted(started);
    if (pid === undefined || executable === undefined || stat === undefined || atMs === undefined) return untold(line, host);
    return [
      {
        identity: { pid: Number(pid), start: { kind: "utc", atMs }, host },
        parentPid: Number(parent),
        groupId: Number(group),
        sessionId: Number(group),
        state: stat.startsWith("Z") ? "zombie" : stat.startsWith("T") ? "stopped" : "running",
        uid: Number(uid),
        tty: tty === "??" ? undefined : tty,
        isForeground: stat.includes("+") || (Number(foreground) > 0 && group === foreground),
        startedAt: atMs,
        executable,
        argv: splitArguments(argvOf.get(Number(pid)) ?? executable, executable),
      },
    ];
  });
}

function untold(line: string, host: string): readonly Row[] {
  const pid = /^\s*(\d+)\s/.exec(line)?.[1];
  if (pid === undefined) return [];
  const nobody = { parentPid: 0, groupId: 0, sessionId: 0, uid: -1, tty: undefined, isForeground: false, startedAt: undefined, executable: "", argv: [] };
  return [{ ...nobody, identity: { pid: Number(pid), start: { kind: "untold" }, host }, state: "running" }];
}

const rowPattern = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\s+(.+?)\s*$/;

/** Milliseconds since 1970 of "Mon Nov 30 02:01:35 2026", read as UTC; undefined where it is no such time. */
export function parseStarted(text: string | undefined): number | undefined {
  const [, month, day, hour, minute, second, year] = /^\w{3} (\w{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})$/.exec(text ?? "") ?? [];
  const monthIndex = months.indexOf(month ?? "");
  if (monthIndex < 0) return undefined;
  return Date.UTC(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second));
}
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The executable's own path may hold spaces, and is known; after it every space is taken for a border. */
function splitArguments(args: string, executable: string): readonly string[] {
  if (args === executable) return [executable];
  if (args.startsWith(`${executable} `)) return [executable, ...args.slice(executable.length + 1).split(" ")];
  return args.split(" ");
}

function cwdIn(lsof: string): string | undefined {
  return /^n(\/.*)$/m.exec(lsof)?.[1];
}
