import type { Command } from "../core/agent.ts";
import { commandLineOf } from "../core/commandLine.ts";
import { resume, resumeCommandOf } from "../core/operations/resume.ts";
import type { Start } from "../core/operations/resume.ts";
import { sentenceOfRefusal } from "../core/sentences.ts";
import { nameInRegistry } from "../core/session.ts";
import type { Warden } from "../core/warden.ts";
import { exitCodeOf } from "./exitCode.ts";
import type { ExitCode } from "./exitCode.ts";
import { findSession } from "./findSession.ts";
import { plain } from "./listing.ts";
import { tellReceipt, tellRefusal } from "./operate.ts";

export interface ResumeOptions {
  /** Only print the command. */
  readonly print?: boolean;
  readonly json?: boolean;
}

/** Resumes in this terminal, and stays until the agent leaves it; or prints the command. */
export async function resumeHere(warden: Warden, asked: string, options: ResumeOptions): Promise<ExitCode> {
  const { signal } = new AbortController();
  const { sessions } = await warden.roster.refresh(signal);
  const found = findSession(asked, sessions);
  if (found.kind === "refused") return tellRefusal(found, "resume", asked, options);
  const { session } = found;
  const context = warden.forOperation(signal, () => {});
  if (options.print) {
    const resumable = await resumeCommandOf(session, context);
    if (resumable.kind === "refused") {
      console.error(plain(sentenceOfRefusal(resumable, session)));
      return 1;
    }
    const { argv, cwd = null, env = {} } = resumable.command;
    console.log(options.json ? JSON.stringify({ argv, cwd, env }, undefined, 2) : commandLineOf(resumable.command));
    return 0;
  }

  let agentIsGone: Promise<unknown> = Promise.resolve();
  const runHere = async ({ argv: [file, ...args], cwd, env }: Command): Promise<number | undefined> => {
    const { execa } = await import("execa");
    const child = execa(file, args, { stdio: "inherit", reject: false, ...(cwd !== undefined && { cwd }), ...(env && { env }) });
    agentIsGone = child;
    return child.pid;
  };
  const name = nameInRegistry(session);
  const start: Start = async (command) => {
    if (name === undefined) return runHere(command);
    // Where the registry and its other programs look for it.
    const started = await warden.places.startInTmux(name, command, signal);
    if (started.kind === "refused") return started;
    // tmux refuses to show itself within itself.
    if (process.stdin.isTTY && !process.env["TMUX"]) await runHere(warden.places.attachCommand(started.pane));
    else if (!options.json) console.log(`It runs in the tmux session ${plain(name)}.`);
    return started.pid;
  };
  const receipt = await resume(session, start, context);
  await agentIsGone;
  if (options.json || receipt.result.kind !== "success") tellReceipt(receipt, session, options);
  return exitCodeOf(receipt);
}
