import * as vscode from "vscode";

export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(vscode.window.createTreeView("sessionWarden.sessions", { treeDataProvider: { getChildren: () => [], getTreeItem: () => new vscode.TreeItem("") } }));
}
