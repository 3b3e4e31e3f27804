import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { endMarked, findProcess, markName } from "../../scripts/ownProcesses.ts";
import type { ProcessStarted } from "../../scripts/ownProcesses.ts";
import { makePrivatePlace } from "../../scripts/privatePlace.ts";
import { makeStandInPrograms } from "./standIns/standIns.ts";
import type { StandInAgent, StandInOptions, StandInPrograms } from "./standIns/standIns.ts";
import { until } from "../real/support/until.ts";

/** A machine within this one: a HOME, a tmux server and stand-in agents of its own, and the command line to look at them with. */
export interface Stage extends AsyncDisposable {
  readonly folder: string;
  readonly home: string;
  readonly work: string;
  readonly stateFolder: string;
  readonly socket: string;
  readonly env: Readonly<Record<string, string>>;
  readonly programs: StandInPrograms;
  tmux(...args: readonly string[]): string;
  /** In a pane that is made for it. Resolves when the list shows it. */
  startInPane(name: string, agent: StandInAgent, options?: StandInOptions & { readonly cwd?: string }): Promise<Listed>;
  /** Typed into a shell that a person has open. */
  startInShell(name: string, agent: StandInAgent, options?: StandInOptions): Promise<Listed>;
  /** Without any tmux. */
  startPlain(agent: StandInAgent, options?: StandInOptions): Promise<Listed & { readonly started: ProcessStarted }>;
  warden(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Answer>;
  list(): Promise<readonly Listed[]>;
}

/** A session as `list --json` tells it. */
export interface Listed {
  readonly key: string;
  readonly title: string;
  readonly agent: string;
  readonly status: string;
  readonly group: string;
  readonly why: string;
  readonly cwd: string;
  readonly conversation_id: string | null;
  readonly resumable: boolean | null;
  readonly runs_in: string | null;
  readonly pid: number | null;
  readonly tmux: { readonly session: string; readonly pane: string } | null;
  readonly pending: string | null;
  readonly records: readonly { readonly key: string; readonly says: string }[];
}

export interface Answer {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The receipt, or whatever `--json` printed. */
  json(): ReceiptOf;
}

/** The keys of a receipt that tests look at. */
export interface ReceiptOf {
  readonly status: string;
  readonly reason: string | null;
  readonly message: string;
  readonly session_id: string;
  readonly termination_method: string;
  readonly verification_result: string;
  readonly captured_id: string | null;
  readonly captured_by: string | null;
  readonly survivors: readonly { readonly name: string; readonly pid: number }[];
  readonly records: readonly { readonly record: string; readonly change: string; readonly outcome: string }[];
  readonly steps: readonly { readonly step: string; readonly did: string; readonly verified: boolean | null; readonly seen: string | null }[];
  readonly warnings: readonly string[];
  readonly cleanup_duration_seconds: number;
  readonly sessions: readonly Listed[];
}

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export async function openStage(): Promise<Stage> {
  const place = makePrivatePlace();
  const programs = makeStandInPrograms(join(place.folder, "programs"));
  const mark = `stage ${place.folder}`;
  const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", TERM: "xterm-256color", LANG: "C.UTF-8", SHELL: "/bin/sh", [markName]: mark };
  for (const [name, value] of Object.entries(place.env)) if (value !== undefined) env[name] = value;
  env["PATH"] = `${programs.bin}:${env["PATH"]}`;
  const tmuxFolder = join(env["TMUX_TMPDIR"] ?? place.folder, `tmux-${process.getuid?.() ?? 0}`);
  mkdirSync(tmuxFolder, { recursive: true, mode: 0o700 });
  const socket = join(tmuxFolder, "default");
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { env, encoding: "utf8", timeout: 10_000 });
  tmux("start-server", ";", "set-option", "-s", "exit-empty", "off");

  const stage: Stage = {
    folder: place.folder,
    home: place.home,
    work: place.workspace,
    stateFolder: join(env["XDG_STATE_HOME"] ?? "", "session-warden"),
    socket,
    env,
    programs,
    tmux,
    async startInPane(name, agent, options = {}) {
      endSession(name);
      const standIn = programs.start(agent, options);
      const variables = Object.entries(standIn.env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
      const pane = tmux(
        "new-session",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        "-s",
        name,
        "-c",
        options.cwd ?? place.workspace,
        ...variables,
        "--",
        ...standIn.argv,
      ).trim();
      return shownInPane(pane);
    },
    async startInShell(name, agent, options = {}) {
      endSession(name);
      const standIn = programs.start(agent, options);
      const variables = Object.entries(standIn.env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
      const pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, "-c", place.workspace, ...variables).trim();
      tmux("send-keys", "-t", pane, "-l", "--", standIn.argv.map((word) => `'${word}'`).join(" "));
      tmux("send-keys", "-t", pane, "Enter");
      return shownInPane(pane);
    },
    async startPlain(agent, options = {}) {
      const standIn = programs.start(agent, options);
      const [file, ...args] = standIn.argv;
      const { pid } = spawn(file, args, { env: { ...env, ...standIn.env }, cwd: place.workspace, detached: true, stdio: ["pipe", "ignore", "ignore"] });
      const started = findProcess(pid ?? 0);
      if (!started) throw new Error("The stand-in did not start.");
      return { ...(await until(async () => (await stage.list()).find((session) => session.pid === started.pid))), started };
    },
    async warden(args, more = {}) {
      const result = await execa(process.execPath, [cli, ...args], {
        env: { ...env, ...more },
        extendEnv: false,
        cwd: place.workspace,
        reject: false,
        stdin: "ignore",
      });
      const { exitCode, signal, stdout, stderr } = result;
      return { code: exitCode, signal, stdout, stderr, json: () => JSON.parse(stdout) as ReceiptOf };
    },
    async list() {
      const listed = (await stage.warden(["list", "--json"])).json().sessions;
      // Of this stage alone: whatever else runs on the machine is listed too, as it should be.
      return listed.filter(({ cwd }) => cwd?.startsWith(place.folder));
    },
    async [Symbol.asyncDispose]() {
      await endMarked(mark, { graceMs: 200 });
      place[Symbol.dispose]();
    },
  };
  return stage;

  /** A test that is tried again finds what its first try has left. */
  function endSession(name: string): void {
    const id = tmux("list-sessions", "-F", "#{session_id} #{session_name}")
      .split("\n")
      .find((line) => line.slice(line.indexOf(" ") + 1) === name.replaceAll(/[.:]/g, "_"))
      ?.split(" ")[0];
    if (id !== undefined) tmux("kill-session", "-t", id);
  }

  async function shownInPane(pane: string): Promise<Listed> {
    return until(async () => (await stage.list()).find((session) => session.tmux?.pane === pane && session.tmux.session !== "" && session.pid !== null));
  }
}

export { until };
