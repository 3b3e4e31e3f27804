import { execa } from "execa";
import { commandLineOf } from "../core/commandLine.ts";
import { resume, resumeCommandOf } from "../core/operations/resume.ts";
import { sentenceOfReceipt, sentenceOfRefusal } from "../core/sentences.ts";
import type { Warden } from "../core/warden.ts";
import { exitCodeOf } from "./exitCode.ts";
import type { ExitCode } from "./exitCode.ts";
import { findSession } from "./findSession.ts";
import { plain } from "./listing.ts";

/** Resumes in this terminal, and stays until the agent leaves it; or prints the command. */
export async function resumeHere(warden: Warden, asked: string, onlyPrint: boolean): Promise<ExitCode> {
  const { signal } = new AbortController();
  const { sessions } = await warden.roster.refresh(signal);
  const found = findSession(asked, sessions);
  if (found.kind === "refused") {
    console.error(plain(sentenceOfRefusal(found, undefined)));
    return found.reason === "ambiguous" ? 2 : 1;
  }
  const context = warden.forOperation(signal, () => {});
  if (onlyPrint) {
    const resumable = await resumeCommandOf(found.session, context);
    if (resumable.kind === "refused") {
      console.error(plain(sentenceOfRefusal(resumable, found.session)));
      return 1;
    }
    console.log(commandLineOf(resumable.command));
    return 0;
  }
  let agentIsGone: Promise<unknown> = Promise.resolve();
  const receipt = await resume(
    found.session,
    async ({ argv: [file, ...args], cwd, env }) => {
      agentIsGone = execa(file, args, { stdio: "inherit", reject: false, ...(cwd !== undefined && { cwd }), ...(env && { env }) });
    },
    context,
  );
  await agentIsGone;
  if (receipt.result.kind !== "success") console.error(plain(sentenceOfReceipt(receipt, found.session)));
  return exitCodeOf(receipt);
}
