import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import type { Agent, LiveEntry } from "../../core/agent.ts";
import { livenessOf } from "../../core/census.ts";
import type { Census } from "../../core/census.ts";
import type { Evidence } from "../../core/evidence.ts";
import type { Activity, Liveness, Run } from "../../core/facet.ts";
import type { ProcessIdentity, ProcessStart } from "../../core/process.ts";
import { isAbsence, readIfPresent } from "../../system/files.ts";
import { uuidPattern } from "../ids.ts";
import { parseJson } from "../jsonText.ts";
import { asTitle } from "../titles.ts";
import { canResume, findLastPrompt } from "./transcripts.ts";

/** Every `sessions/<pid>.json`. After kill -9 a file stays with its last status: it is left out, since the process that it names is gone. */
export const readLive: NonNullable<Agent["readLive"]> = async (configHomes, census, signal) => {
  const machineId = await readMachineId();
  const entries: LiveEntry[] = [];
  for (const home of configHomes) {
    const folder = join(home, "sessions");
    const names = (await namesIn(folder)).filter((name) => /^\d+\.json$/.test(name));
    signal.throwIfAborted();
    const found = await Promise.all(names.map((name) => readEntry(home, join(folder, name), census, machineId, signal)));
    entries.push(...found.flatMap((entry) => entry ?? []));
  }
  return entries;
};

/** Another user's folder is none of ours; our own, should it not be readable, is no proof that nobody lives. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (!isAbsence(error) || (await stat(folder).catch(() => undefined))?.uid === process.getuid?.()) throw error;
    return [];
  }
}

/** One `sessions/<pid>.json`, and whether the process lives that it names; undefined where it tells none. */
export async function readPidFile(
  file: string,
  census: Census,
  machineId: string,
): Promise<{ readonly row: PidFile; readonly process: ProcessIdentity; readonly liveness: Evidence<Liveness> } | undefined> {
  const { data: row } = pidFile.safeParse(parseJson(await readIfPresent(file, 64 * 1024)));
  const process = row && identityOf(row, census, machineId);
  if (!row || !process || basename(file) !== `${row.pid}.json`) return undefined;
  return { row, process, liveness: livenessIn(census, process) };
}

export async function readMachineId(): Promise<string> {
  return (await readIfPresent("/etc/machine-id", 1_000))?.trim() ?? "";
}

const pidFile = z.object({
  pid: z.int().positive(),
  sessionId: z.string().regex(uuidPattern),
  procStart: z.string(),
  cwd: z.string().optional().catch(undefined),
  startedAt: z.number().optional().catch(undefined),
  kind: z.string().optional().catch(undefined),
  entrypoint: z.string().optional().catch(undefined),
  pidDomain: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  nameSource: z.string().optional().catch(undefined),
  status: z.string().optional().catch(undefined),
  waitingFor: z.string().optional().catch(undefined),
  updatedAt: z.number().optional().catch(undefined),
  statusUpdatedAt: z.number().optional().catch(undefined),
});
type PidFile = z.infer<typeof pidFile>;

async function readEntry(home: string, file: string, census: Census, machineId: string, signal: AbortSignal): Promise<LiveEntry | undefined> {
  const read = await readPidFile(file, census, machineId);
  if (!read || read.liveness.value === "gone") return undefined;
  const { row, process, liveness } = read;

  const conversation = { agent: "claude", id: row.sessionId, toldBy: "agent", home } as const;
  const title = isGivenName(row) ? row.name : await findLastPrompt(home, row.sessionId, row.cwd);
  return {
    agent: "claude",
    process,
    liveness,
    file,
    conversation: { ...conversation, resumable: await canResume(conversation, row.cwd, signal) },
    activity: { ...activityOf(row), at: census.at },
    runsIn: runsIn(row),
    ...(title !== undefined && { title: asTitle(title) }),
    ...(row.cwd !== undefined && { cwd: row.cwd }),
    ...(row.startedAt !== undefined && { startedAt: row.startedAt }),
    ...idleSinceOf(row),
  };
}

