import { setTimeout as sleep } from "node:timers/promises";
import type { Census, ProcessEntry } from "../core/census.ts";
import { inTime } from "../core/inTime.ts";
import type { Unreachable } from "../core/notice.ts";
import { compareProcesses, isSameProcess } from "../core/process.ts";
import type { ProcessIdentity } from "../core/process.ts";
import { listeningPortsOf } from "./listeningPorts.ts";
import type { ListeningPort } from "./listeningPorts.ts";
import { openLinuxProcesses } from "./linuxProcesses.ts";
import { openMacProcesses } from "./macProcesses.ts";
import type { ProcessTable } from "./processTable.ts";
import { readPanes } from "./tmux/panes.ts";
import { findSockets } from "./tmux/sockets.ts";
import { tmuxProgram } from "./tmux/tmuxProgram.ts";
import type { Tmux } from "./tmux/tmuxProgram.ts";

export type Signal = "SIGTERM" | "SIGHUP" | "SIGINT" | "SIGKILL";

/** This machine's processes and terminals: looked at, signalled by identity, waited for. */
export interface Machine {
  readonly tmux: Tmux;
  census(signal: AbortSignal): Promise<Census>;
  /** The processes alone, for looks between two rungs. */
  processes(signal: AbortSignal): Promise<Pick<Census, "processes">>;
  environmentOf(process: ProcessIdentity): Promise<ReadonlyMap<string, string>>;
  cwdOf(process: ProcessIdentity): Promise<string | undefined>;
  /** Where it listens for TCP. */
  portsOf(process: ProcessIdentity, signal: AbortSignal): Promise<readonly ListeningPort[]>;
  /** Looks at the identity again just before; false where it is gone by then, or may not be signalled. */
  signal(process: ProcessIdentity, signal: Signal): Promise<boolean>;
  /** Resolves the moment none is left, at the latest after `withinMs`; with those that are left. */
  exited(processes: readonly ProcessIdentity[], withinMs: number, signal: AbortSignal): Promise<readonly ProcessIdentity[]>;
}

export async function openMachine(settings: { readonly tmuxProgram: string; readonly tmuxSockets: readonly string[] }): Promise<Machine> {
  const table = process.platform === "darwin" ? await openMacProcesses() : await openLinuxProcesses();
  return machineOf(table, settings);
}

export function machineOf(
  table: ProcessTable,
  settings: { readonly tmuxProgram: string; readonly tmuxSockets: readonly string[] },
  answersWithinMs = 10_000,
): Machine {
  const tmux = tmuxProgram(settings.tmuxProgram);
  return {
    tmux,
    census,
    processes: readTable,
    environmentOf: (process) => table.environmentOf(process),
    cwdOf: (process) => table.cwdOf(process),
    portsOf: listeningPortsOf,
    signal,
    exited,
  };

  async function census(abort: AbortSignal): Promise<Census> {
    const { processes, unreachable } = await readTable(abort);
    const sockets = await orSilent(
      findSockets(settings.tmuxSockets, processes?.values() ?? [], ({ identity }) => table.environmentOf(identity)),
      (reason): Unreachable => ({ place: "tmux", reason: `its servers could not be looked for (${reason})` }),
      abort,
    );
    const tmuxReading = await readPanes(sockets.value ?? [], tmux, abort);
    return {
      at: Date.now(),
      here: table.here,
      processes,
      panes: tmuxReading.panes,
      unreachable: [...unreachable, ...sockets.unreachable, ...tmuxReading.unreachable],
    };
  }

  async function readTable(
    abort: AbortSignal,
  ): Promise<{ readonly processes: ReadonlyMap<number, ProcessEntry> | undefined; readonly unreachable: readonly Unreachable[] }> {
    const { value, unreachable } = await orSilent(table.readAll(abort), (reason) => ({ place: "process table", reason }), abort);
    return { processes: value, unreachable };
  }

  /** What fails or hangs is a place without an answer, and takes nothing else with it. */
  async function orSilent<T>(
    reading: Promise<T>,
    placeOf: (reason: string) => Unreachable,
    abort: AbortSignal,
  ): Promise<{ readonly value: T | undefined; readonly unreachable: readonly Unreachable[] }> {
    try {
      return { value: await inTime(reading, answersWithinMs, abort), unreachable: [] };
    } catch (error) {
      abort.throwIfAborted();
      return { value: undefined, unreachable: [placeOf(error instanceof Error ? error.message : String(error))] };
    }
  }

  async function signal(identity: ProcessIdentity, name: Signal): Promise<boolean> {
    // Looked at right before: the pid may be somebody else's by now.
    const entry = await table.read(identity.pid);
    if (!isLiving(entry, identity)) return false;
    try {
      process.kill(identity.pid, name);
      // A suspended process hears nothing but SIGKILL before it goes on.
      if (entry?.state === "stopped" && name !== "SIGKILL") process.kill(identity.pid, "SIGCONT");
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")) return false;
      throw error;
    }
  }

  async function exited(identities: readonly ProcessIdentity[], withinMs: number, abort: AbortSignal): Promise<readonly ProcessIdentity[]> {
    const deadline = Date.now() + withinMs;
    let left = await livingOf(identities);
    while (left.length > 0 && Date.now() < deadline) {
      await sleep(lookEveryMs, undefined, { signal: abort });
      left = await livingOf(left);
    }
    return left;
  }

  async function livingOf(identities: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> {
    // A look that failed saw nobody go.
    const entries = await table.readThese(identities.map(({ pid }) => pid)).catch(() => undefined);
    return !entries ? identities : identities.filter((identity) => mayLive(entries.get(identity.pid), identity));
  }
}

/** What can't be compared is not proved gone. */
function mayLive(entry: ProcessEntry | undefined, identity: ProcessIdentity): boolean {
  return entry !== undefined && entry.state !== "zombie" && compareProcesses(entry.identity, identity) !== "different";
}

function isLiving(entry: ProcessEntry | undefined, identity: ProcessIdentity): boolean {
  return entry !== undefined && entry.state !== "zombie" && isSameProcess(entry.identity, identity);
}
const lookEveryMs = 20;
