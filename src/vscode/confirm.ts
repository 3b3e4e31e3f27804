import * as vscode from "vscode";
import type { Session } from "../core/session.ts";
import { questionFor } from "./question.ts";
import type { Ending } from "./question.ts";

/** False where a person had to be asked, and did not agree. */
export async function confirm(operation: Ending, sessions: readonly Session[]): Promise<boolean> {
  const question = questionFor(operation, sessions);
  if (!question) return true;
  const { message, detail, button } = question;
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, button)) === button;
}
