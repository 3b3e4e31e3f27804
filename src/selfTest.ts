import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessIdentity } from "./core/process.ts";
import { tryFileLock } from "./system/fileLock.ts";
import { openMachine } from "./system/machine.ts";
import type { Machine } from "./system/machine.ts";
import { handleOf } from "./system/tmux/pane.ts";
import { run } from "./system/run.ts";
import type { Settings } from "./settings.ts";

export interface Check {
  readonly says: string;
  readonly outcome: "right" | "wrong" | "notHere";
  readonly seen: string;
}

/** Starts stand-ins of its own, looks at them, ends them: whether this machine's processes and tmux are read right. Touches nothing else. */
export async function selfTest(settings: Settings): Promise<readonly Check[]> {
  const machine = await openMachine(settings);
  const folder = await mkdtemp(join(tmpdir(), "session-warden-self-test-"));
  try {
    return [...(await processChecks(machine)), await lockCheck(folder), await tmuxCheck(folder, settings)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function processChecks(machine: Machine): Promise<readonly Check[]> {
  const { signal } = new AbortController();
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "stand-in of session-warden"], {
    stdio: "ignore",
    env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
  });
  try {
    const entry = await eventually(async () => (await machine.census(signal)).processes?.get(child.pid ?? 0));
    if (!entry) return [check("a process that was just started is in the process table", false, `process ${child.pid} is not there`)];
    const reused: ProcessIdentity = {
      ...entry.identity,
      start: entry.identity.start.kind === "ticks" ? { kind: "ticks", ticks: "1" } : { kind: "utc", atMs: 0 },
    };
    const began = entry.startedAt === undefined ? "unknown" : `${Math.abs(Date.now() - entry.startedAt)} ms ago`;
    const wasSignalled = await machine.signal(reused, "SIGKILL");
    const stillThere = (await machine.exited([entry.identity], 0, signal)).length === 1;
    const asked = await machine.signal(entry.identity, "SIGTERM");
    const left = await machine.exited([entry.identity], 5_000, signal);
    return [
      check(
        "its parent and its arguments are read",
        entry.parentPid === process.pid && entry.argv.at(-1) === "stand-in of session-warden",
        `parent ${entry.parentPid}, ${entry.argv.length} arguments`,
      ),
      check("its start time is read", entry.startedAt !== undefined && Math.abs(Date.now() - entry.startedAt) < 60_000, `it began ${began}`),
      check("a pid with another start time is never signalled", !wasSignalled && stillThere, wasSignalled ? "it was signalled" : "it was left alone"),
      check("it ends when it is asked, and that is seen", asked && left.length === 0, left.length === 0 ? "it is gone" : "it is still there"),
    ];
  } finally {
    child.kill("SIGKILL");
  }
}

async function lockCheck(folder: string): Promise<Check> {
  const path = join(folder, "lock");
  const first = await tryFileLock(path);
  const second = await tryFileLock(path);
  await first?.[Symbol.asyncDispose]();
  const third = await tryFileLock(path);
  await third?.[Symbol.asyncDispose]();
  await second?.[Symbol.asyncDispose]();
  return check("a lock is held by one at a time", first !== undefined && second === undefined && third !== undefined, "taken, refused, taken again");
}

async function tmuxCheck(folder: string, settings: Settings): Promise<Check> {
  const says = "a pane of tmux is read and closed";
  const socket = join(folder, "tmux");
  const { signal } = new AbortController();
  const made = await run([settings.tmuxProgram, "-u", "-f", "/dev/null", "-S", socket, "new-session", "-d", "-s", "näme; with = all", "sleep 60"], {
    withinMs: 5_000,
  });
  if (made.kind === "missing") return { says, outcome: "notHere", seen: `${settings.tmuxProgram} was not found` };
  const machine = await openMachine({ ...settings, tmuxSockets: [socket] });
  const ours = async () => (await machine.census(signal)).panes.find(({ server }) => server.socket.endsWith(socket));
  const pane = await eventually(ours);
  if (!pane) return check(says, false, "no pane was listed");
  const owner = (await machine.census(signal)).processes?.get(pane.pid)?.identity;
  await handleOf(pane, machine.tmux).close();
  const left = owner ? await machine.exited([owner], 5_000, signal) : [];
  const isRight = pane.sessionName === "näme; with = all" && pane.hasStartCommand && owner !== undefined && left.length === 0;
  return check(says, isRight, `session ${pane.sessionName}, process ${pane.pid}, ${left.length === 0 ? "gone" : "still there"}`);
}

function check(says: string, isRight: boolean, seen: string): Check {
  return { says, outcome: isRight ? "right" : "wrong", seen };
}

async function eventually<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(50);
  }
  return undefined;
}
