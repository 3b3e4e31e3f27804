import * as vscode from "vscode";
import type { Handler, Hands } from "./commands.ts";
import type { Lookout } from "./lookout.ts";
import { plain } from "./plainText.ts";
import { viewId } from "./tree.ts";

type PasswordId = "sessionWarden.enterPassword" | "sessionWarden.forgetPassword";

/** Passwords of locked servers: each goes to the one server that it was entered for. */
export function passwordCommands({ face: { lookout, passwords } }: Hands): Readonly<{ [id in PasswordId]: Handler }> {
  const readAgain = async (): Promise<void> => void (await vscode.window.withProgress({ location: { viewId } }, () => lookout.refresh()));

  return {
    "sessionWarden.enterPassword": async ({ clicked }) => {
      const origin =
        placeOf(clicked) ??
        (await pick(
          lockedIn(lookout).map(({ place }) => place),
          "Which server",
          "No server is locked.",
        ));
      if (origin === undefined) return;
      const password = await askPassword(origin);
      if (password === undefined) return;
      await passwords.keep(origin, { user: "opencode", password });
      await readAgain();
      const still = lockedIn(lookout).find(({ place }) => place === origin);
      if (!still) return void vscode.window.setStatusBarMessage(`${plain(origin)} is open.`, 5_000);
      const pressed = await vscode.window.showWarningMessage(`${plain(origin)} ${plain(still.words)}.`, "Enter Password…");
      if (pressed !== undefined) await vscode.commands.executeCommand("sessionWarden.enterPassword", origin);
    },
    "sessionWarden.forgetPassword": async () => {
      const origin = await pick(await passwords.origins(), "Which server's password to forget", "No password is kept.");
      if (origin === undefined) return;
      await passwords.forget(origin);
      await readAgain();
      vscode.window.setStatusBarMessage(`The password of ${plain(origin)} is forgotten.`, 5_000);
    },
  };
}

/** Of a notice's row, or the address itself. */
function placeOf(clicked: unknown): string | undefined {
  if (typeof clicked === "string") return clicked;
  const notice = clicked as { readonly place?: unknown } | undefined;
  return typeof notice?.place === "string" ? notice.place : undefined;
}

function lockedIn({ snapshot: { unreachable } }: Lookout): readonly { readonly place: string; readonly words: string }[] {
  return unreachable.flatMap(({ place, reason, remedy }) => (remedy === "enterPassword" ? [{ place, words: reason }] : []));
}

async function pick(origins: readonly string[], placeHolder: string, none: string): Promise<string | undefined> {
  const [only, ...others] = origins;
  if (only === undefined) void vscode.window.showInformationMessage(none);
  if (only === undefined || others.length === 0) return only;
  return await vscode.window.showQuickPick([...origins], { placeHolder });
}

async function askPassword(origin: string): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    title: `Password of ${plain(origin)}`,
    prompt: "It is kept in the editor's secret storage, and sent to this server only.",
    password: true,
    // It may have to be copied from elsewhere.
    ignoreFocusOut: true,
    validateInput: (value) => (value === "" ? "A password has at least one letter." : undefined),
  });
}
