import * as vscode from "vscode";
import pLimit from "p-limit";
import type { OperationContext, OperationEvent } from "../core/operations/operation.ts";
import type { Receipt } from "../core/receipt.ts";
import type { Session } from "../core/session.ts";
import type { Outcome } from "./answer.ts";
import type { Face } from "./face.ts";
import { receiptLines } from "./log.ts";
import { plain } from "./plainText.ts";
import { viewId } from "./tree.ts";

export interface Deed {
  /** "Stopping", for the progress. */
  readonly doing: string;
  readonly act: (session: Session, context: OperationContext) => Promise<Receipt>;
  /** Shown where it can be called off. */
  readonly isLong?: boolean;
}

/** Runs one operation on each of the sessions, shows what is going on, and reads the list again. Each has its own receipt. */
export async function perform({ lookout, tree, log }: Face, sessions: readonly Session[], { doing, act, isLong = false }: Deed): Promise<readonly Outcome[]> {
  const [only, ...others] = sessions;
  if (!only) return [];
  const begunAt = Date.now();
  const title = others.length === 0 ? `${doing} “${plain(only.title, 60)}”` : `${doing} ${sessions.length} sessions`;
  const isWide = isLong || others.length > 0;
  const location = isWide ? vscode.ProgressLocation.Notification : { viewId };

  const outcomes = await vscode.window.withProgress({ location, title, cancellable: isWide }, async (progress, token) => {
    const { signal, release } = signalOf(token);
    const tell = (event: OperationEvent): void => {
      const message = progressWords(event);
      if (message !== undefined) progress.report({ message });
    };
    try {
      const limit = pLimit(atOnce);
      return await Promise.all(
        sessions.map((session) => limit(async (): Promise<Outcome> => ({ session, receipt: await act(session, lookout.warden.forOperation(signal, tell)) }))),
      );
    } finally {
      release();
      await lookout.refresh();
      tree.showDeed(begunAt);
    }
  });
  for (const { receipt } of outcomes) for (const line of receiptLines(receipt)) log.info(line);
  return outcomes;
}
const atOnce = 4;

export function signalOf(token: vscode.CancellationToken): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const listening = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, release: () => listening.dispose() };
}

function progressWords(event: OperationEvent): string | undefined {
  switch (event.kind) {
    case "taking":
      return plain(event.does);
    case "begun":
    case "step":
    case "recorded":
    case "done":
      return undefined;
  }
}