/** A HOME may be shared with another machine or a container, where the same pid is somebody else. */
function identityOf({ pid, procStart, pidDomain }: PidFile, { here }: Census, machineId: string): ProcessIdentity | undefined {
  const start = startOf(procStart);
  if (!start) return undefined;
  const [domain, machine, pidNamespace] = /^linux:([^:]*):(pid:\[\d+\])?$/.exec(pidDomain ?? "") ?? [];
  // Namespace numbers are the same on every machine: the machine's own id has to fit too, and is empty where there is none.
  const isOtherMachine = domain !== undefined && machine !== machineId;
  if (isOtherMachine) return { pid, start, host: `machine ${machine}`, ...(pidNamespace !== undefined && { pidNamespace }) };
  const space = pidNamespace ?? here.pidNamespace;
  return { pid, start, host: here.host, ...(here.bootId !== undefined && { bootId: here.bootId }), ...(space !== undefined && { pidNamespace: space }) };
}

/** Clock ticks on Linux; what `ps -o lstart=` prints in UTC elsewhere. */
function startOf(procStart: string): ProcessStart | undefined {
  if (/^\d+$/.test(procStart)) return { kind: "ticks", ticks: procStart };
  const atMs = Date.parse(`${procStart} UTC`);
  return Number.isNaN(atMs) ? undefined : { kind: "utc", atMs };
}

function livenessIn(census: Census, process: ProcessIdentity): Evidence<Liveness> {
  const value = livenessOf(process, census);
  const at = census.at;
  if (value === "alive") return { value, seen: `process ${process.pid}`, at };
  if (value === "gone") return { value, seen: `process ${process.pid} is gone`, at };
  const { host, pidNamespace } = census.here;
  if (process.host !== host) return { value, seen: "it runs on another machine", at };
  const isElsewhere = pidNamespace !== undefined && process.pidNamespace !== pidNamespace;
  return { value, seen: isElsewhere ? "it runs in another container" : `process ${process.pid} can't be looked at`, at };
}

/** By Claude Code's own list of what it waits for; `dialog open` is a menu that the person opened. */
function activityOf({ status, waitingFor }: PidFile): { readonly value: Activity; readonly seen: string } {
  switch (status) {
    case "busy":
      return { value: "working", seen: "its own file says busy" };
    case "idle":
      return { value: "idle", seen: "waits for a prompt" };
    case "shell":
      return { value: "idle", seen: "waits for a prompt, a shell runs in the background" };
    case "waiting":
      if (waitingFor === "dialog open") return { value: "idle", seen: "a menu is open" };
      if (waitingFor !== undefined && asksThePerson.has(waitingFor)) return { value: "needsInput", seen: waitingFor };
      return { value: "silent", seen: "it waits, and its file does not say for whom" };
    default:
      return { value: "silent", seen: "its own file has no status" };
  }
}
/** A shell that it runs in the background is work, whoever waits for it. */
function idleSinceOf({ status, statusUpdatedAt, updatedAt }: PidFile): { readonly idleSince?: number } {
  const since = statusUpdatedAt ?? updatedAt;
  return since !== undefined && (status === "idle" || status === "waiting") ? { idleSince: since } : {};
}

const asksThePerson = new Set(["permission prompt", "input needed", "sandbox request", "worker request", "goal proposal"]);

/** `claude -p` calls itself interactive too: only the entry point tells. */
function runsIn({ kind, entrypoint = "cli" }: PidFile): Run["runsIn"] {
  if (kind === "bg" || /^(sdk-|mcp$|claude-code-github-action$)/.test(entrypoint)) return "automation";
  return entrypoint === "claude-vscode" ? "panel" : "terminal";
}

/** It names a session by its folder and two digits until somebody gives it a name; 2.1.197 doesn't say which of the two a name is. */
function isGivenName({ name, nameSource, cwd }: PidFile): boolean {
  if (!name || nameSource === "derived") return false;
  const derived = plain(basename(cwd ?? ""));
  return nameSource !== undefined || !(/-[0-9a-f]{2}$/.test(name) && plain(name.slice(0, -3)) === derived);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
