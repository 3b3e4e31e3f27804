import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Census, Here, ProcessEntry, Program } from "../../../src/core/census.ts";
import type { AgentId, Run } from "../../../src/core/facet.ts";
import type { ProcessIdentity } from "../../../src/core/process.ts";

export const here: Here = { host: "build", bootId: "8994690c-15f6-4324-80dd-2d4a192e6dd8", pidNamespace: "pid:[4026531836]" };

export function identityOf(pid: number, ticks = `${pid}00`): ProcessIdentity {
  return { pid, start: { kind: "ticks", ticks }, host: here.host, bootId: here.bootId ?? "", pidNamespace: here.pidNamespace ?? "" };
}

export function processOf(pid: number, program: Program | undefined, argv: readonly string[] = [], entry: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    identity: identityOf(pid),
    parentPid: 1,
    groupId: pid,
    sessionId: pid,
    state: "running",
    argv,
    program,
    uid: 1000,
    isForeground: true,
    tty: "34817",
    startedAt: undefined,
    ...entry,
  };
}

export function censusOf(...processes: readonly ProcessEntry[]): Census {
  return { at: 1_796_000_000_000, here, processes: new Map(processes.map((entry) => [entry.identity.pid, entry])), panes: [], unreachable: [] };
}

export function runOf(agent: AgentId, process: ProcessIdentity, run: Partial<Run> = {}): Run {
  return {
    kind: "run",
    key: `process:${process.pid}`,
    source: "process",
    place: "this machine",
    agent,
    liveness: { value: "alive", seen: `process ${process.pid}`, at: 0 },
    activity: { value: "silent", seen: "nothing reports its activity", at: 0 },
    host: { kind: "process", process },
    runsIn: "terminal",
    ...run,
  };
}

/** A real folder for a test, removed at its end. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "agents-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

export const noAbort = new AbortController().signal;
