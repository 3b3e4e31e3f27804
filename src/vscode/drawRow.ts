import { ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from "vscode";
import type { Node } from "./picture.ts";
import type { Row } from "./treeItems.ts";

/** A row as VS Code draws it. Click and Enter go to the session. */
export function drawRow(row: Row, node: Node): TreeItem {
  const item = new TreeItem(row.label, folds[row.fold]);
  item.id = row.id;
  item.description = row.description;
  item.contextValue = row.contextValue;
  item.tooltip = row.tooltip;
  item.accessibilityInformation = { label: row.spoken };
  if (row.icon) item.iconPath = new ThemeIcon(row.icon.name, row.icon.color === undefined ? undefined : new ThemeColor(row.icon.color));
  if (node.kind === "session") item.command = { command: "sessionWarden.open", title: "Go to", arguments: [node.session.key] };
  return item;
}

const folds = {
  none: TreeItemCollapsibleState.None,
  open: TreeItemCollapsibleState.Expanded,
  closed: TreeItemCollapsibleState.Collapsed,
} as const;
