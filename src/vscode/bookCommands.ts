import * as vscode from "vscode";
import { captureId } from "../core/operations/captureId.ts";
import { change, restore } from "../core/operations/change.ts";
import { track } from "../core/operations/track.ts";
import type { Operation } from "../core/lifecycle.ts";
import { nameOf } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import type { Next } from "./answer.ts";
import type { Handler, Hands } from "./commands.ts";
import { confirm } from "./confirm.ts";
import { perform } from "./perform.ts";
import type { Deed } from "./perform.ts";
import { plain } from "./plainText.ts";
import type { Choice } from "./targets.ts";
import { tellReceipts } from "./tellReceipt.ts";

type BookId =
  | "sessionWarden.rename"
  | "sessionWarden.archive"
  | "sessionWarden.unarchive"
  | "sessionWarden.forget"
  | "sessionWarden.captureId"
  | "sessionWarden.track";

/** What only the books are told: names, and what is put away. */
export function bookCommands({ face, choose }: Hands): Readonly<{ [id in BookId]: Handler }> {
  const chooseFor = (operation: Operation, verb: string, choice: Choice): Promise<readonly Session[]> =>
    choose({ verb, fits: (session) => face.tree.offered(session).has(operation) }, choice);
  const run = async (sessions: readonly Session[], deed: Deed): Promise<void> => void tellReceipts(await perform(face, sessions, deed), goOn);
  const goOn = ({ does, sessions }: Next): void =>
    does === "Undo" ? void run(sessions, { doing: "Restoring", act: restore }) : void vscode.commands.executeCommand("sessionWarden.showJournal");

  return {
    "sessionWarden.rename": async (choice) => {
      const [session] = await chooseFor("rename", "rename", choice);
      const to = session && (await askName(session));
      if (session && to) await run([session], { doing: "Renaming", act: (one, context) => change(one, { kind: "renamed", to }, context) });
    },
    "sessionWarden.archive": async (choice) =>
      run(await chooseFor("archive", "archive", choice), { doing: "Archiving", act: (one, context) => change(one, { kind: "archived" }, context) }),
    "sessionWarden.unarchive": async (choice) =>
      run(await chooseFor("unarchive", "unarchive", choice), { doing: "Unarchiving", act: (one, context) => change(one, { kind: "unarchived" }, context) }),
    "sessionWarden.forget": async (choice) => {
      const sessions = await chooseFor("forget", "forget", choice);
      if (sessions.length > 0 && (await confirm("forget", sessions)))
        await run(sessions, { doing: "Forgetting", act: (one, context) => change(one, { kind: "forgotten" }, context) });
    },
    "sessionWarden.track": async (choice) => run(await chooseFor("track", "track", choice), { doing: "Tracking", act: track }),
    "sessionWarden.captureId": async (choice) =>
      run(await chooseFor("captureId", "save the conversation id of", choice), { doing: "Saving the conversation id of", act: captureId }),
  };
}

async function askName(session: Session): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: `Rename ${plain(nameOf(session), 60)}`,
    value: session.title,
    prompt: "What the list calls it; the agent does not see it.",
    validateInput: (value) => (value.trim() === "" ? "A name has at least one letter." : undefined),
  });
  return name?.trim();
}
