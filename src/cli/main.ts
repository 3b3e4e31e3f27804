import { Command, CommanderError, InvalidArgumentError } from "commander";
import { version } from "../../package.json";
import { compose, isInRepository, secretsOfEnvironment } from "../compose.ts";
import { captureId } from "../core/operations/captureId.ts";
import { finalize } from "../core/operations/finalize.ts";
import type { Warden } from "../core/warden.ts";
import { tellReport, tellSelfTest } from "./doctorReport.ts";
import { cleanUpById } from "./cleanUpById.ts";
import type { CleanUpFlags } from "./cleanUpById.ts";
import { readSettings } from "./cliSettings.ts";
import type { Flags } from "./cliSettings.ts";
import type { ExitCode } from "./exitCode.ts";
import { addEndCommands } from "./endCommands.ts";
import { finalizeExited } from "./finalizeExited.ts";
import { lookTwice } from "./lookTwice.ts";
import { listingOf } from "./listing.ts";
import { nameIn } from "./nameIn.ts";
import type { OperateOptions } from "./nameIn.ts";
import { operate } from "./operate.ts";
import { addOrphanCommand } from "./orphansHere.ts";
import { addReclaimCommand } from "./reclaimHere.ts";
import { resumeHere } from "./resumeHere.ts";
import type { ResumeOptions } from "./resumeHere.ts";
import { sessionJson } from "./sessionJson.ts";

/** The command line: the same core as the editor's, and a thin face. Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = new Command("session-warden")
    .description("Every coding-agent session on this machine: who needs you, and how to end it well.")
    .version(version)
    .exitOverride()
    .option("--tmux-socket <PATH>", "a tmux server to look at beside those that are found (may be repeated)", collect)
    .option("--tmux-program <PROGRAM>", "the tmux program: a name on PATH, or a path")
    .option("--registry <FILE>", "the multi-agent-mux registry, a YAML file (default: $AGENT_SESSIONS_YAML, else the editor's setting)")
    .option("--config-home <FOLDER>", "an agent's config home to look at beside the usual ones (may be repeated)", collect)
    .option("--server-url <URL>", "an OpenCode server to ask beside those that are found; $OPENCODE_SERVER_PASSWORD is for this one alone");
  const warden = async (more: Flags = {}): Promise<Warden> => {
    const flags: Flags = { ...program.opts(), ...more };
    if (flags.serverUrl !== undefined && !URL.canParse(flags.serverUrl)) {
      console.error(`${flags.serverUrl} is no address of a server, like http://127.0.0.1:4096. Nothing was done.`);
      throw new InvalidArgumentError("no address");
    }
    return compose(await readSettings(flags), secretsOfEnvironment(flags.serverUrl), [flags.repo ?? process.cwd()]);
  };

  program
    .command("list")
    .description("list every session by status")
    .option("--json", "for scripts")
    .action(async ({ json }: { json?: boolean }) => {
      const { roster } = await warden();
      const snapshot = await lookTwice(roster);
      const { sessions, unreachable, notices } = snapshot;
      console.log(json ? JSON.stringify({ sessions: sessions.map(sessionJson), unreachable, notices }, undefined, 2) : listingOf(snapshot));
    });

  const hands = { warden, exitWith: (exit: ExitCode) => void (code = exit) };
  addEndCommands(program, hands);
  addOrphanCommand(program, hands);
  addReclaimCommand(program, hands);

  program
    .command("capture-id [SESSION]")
    .description("save the conversation id of a session")
    .option("--session <NAME>", "the session, as an option")
    .option("--json", "print the receipt for scripts")
    .action(async (asked: string | undefined, options: OperateOptions) => {
      code = await operate(await warden(), "captureId", nameIn(asked, options), options, captureId);
    });

  program
    .command("finalize [SESSION]")
    .description("close the records of a session whose agent has exited; without a session, of all that Entire tracks in this repository")
    .option("--session <NAME>", "the session, as an option")
    .option("--repo <FOLDER>", "the repository (default: that of the current folder)")
    .option("--dry-run", "only say which")
    .option("--json", "print the receipts for scripts")
    .action(async (asked: string | undefined, { repo, dryRun, ...options }: OperateOptions & Flags & { readonly dryRun?: boolean }) => {
      const isSweep = asked === undefined && options.session === undefined;
      if (!isSweep && dryRun) {
        console.error("--dry-run is for all that have exited. `session-warden list` shows what there is of one.");
        throw new InvalidArgumentError("a dry run of one session");
      }
      const more = repo === undefined ? {} : { repo };
      if (!isSweep) code = await operate(await warden(more), "finalize", nameIn(asked, options), options, finalize);
      else if (repo !== undefined && !(await isInRepository(repo))) {
        console.error(`${repo} is in no repository that git knows. Nothing was done.`);
        throw new InvalidArgumentError("no repository");
      } else code = await finalizeExited(await warden({ ...more, isAlone: true }), { dryRun: dryRun ?? false, json: options.json ?? false });
    });

  program
    .command("cleanup <ID>")
    .description("end an OpenCode session, delete it on its server, prove it, and take it off the tracking files")
    .option("--force", "kill what does not end when asked, and clean the tracking files whatever came of it")
    .option("--no-cleanup-tracking", "leave the tracking files alone")
    .option("--no-verify", "do not look first whether it exists")
    .option("--server-url <URL>", "its OpenCode server, beside those that are found")
    .option("--tag <TAG>", "a word that its title has in brackets; on the receipt too")
    .option("--tracking-env <FILE>", "the list of NAME=ID lines")
    .option("--tracking-details <FILE>", "the list as JSON")
    .option("--json", "print the receipt for scripts")
    .action(async (id: string, { serverUrl, trackingEnv, trackingDetails, ...flags }: CleanUpFlags & Flags) => {
      const more = {
        ...(serverUrl !== undefined && { serverUrl }),
        ...(trackingEnv !== undefined && { trackingEnv }),
        ...(trackingDetails !== undefined && { trackingDetails }),
      };
      code = await cleanUpById(await warden(more), id, flags);
    });

  program
    .command("resume [SESSION]")
    .description("take a conversation up again, in this terminal")
    .option("--session <NAME>", "the session, as an option")
    .option("--print", "only print the command")
    .option("--json", "print the receipt (with --print: the command) for scripts")
    .action(async (asked: string | undefined, options: OperateOptions & ResumeOptions) => {
      code = await resumeHere(await warden(), nameIn(asked, options), options);
    });

  program
    .command("doctor")
    .description("what is not as it should be, by what that is known, and what would mend it; changes nothing")
    .option("--self-test", "instead, start and end stand-ins of its own, and say whether this machine's processes are read right")
    .option("--json", "for scripts")
    .action(async ({ json = false, selfTest: isSelfTest }: { json?: boolean; selfTest?: boolean }) => {
      code = isSelfTest ? await tellSelfTest(await readSettings(program.opts()), json) : await tellReport(await warden(), json);
    });

  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
