import * as vscode from "vscode";
import { groupOf, groupSessions, isAutomation, rootsOf } from "../core/groups.ts";
import type { Session } from "../core/session.ts";
import type { Handler, Hands } from "./commands.ts";
import { goTo } from "./goTo.ts";
import { peek } from "./peek.ts";

type GoId = "sessionWarden.open" | "sessionWarden.goTo" | "sessionWarden.peek" | "sessionWarden.nextNeedsYou" | "sessionWarden.openNotice";

export function goCommands({ face, focusedRow, choose }: Hands): Readonly<{ [id in GoId]: Handler }> {
  const { tree, lookout } = face;
  let lastVisited: string | undefined;

  async function goToOnly(sessions: readonly Session[]): Promise<void> {
    const [session] = sessions;
    if (!session) return;
    lastVisited = session.key;
    await goTo(face, session);
  }

  return {
    "sessionWarden.open": async (choice) => {
      if (!focusedRow.wasOpenedByKey()) await goToOnly(await choose({ verb: "go to", fits: () => true }, choice));
    },
    "sessionWarden.goTo": async (choice) => goToOnly(await choose({ verb: "go to", fits: (session) => tree.offered(session).has("goTo") }, choice)),
    "sessionWarden.peek": async (choice) => {
      const [session] = await choose({ verb: "peek at", fits: (session) => tree.offered(session).has("peek") }, choice);
      if (session) await peek(face, session.key);
    },
    "sessionWarden.nextNeedsYou": async () => {
      const waiting = whoNeeds(lookout.snapshot.sessions);
      const next = waiting[(waiting.findIndex(({ key }) => key === lastVisited) + 1) % waiting.length];
      if (!next) return void vscode.window.showInformationMessage("No session needs you.");
      await tree.reveal(next);
      await goToOnly([next]);
    },
    "sessionWarden.openNotice": async ({ clicked }) => {
      const notice = clicked as { readonly place?: unknown; readonly remedy?: unknown } | undefined;
      if (notice?.remedy === "openFile" && typeof notice.place === "string") await vscode.window.showTextDocument(vscode.Uri.file(notice.place));
      else await vscode.commands.executeCommand("workbench.action.openSettings", "sessionWarden");
    },
  };
}

function whoNeeds(sessions: readonly Session[]): readonly Session[] {
  const people = rootsOf(sessions).filter((session) => !isAutomation(session) && groupOf(session.status.value) === "Needs you");
  return groupSessions(people, "status").flatMap(({ sessions }) => sessions);
}
