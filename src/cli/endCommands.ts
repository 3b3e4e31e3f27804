import type { Command } from "commander";
import type { Step } from "../core/ladder.ts";
import { stop } from "../core/operations/stop.ts";
import { terminate } from "../core/operations/terminate.ts";
import { agentNames } from "../core/sentences.ts";
import type { Warden } from "../core/warden.ts";
import type { ExitCode } from "./exitCode.ts";
import { nameIn } from "./nameIn.ts";
import type { OperateOptions } from "./nameIn.ts";
import { operate } from "./operate.ts";
import { purgeHere } from "./purgeHere.ts";
import type { PurgeFlags } from "./purgeHere.ts";

/** What a command of the command line works with. */
export interface CommandHands {
  readonly warden: () => Promise<Warden>;
  readonly exitWith: (code: ExitCode) => void;
}

/** stop, terminate, purge: what a session ends by, and what deletes its conversation. */
export function addEndCommands(program: Command, { warden, exitWith }: CommandHands): void {
  for (const verb of ["stop", "terminate"] as const) {
    program
      .command(`${verb} [SESSION]`)
      .description(verb === "stop" ? "ask a session to leave, with its conversation id saved first" : "stop, and kill what does not leave")
      .option("--session <NAME>", "the session, as an option")
      .option("--reason <REASON>", "what the records say of it", "manual_stop")
      .option("--yes", "do it without asking again")
      .option("--json", "print the receipt for scripts")
      .option("--tag <TAG>", "a word of yours on the receipt")
      .addOption(program.createOption("--agent <AGENT>", "of several sessions of that name, the one of this agent").choices(Object.keys(agentNames)))
      .addOption(
        program
          .createOption("--reach <REACH>", "how far a kill may go where a server runs the session; what else it can end is named first")
          .choices(["session", "directory", "server"])
          .default("session")
          .hideHelp(verb === "stop"),
      )
      .addOption(program.createOption("--purge-conversation", "delete its conversation afterwards, as purge does"))
      .addOption(program.createOption("--force", "the same as terminate").hideHelp(verb === "terminate"))
      .action(async (asked: string | undefined, options: OperateOptions) => {
        const operation = verb === "terminate" || options.force ? "terminate" : "stop";
        if (options.purgeConversation) {
          const endBy: readonly Step[] = operation === "terminate" ? ["ask", "hangUp", "kill"] : ["ask", "hangUp"];
          return exitWith(await purgeHere(await warden(), nameIn(asked, options), { ...options, endBy }));
        }
        const act = operation === "terminate" ? terminate : stop;
        const code = await operate(await warden(), operation, nameIn(asked, options), options, (session, context, named) =>
          act(session, { reason: options.reason ?? "manual_stop", reach: options.reach ?? "session", ...(named && { named }) }, context),
        );
        exitWith(code);
      });
  }

  program
    .command("purge [SESSION]")
    .description("delete the conversation of a session that has ended, prove that it is gone, and say what is left")
    .option("--session <NAME>", "the session, as an option")
    .option("--dry-run", "only show the plan: every place, its size, and why it belongs")
    .option("--yes", "delete it; without, the plan is shown")
    .option("--json", "print the plan or the receipt for scripts")
    .option("--tag <TAG>", "a word of yours on the receipt")
    .addOption(program.createOption("--agent <AGENT>", "of several sessions of that name, the one of this agent").choices(Object.keys(agentNames)))
    .action(async (asked: string | undefined, options: OperateOptions & PurgeFlags) => {
      exitWith(await purgeHere(await warden(), nameIn(asked, options), options));
    });
}
