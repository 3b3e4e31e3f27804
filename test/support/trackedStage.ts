import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { marked } from "../../scripts/ownProcesses.ts";
import { until } from "../real/support/until.ts";
import { startChild } from "./children.ts";
import type { Child } from "./children.ts";
import { aRepository, aState, ownerOf, stateFolderOf, writeState } from "./entire.ts";
import type { StateOf } from "./entire.ts";
import { python } from "./python.ts";
import { openStage } from "./stage.ts";
import type { Answer, Listed, ReceiptOf, Stage } from "./stage.ts";

/** A machine whose workspace is a repository that Entire tracks, with a program `entire` on PATH that does no more than note how it was called. */
export interface TrackedStage extends Stage {
  readonly app: string;
  /** A state of the workspace's, and the path of its file. */
  put(id: string, over?: StateOf): string;
  /** `list --json` whole, notices too. */
  listAll(...args: readonly string[]): Promise<Told>;
  /** "id status" of each session that Entire tracks, by id. */
  statuses(): Promise<readonly string[]>;
  /** The other program, which has the lock of a session and keeps it, or waits for an owner to go on with. */
  peer(how: "hold" | "revive", id: string): Promise<Child>;
  /** Resolves when a process of the stage has this session's lock file open. */
  untilWaitsFor(id: string): Promise<void>;
  /** What the program was called with, a line each. */
  calls(): readonly string[];
}

export interface Told {
  readonly sessions: readonly Listed[];
  readonly unreachable: readonly { readonly place: string; readonly reason: string }[];
  readonly notices: readonly { readonly place: string; readonly sentence: string }[];
}

export async function openTrackedStage(): Promise<TrackedStage> {
  const stage = await openStage();
  const app = aRepository(stage.work);
  const log = join(stage.folder, "entire calls");
  writeFileSync(join(stage.programs.bin, "entire"), `#!/bin/sh\nprintf '%s\\n' "$*" >>'${log}'\n`, { mode: 0o755 });
  const listAll = async (...args: readonly string[]): Promise<Told> => JSON.parse((await stage.warden([...args, "list", "--json"])).stdout) as Told;

  return {
    ...stage,
    app,
    put: (id, over = {}) => writeState(app, aState(id, { worktree_path: app, last_prompt: `prompt of ${id}`, ...over })),
    listAll,
    statuses: async () => {
      const { sessions } = await listAll();
      return sessions.flatMap(({ records, status }) => records.flatMap(({ key }) => (key.startsWith("entire:") ? [`${idIn(key)} ${status}`] : []))).sort();
    },
    async peer(how, id) {
      const script = fileURLToPath(new URL("../unit/sources/entire/statePeer.py", import.meta.url));
      const child = await startChild([python, script, how, join(app, ".git"), id, ""]);
      await until(() => child.said().includes("held"));
      return child;
    },
    async untilWaitsFor(id) {
      const { ino } = statSync(join(app, ".git/entire-session-locks", `${id}.lock`));
      await until(() => marked(stage.env["SESSION_WARDEN_STARTED_FOR"] ?? "").some(({ pid }) => hasOpen(pid, ino)));
    },
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : []),
  };
}

/** An owner that was a process of this machine a moment ago. */
export async function anExitedOwner(): Promise<StateOf> {
  const child = await startChild(["sleep", "600"]);
  const owner = ownerOf(child.identity);
  child.process.kill("SIGKILL");
  await child.ended;
  return owner;
}

/** Of a session's key: "entire:ID@mark". */
export function idIn(key: string): string {
  return key.slice(key.indexOf(":") + 1, key.lastIndexOf("@"));
}

export function receiptsIn({ stdout }: Answer): readonly ReceiptOf[] {
  return JSON.parse(stdout) as readonly ReceiptOf[];
}

/** All that lies in a folder, with its mode, its time and its bytes. */
export function contentOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const { mode, mtimeMs } = lstatSync(path);
      const bytes = statSync(path).isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
      return [name, mode.toString(8), mtimeMs, bytes].join(" ");
    });
}

/** Each state file's bytes, by the session's id. */
export function statesIn(app: string): Readonly<Record<string, string>> {
  const folder = stateFolderOf(app);
  return Object.fromEntries(readdirSync(folder).map((name) => [name.replace(/\.json$/, ""), readFileSync(join(folder, name), "utf8")]));
}

function hasOpen(pid: number, ino: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false })?.ino === ino);
  } catch {
    // It ended as we looked.
    return false;
  }
}
