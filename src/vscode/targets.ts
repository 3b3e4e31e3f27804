import * as vscode from "vscode";
import { groupSessions } from "../core/groups.ts";
import type { Session } from "../core/session.ts";
import { chosenKeys, isKeyPress } from "./chosen.ts";
import type { Face } from "./face.ts";
import type { FocusedRow } from "./focusedRow.ts";
import { plain } from "./plainText.ts";
import { rowOf } from "./treeItems.ts";

/** What a command is for: its verb, as in “nothing to stop”, and which sessions it can be done to. */
export interface Purpose {
  readonly verb: string;
  readonly fits: (session: Session) => boolean;
}

export interface Choice {
  readonly clicked: unknown;
  readonly selected: unknown;
}

/** The clicked row, or the selection it belongs to; the focused row for a key; from the palette a person picks one. Empty where there is nothing to do, which has been said then. */
export async function sessionsFor(face: Face, focusedRow: FocusedRow, { verb, fits }: Purpose, { clicked, selected }: Choice): Promise<readonly Session[]> {
  if (clicked === undefined) return await pick(face, { verb, fits });
  const keys = isKeyPress(clicked) ? await focusedRow.choose() : chosenKeys(clicked, selected);
  if (keys.length === 0) return [];

  const found = keys.flatMap((key) => face.lookout.find(key) ?? []);
  if (found.length === 0) {
    void vscode.window.showInformationMessage("That session is no longer in the list.");
    return [];
  }
  const fitting = found.filter(fits);
  const [first] = found;
  if (fitting.length === 0 && first)
    void vscode.window.showInformationMessage(`There is nothing to ${verb}: “${plain(first.title, 60)}” is ${plain(first.status.seen) || first.status.value}.`);
  return fitting;
}

async function pick({ lookout, tree }: Face, { verb, fits }: Purpose): Promise<readonly Session[]> {
  const fitting = groupSessions(lookout.snapshot.sessions.filter(fits), "status").flatMap(({ sessions }) => sessions);
  if (fitting.length === 0) {
    void vscode.window.showInformationMessage(`There is nothing to ${verb}.`);
    return [];
  }
  const items = fitting.map((session) => {
    const { label, description, icon } = rowOf({ kind: "session", session, nth: 1, below: [] }, (one) => tree.offered(one), Date.now());
    return { label, description, key: session.key, ...(icon && { iconPath: new vscode.ThemeIcon(icon.name) }) };
  });
  const picked = await vscode.window.showQuickPick(items, { placeHolder: `Which session to ${verb}`, matchOnDescription: true });
  const session = picked && lookout.find(picked.key);
  return session ? [session] : [];
}
