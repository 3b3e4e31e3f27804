import { commandLineOf } from "../core/commandLine.ts";
import * as vscode from "vscode";
import type { Agent, Command } from "../core/agent.ts";
import type { Session } from "../core/session.ts";
import type { Handler, Hands } from "./commands.ts";

type CopyId = "sessionWarden.copyId" | "sessionWarden.copyResumeCommand";

export function copyCommands({ face, choose }: Hands): Readonly<{ [id in CopyId]: Handler }> {
  return {
    "sessionWarden.copyId": async (choice) => {
      const sessions = await choose({ verb: "copy the id of", fits: ({ conversation }) => conversation !== undefined }, choice);
      await copy(
        sessions.flatMap(({ conversation }) => conversation?.id ?? []),
        "Copied the conversation id",
      );
    },
    "sessionWarden.copyResumeCommand": async (choice) => {
      const sessions = await choose({ verb: "resume", fits: (session) => agentOf(session) !== undefined }, choice);
      const commands = await Promise.all(sessions.map(findCommand));
      await copy(commands.flatMap((command) => command ?? []).map(commandLineOf), "Copied the command");
    },
  };

  function agentOf({ conversation }: Session): Agent | undefined {
    return conversation && face.lookout.warden.can.agents.get(conversation.agent);
  }

  async function findCommand(session: Session): Promise<Command | undefined> {
    return session.conversation && (await agentOf(session)?.resumeCommand(session.conversation, session.cwd));
  }
}

async function copy(lines: readonly string[], said: string): Promise<void> {
  if (lines.length === 0) return;
  await vscode.env.clipboard.writeText(lines.join("\n"));
  vscode.window.setStatusBarMessage(lines.length === 1 ? `${said}.` : `${said}s of ${lines.length} sessions.`, 3_000);
}
