import * as vscode from "vscode";
import type { Session } from "../core/session.ts";
import { nameOf } from "../core/sentences.ts";
import { createIncidents } from "./incidents.ts";
import type { Lookout } from "./lookout.ts";
import { plain } from "./plainText.ts";
import { describe } from "./rowWords.ts";
import { viewId } from "./tree.ts";
import { onDispose, together } from "./together.ts";

export interface NotifyOptions {
  readonly lookout: Lookout;
  readonly isWanted: () => boolean;
  /** The person sees the tree: it has said so already. */
  readonly isSeen: () => boolean;
}

/** Says once when an agent begins to wait for a person; several at about the same time in one sentence. */
export function notifyOfNeeds({ lookout, isWanted, isSeen }: NotifyOptions): Disposable {
  const begun = createIncidents();
  let gathered: readonly Session[] = [];
  let soon: NodeJS.Timeout | undefined;
  if (lookout.snapshot.at > 0) begun(lookout.snapshot);

  const say = (): void => {
    soon = undefined;
    const still = gathered.flatMap(({ key }) => lookout.find(key) ?? []).filter(({ status }) => status.value === "needsInput");
    gathered = [];
    if (still.length > 0) tell(still);
  };
  const listening = lookout.onDidChange((snapshot) => {
    const fresh = begun(snapshot);
    if (fresh.length === 0 || !isWanted() || isSeen()) return;
    gathered = [...gathered, ...fresh];
    soon ??= setTimeout(say, gatherMs);
  });
  return together(
    listening,
    onDispose(() => clearTimeout(soon)),
  );
}
const gatherMs = 1_000;

function tell([first, ...others]: readonly Session[]): void {
  if (!first) return;
  if (others.length > 0) {
    void vscode.window
      .showInformationMessage(`${others.length + 1} sessions need you.`, "Show")
      .then((pressed) => pressed && vscode.commands.executeCommand(`${viewId}.focus`));
    return;
  }
  void vscode.window
    .showInformationMessage(`${plain(nameOf(first), 80)} needs you: ${plain(describe(first, Date.now()))}`, "Go To")
    .then((pressed) => pressed && vscode.commands.executeCommand("sessionWarden.goTo", first.key));
}
