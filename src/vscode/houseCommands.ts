import * as vscode from "vscode";
import type { Handler, Hands } from "./commands.ts";
import { installCommandLineTool } from "./commandLineTool.ts";

type HouseId = "sessionWarden.doctor" | "sessionWarden.showJournal" | "sessionWarden.showLog" | "sessionWarden.installCommandLineTool";

export function houseCommands({ face: { lookout, log, context, report } }: Hands): Readonly<{ [id in HouseId]: Handler }> {
  return {
    "sessionWarden.doctor": async () => {
      await lookout.refresh();
      await report.show();
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
