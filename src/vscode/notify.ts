import * as vscode from "vscode";
import { familiesOf } from "../core/groups.ts";
import { offered } from "../core/lifecycle.ts";
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
    if (still.length > 0) tell(still, lookout);
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

function tell([first, ...others]: readonly Session[], lookout: Lookout): void {
  if (!first) return;
  if (others.length > 0) {
    void vscode.window
      .showInformationMessage(`${others.length + 1} sessions need you.`, "Show")
      .then((pressed) => pressed && vscode.commands.executeCommand(`${viewId}.focus`));
    return;
  }
  const asking = findAsking(first, lookout);
  void vscode.window
    .showInformationMessage(`${plain(nameOf(first), 80)} needs you: ${plain(describe(first, Date.now()))}`, ...(asking ? [allowOrDeny] : []), "Go To")
    .then((pressed) => {
      if (pressed === allowOrDeny) return vscode.commands.executeCommand("sessionWarden.answer", asking?.key);
      return pressed && vscode.commands.executeCommand("sessionWarden.goTo", first.key);
    });
}
const allowOrDeny = "Allow or Deny…";

/** The one that can be answered from here: itself, or one that works for it. */
function findAsking(root: Session, { snapshot, warden }: Lookout): Session | undefined {
  const below = familiesOf(snapshot.sessions).get(root) ?? [];
  return [root, ...below].find((session) => offered(session, warden.can).has("answer"));
}
