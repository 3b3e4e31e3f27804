import * as vscode from "vscode";
import { signalOf } from "./perform.ts";

/** Looks for something that takes its time, where it can be called off; undefined where it was. */
export function lookingFor<T>(title: string, look: (signal: AbortSignal) => Promise<T>): Thenable<T | undefined> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (_progress, token) => {
    const { signal, release } = signalOf(token);
    try {
      return await look(signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      release();
    }
  });
}
