import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
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

export interface Demo {
  /** For whatever shows the demo: its HOME, tmux and state, and the stand-ins on PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Kills those that are to die, as soon as our book has them; resolves then, or when told to give up. */
  letDie(signal: AbortSignal): Promise<void>;
}

/** Starts the demo's sessions. All of their processes carry the environment that is given, which is how they are found again to be ended. */
export async function startDemo(
  place: PrivatePlace,
  env: Readonly<Record<string, string | undefined>>,
  sessions: readonly DemoSession[] = demoSessions,
): Promise<Demo> {
  const programs = makeStandInPrograms(join(place.folder, "programs"));
  const whole = { ...env, PATH: [programs.bin, process.env["PATH"]].join(delimiter) };
  for (const session of sessions) {
    const cwd = join(place.workspace, session.project);
    mkdirSync(cwd, { recursive: true });
    const { agent, mode, subject } = session;
    await start(programs.start(agent, { mode, subject }), session, cwd, whole);
  }
  const claudes = sessions.filter(({ agent }) => agent === "claude").length;
  await until(() => living(place).length === claudes);
  return { env: whole, letDie: (signal) => letDie(place, sessions, signal) };
}

async function start({ argv, env: own }: StandIn, session: DemoSession, cwd: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
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

async function letDie(place: PrivatePlace, sessions: readonly DemoSession[], signal: AbortSignal): Promise<void> {
  const doomed = new Set(sessions.filter(({ dies }) => dies).map(({ subject }) => subject));
  for (const { id, started } of living(place).filter(({ name }) => doomed.has(name))) {
    while (!isInOurBook(place, id) && !signal.aborted) await delay(200);
    if (!signal.aborted) kill(started);
  }
}

interface Living {
  readonly id: string;
  readonly name: string;
  readonly started: ProcessStarted;
}

/** From Claude Code's own files on what lives. */
function living({ home }: PrivatePlace): readonly Living[] {
  const folder = join(home, ".claude/sessions");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^\d+\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as { pid: number; sessionId: string; name: string })
    .flatMap(({ pid, sessionId, name }) => {
      const started = findProcess(pid);
      return started ? [{ id: sessionId, name, started }] : [];
    });
}

function isInOurBook({ home }: PrivatePlace, id: string): boolean {
  const ledger = join(home, ".local/state/session-warden/ledger.jsonl");
  return existsSync(ledger) && readFileSync(ledger, "utf8").includes(id);
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error("The demo's sessions did not start within 15 s.");
    await delay(50);
  }
}
