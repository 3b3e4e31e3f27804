import * as vscode from "vscode";
import type { Handler, Hands } from "./commands.ts";
import { installCommandLineTool } from "./commandLineTool.ts";
import { showReport } from "./report.ts";

type HouseId = "sessionWarden.doctor" | "sessionWarden.showJournal" | "sessionWarden.showLog" | "sessionWarden.installCommandLineTool";

export function houseCommands({ face }: Hands): Readonly<{ [id in HouseId]: Handler }> {
  const { lookout, log, context } = face;
  return {
    "sessionWarden.doctor": async () => {
      await lookout.refresh();
      await showReport(face);
    },
    "sessionWarden.showJournal": async () => {
      const journal = vscode.Uri.file(lookout.warden.journalFile);
      const isThere = await vscode.workspace.fs.stat(journal).then(
        () => true,
        () => false,
      );
      if (!isThere) return void vscode.window.showInformationMessage("The journal is empty: nothing has been stopped, resumed or changed yet.");
      await vscode.window.showTextDocument(journal);
    },
    "sessionWarden.showLog": () => log.show(),
    "sessionWarden.installCommandLineTool": () => installCommandLineTool(context, lookout.warden.stateFolder),
  };
}
