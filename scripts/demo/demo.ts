import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import type { StandIn } from "../../test/support/standIns/standIns.ts";
import { makeStandInPrograms } from "../../test/support/standIns/standIns.ts";
import type { ProcessStarted } from "../ownProcesses.ts";
import { findProcess, kill } from "../ownProcesses.ts";
import type { PrivatePlace } from "../privatePlace.ts";
import type { DemoSession } from "./sessions.ts";
import { demoSessions } from "./sessions.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Demo {
  /** For whatever shows the demo: its HOME, tmux and state, and the stand-ins on PATH. */
  readonly env: Environment;
  of(subject: string): RunningSession;
  /** Kills those that are to die, as soon as our book has them; resolves then, or when told to give up. */
  letDie(signal: AbortSignal): Promise<void>;
}

export interface RunningSession {
  readonly id: string;
  readonly process: ProcessStarted;
  /** The signals and keys that have reached it so far. */
  reached(): readonly Reached[];
}

export interface Reached {
  readonly pid: number;
  readonly ready?: string;
  readonly signal?: string;
  readonly key?: string;
  readonly approved?: true;
}

/** Starts the demo's sessions. All of their processes carry the environment that is given, which is how they are found again to be ended. */
export async function startDemo(place: PrivatePlace, env: Environment, sessions: readonly DemoSession[] = demoSessions): Promise<Demo> {
  const programs = makeStandInPrograms(join(place.folder, "programs"));
  const whole = { ...env, PATH: [programs.bin, process.env["PATH"]].join(delimiter) };
  const running = new Map<string, RunningSession>();
  for (const session of sessions) {
    const cwd = join(place.workspace, session.project);
    mkdirSync(cwd, { recursive: true });
    const log = join(place.folder, `reached ${session.subject}.jsonl`);
    const { agent, mode, subject } = session;
    await start(programs.start(agent, { mode, subject, log }), session, cwd, whole);
    running.set(subject, await whenReady(log, subject));
  }
  const of: Demo["of"] = (subject) => {
    const found = running.get(subject);
    if (!found) throw new Error(`The demo has no session ${subject}.`);
    return found;
  };
  const letDie: Demo["letDie"] = async (signal) => {
    for (const { subject } of sessions.filter(({ dies }) => dies)) {
      while (!isInOurBook(place, of(subject).id) && !signal.aborted) await delay(200);
      if (!signal.aborted) kill(of(subject).process);
    }
  };
  return { env: whole, of, letDie };
}

async function start({ argv, env: own }: StandIn, session: DemoSession, cwd: string, env: Environment): Promise<void> {
  if (session.in === "pseudoTerminal") {
    // It lives until it is ended with all the rest.
    void execa("python3", [join(import.meta.dirname, "pseudoTerminal.py"), ...argv], {
      cwd,
      env: { ...env, ...own },
      stdio: "ignore",
      reject: false,
      detached: true,
    });
    return;
  }
  const variables = Object.entries(own).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  await execa("tmux", ["-u", "-f", "/dev/null", "new-session", "-d", "-s", session.in.tmux, "-c", cwd, ...variables, "--", ...argv], { env });
}

async function whenReady(log: string, subject: string): Promise<RunningSession> {
  const reached = (): readonly Reached[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Reached)
      : [];
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline) {
    const ready = reached().find(({ ready }) => ready !== undefined);
    const started = ready && findProcess(ready.pid);
    if (ready?.ready !== undefined && started) return { id: ready.ready, process: started, reached };
    await delay(30);
  }
  throw new Error(`The session ${subject} did not start within 15 s.`);
}

function isInOurBook({ home }: PrivatePlace, id: string): boolean {
  const ledger = join(home, ".local/state/session-warden/ledger.jsonl");
  return existsSync(ledger) && readFileSync(ledger, "utf8").includes(id);
}
