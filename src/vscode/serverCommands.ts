import * as vscode from "vscode";
import { answer } from "../core/operations/answer.ts";
import type { Answer } from "../core/operations/answer.ts";
import { cleanUp } from "../core/operations/cleanUp.ts";
import type { Session } from "../core/session.ts";
import type { Handler, Hands } from "./commands.ts";
import { confirm } from "./confirm.ts";
import { peek } from "./peek.ts";
import { perform } from "./perform.ts";
import { permissionQuestionOf } from "./permission.ts";
import { tellReceipts } from "./tellReceipt.ts";

type ServerId = "sessionWarden.answer" | "sessionWarden.cleanUp";

/** What only a server's sessions can: be answered from here, and be cleaned up. */
export function serverCommands({ face, choose }: Hands): Readonly<{ [id in ServerId]: Handler }> {
  const { tree } = face;
  const goOn = (): void => void vscode.commands.executeCommand("sessionWarden.showJournal");

  return {
    "sessionWarden.answer": async (choice) => {
      const [session] = await choose({ verb: "allow or deny", fits: (one) => tree.offered(one).has("answer") }, choice);
      const word = session && (await ask(session));
      if (!session || !word) return;
      if (word === "show") return await peek(face, session.key);
      // Of the session as it was shown: what it asks for by now, a person has not seen.
      const outcomes = await perform(face, [session], { doing: "Answering", act: (one, context) => answer(one, word, context) });
      void tellReceipts(outcomes, goOn);
    },
    "sessionWarden.cleanUp": async (choice) => {
      const sessions = await choose({ verb: "clean up", fits: (session) => tree.offered(session).has("cleanUp") }, choice);
      if (sessions.length === 0 || !(await confirm("cleanUp", sessions))) return;
      const options = { reason: "manual_stop", reach: "session", force: false, tracking: true, verify: true } as const;
      const outcomes = await perform(face, sessions, { doing: "Cleaning up", act: (one, context) => cleanUp(one, options, context), isLong: true });
      void tellReceipts(outcomes, goOn);
    },
  };
}

/** What is not shown whole is shown whole first, and then asked again by a person. */
async function ask(session: Session): Promise<Answer | "show" | undefined> {
  const question = permissionQuestionOf(session);
  if (!question) return undefined;
  const { message, detail, isWhole } = question;
  const pressed = await vscode.window.showWarningMessage(message, { modal: true, detail }, "Deny", "Allow", ...(isWhole ? [] : ["Show All"]));
  switch (pressed) {
    case "Allow":
      return "allow";
    case "Deny":
      return "deny";
    case "Show All":
      return "show";
    default:
      return undefined;
  }
}
