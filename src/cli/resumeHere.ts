import { execa } from "execa";
import { commandLineOf } from "../core/commandLine.ts";
import { resume, resumeCommandOf } from "../core/operations/resume.ts";
import { sentenceOfRefusal } from "../core/sentences.ts";
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
  const receipt = await resume(
    session,
    async ({ argv: [file, ...args], cwd, env }) => {
      const child = execa(file, args, { stdio: "inherit", reject: false, ...(cwd !== undefined && { cwd }), ...(env && { env }) });
      agentIsGone = child;
      return child.pid;
    },
    context,
  );
  await agentIsGone;
  if (options.json || receipt.result.kind !== "success") tellReceipt(receipt, session, options);
  return exitCodeOf(receipt);
}
