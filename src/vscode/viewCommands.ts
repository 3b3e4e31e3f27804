import * as vscode from "vscode";
import type { Handler, Hands } from "./commands.ts";
import type { Wish } from "./picture.ts";
import { viewId } from "./tree.ts";

type ViewId = "sessionWarden.refresh" | "sessionWarden.groupByStatus" | "sessionWarden.groupByFolder" | "sessionWarden.filter" | "sessionWarden.showAll";

export function viewCommands({ face: { tree, lookout, context } }: Hands): Readonly<{ [id in ViewId]: Handler }> {
  const groupBy = async (by: Wish["by"]): Promise<void> => {
    tree.show({ ...tree.wish, by });
    await context.workspaceState.update(groupedByKey, by);
  };

  return {
    "sessionWarden.refresh": async () => {
      await vscode.window.withProgress({ location: { viewId } }, () => lookout.refresh());
    },
    "sessionWarden.groupByStatus": () => groupBy("status"),
    "sessionWarden.groupByFolder": () => groupBy("folder"),
    "sessionWarden.filter": async () => {
      const filter = await vscode.window.showInputBox({
        title: "Filter sessions",
        prompt: "Words of a name, agent, folder, status or conversation id. Empty shows all.",
        value: tree.wish.filter,
      });
      if (filter !== undefined) tree.show({ ...tree.wish, filter: filter.trim() });
    },
    "sessionWarden.showAll": () => tree.show({ ...tree.wish, filter: "" }),
  };
}

export const groupedByKey = "groupedBy";
