import * as vscode from "vscode";
import { countByGroup } from "../core/groups.ts";
import type { Lookout } from "./lookout.ts";
import { needsWords, statusTextOf } from "./statusText.ts";
import type { Tree } from "./tree.ts";
import { viewId } from "./tree.ts";
import { onDispose, together } from "./together.ts";

/** The item in the status bar, and the view's badge. A warning's colour only for who needs a person. */
export function createStatusBar(lookout: Lookout, { view }: Tree): Disposable {
  const item = vscode.window.createStatusBarItem("sessionWarden.status", vscode.StatusBarAlignment.Left, 50);
  item.name = "Agent Sessions";
  item.command = `${viewId}.focus`;
  const show = (): void => {
    const status = statusTextOf(lookout.snapshot.sessions);
    const needs = countByGroup(lookout.snapshot.sessions)["Needs you"];
    if (view.badge?.value !== (needs || undefined)) view.badge = needs > 0 ? { value: needs, tooltip: needsWords(needs) } : undefined;
    if (!status) return item.hide();
    item.text = status.text;
    item.tooltip = "Show the agent sessions of this machine";
    item.accessibilityInformation = { label: status.spoken };
    item.backgroundColor = status.isWarning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    item.show();
  };
  const listening = lookout.onDidChange(show);
  show();
  return together(
    onDispose(() => item.dispose()),
    listening,
  );
}
