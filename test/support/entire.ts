import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Census, ProcessEntry } from "../../src/core/census.ts";
import type { SessionRecord } from "../../src/core/facet.ts";
import type { ProcessIdentity } from "../../src/core/process.ts";
import type { Change, RecordOutcome, Source } from "../../src/core/source.ts";
import { openLinuxProcesses } from "../../src/system/linuxProcesses.ts";
import { anAgent } from "./facets.ts";

export const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
export const soon = (): AbortSignal => AbortSignal.timeout(20_000);

/** A git repository with a first commit. */
export function aRepository(path: string): string {
  mkdirSync(path, { recursive: true });
  git(path, "init", "-q", "-b", "main");
  git(path, "commit", "-q", "--allow-empty", "-m", "first");
  return realpathSync(path);
}

/** With nobody's configuration but its own. */
export function git(cwd: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "protocol.file.allow=always"];
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  return execFileSync("git", [...who, ...args], { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export type StateOf = Readonly<Record<string, unknown>>;

/** A state as the program writes it: an open one of Claude Code without an owner, but for what is told. */
export function aState(id: string, over: StateOf = {}): StateOf {
  return {
    session_id: id,
    cli_version: "0.9.2",
    base_commit: "9f2c6b1d0e8a47c35b6f1a2e3d4c5b6a79808f01",
    worktree_path: "/home/dev/app",
    started_at: "2026-09-20T08:14:03.118274921Z",
    phase: "active",
    turn_id: "3d0a2b7c9e41",
    last_interaction_time: "2026-09-20T08:41:55.902113004Z",
    checkpoint_count: 0,
    agent_type: "Claude Code",
    last_prompt: "add a rate limit to the login form",
    ...over,
  };
}

/** Two spaces, a last newline, and three letters escaped. */
export function goText(state: StateOf): string {
  const escaped = JSON.stringify(state, null, 2).replaceAll(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
  return `${escaped}\n`;
}

/** The path of the file. */
export function writeState(repository: string, state: StateOf): string {
  const folder = stateFolderOf(repository);
  mkdirSync(folder, { recursive: true, mode: 0o750 });
  const path = join(folder, `${String(state["session_id"])}.json`);
  writeFileSync(path, goText(state), { mode: 0o600 });
  return path;
}

export function stateFolderOf(repository: string): string {
  return join(repository, ".git", "entire-sessions");
}

export function keyIn(repository: string, id: string): SessionRecord["key"] {
  return `entire:${id}@${createHash("sha256")
    .update(realpathSync(join(repository, ".git")))
    .digest("hex")
    .slice(0, 6)}`;
}

export function readBack(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
}

/** As the program records a process of this machine. */
export function ownerOf({ pid, start }: ProcessIdentity, over: StateOf = {}): StateOf {
  return { pid, start: start.kind === "ticks" ? start.ticks : "", boot, host: hostname(), name: "claude", ...over };
}

/** Claude Code, whose process is whoever `isIt` says. */
export function claudeWho(isIt: (entry: ProcessEntry) => boolean, role: "agent" | "daemon" = "agent"): ReturnType<typeof anAgent> {
  return anAgent({ idPattern: /^[0-9a-z-]+$/, recognise: (entry) => (isIt(entry) ? { role, runsIn: "terminal" } : undefined) });
}

export async function realCensus(): Promise<Census> {
  const table = await openLinuxProcesses();
  return { at: Date.now(), here: table.here, processes: await table.readAll(soon()), panes: [], unreachable: [] };
}

export async function recordsIn(source: Source, census: Census): Promise<readonly SessionRecord[]> {
  return (await source.read(census, soon())).facets.flatMap((facet) => (facet.kind === "record" ? [facet] : []));
}

/** As an operation looks: afresh, at one. */
export async function look(source: Source, key: SessionRecord["key"], repository: string, census: Census): Promise<SessionRecord> {
  const known = (await recordsIn(source, census)).find((record) => record.key === key && record.place === realpathSync(join(repository, ".git")));
  if (!known) throw new Error(`${key} is not listed.`);
  const seen = await source.lookAgain(known, census, soon());
  if (seen.kind !== "seen" || seen.facet.kind !== "record") throw new Error(`${key}: ${seen.kind}`);
  return seen.facet;
}

export const exited: Change = { kind: "exited", conversation: undefined };
export function stoppedNow(): Change {
  return { kind: "stopped", how: "graceful", at: Date.now(), reason: "manual_stop", conversation: undefined, lastScreen: undefined };
}

export async function tell(
  source: Source,
  record: SessionRecord,
  change: Change = exited,
  guard: (fresh: SessionRecord) => boolean = () => true,
): Promise<RecordOutcome> {
  const outcome = await source.record?.(record, change, guard, soon());
  if (!outcome) throw new Error("The source takes no change.");
  return outcome;
}
