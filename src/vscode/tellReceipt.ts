import * as vscode from "vscode";
import { answerOf } from "./answer.ts";
import type { Answer, Next, Outcome } from "./answer.ts";

/** Says once what came of it, and offers the one thing to do next. Resolves when a person has answered, so nobody waits for it. */
export async function tellReceipts(outcomes: readonly Outcome[], go: (next: Next) => void): Promise<void> {
  if (outcomes.length === 0) return;
  const answer = answerOf(outcomes);
  const pressed = await show(answer);
  if (pressed !== undefined && answer.next) go(answer.next);
}

async function show({ weight, text, next }: Answer): Promise<string | undefined> {
  const buttons = next ? [next.does] : [];
  switch (weight) {
    case "quiet":
      vscode.window.setStatusBarMessage(text, shownForMs);
      return undefined;
    case "information":
      return await vscode.window.showInformationMessage(text, ...buttons);
    case "warning":
      return await vscode.window.showWarningMessage(text, ...buttons);
    case "error":
      return await vscode.window.showErrorMessage(text, ...buttons);
  }
}
const shownForMs = 5_000;
