import * as vscode from "vscode";
import { endOrphan, sessionOfOrphan } from "../core/operations/endOrphan.ts";
import { burdenWords, endingWords, reasonWords } from "../core/orphanSentences.ts";
import type { Orphan } from "../core/orphans.ts";
import type { Handler, Hands } from "./commands.ts";
import { lookingFor } from "./lookingFor.ts";
import { perform } from "./perform.ts";
import { plain } from "./plainText.ts";
import { tellReceipts } from "./tellReceipt.ts";

/** Processes that belong to nobody: shown with what they take and why, and ended one at a time. */
export function orphanCommands({ face }: Hands): Readonly<{ "sessionWarden.findOrphans": Handler }> {
  return {
    "sessionWarden.findOrphans": async () => {
      const finder = face.lookout.warden.orphans;
      const found = await lookingFor("Looking for orphans", async (signal) => finder.measured(await finder.find(signal), signal));
      const orphan = found && (await pick(found));
      if (!orphan) return;
      if (orphan.protection !== undefined) return void vscode.window.showInformationMessage(`${named(orphan)} is protected: ${plain(orphan.protection)}.`);
      const detail = [orphan.why, burdenWords(orphan, Date.now()), "", ...endingWords(orphan)].map((line) => plain(line)).join("\n");
      if ((await vscode.window.showWarningMessage(`End ${named(orphan)}?`, { modal: true, detail }, "End")) !== "End") return;
      const session = sessionOfOrphan(orphan, Date.now());
      const outcomes = await perform(face, [session], { doing: "Ending", act: (_session, context) => endOrphan(orphan, finder, context), isLong: true });
      void tellReceipts(outcomes, () => void vscode.commands.executeCommand("sessionWarden.showJournal"));
    },
  };
}

/** “sleep 600” (4121) */
function named({ what, process }: Orphan): string {
  return `“${plain(what, 60)}” (${process.pid})`;
}

async function pick(orphans: readonly Orphan[]): Promise<Orphan | undefined> {
  if (orphans.length === 0)
    return void vscode.window.showInformationMessage("No orphan was found: nothing that an agent has started runs without a parent or a terminal.");
  const items = [
    ...itemsOf(
      "can be ended",
      orphans.filter(({ protection }) => protection === undefined),
    ),
    ...itemsOf(
      "protected",
      orphans.filter(({ protection }) => protection !== undefined),
    ),
  ];
  const options = { title: "Find Orphans", placeHolder: "Choose one to end it; you are asked first", matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.orphan;
}

/** Those that take the most come first. */
function itemsOf(group: string, orphans: readonly Orphan[]): readonly (vscode.QuickPickItem & { readonly orphan?: Orphan })[] {
  const now = Date.now();
  const items = orphans
    .toSorted((a, b) => (b.usage?.memoryBytes ?? 0) - (a.usage?.memoryBytes ?? 0))
    .map((orphan) => ({
      // What it takes has to be seen beside it.
      label: plain(orphan.session ? `“${orphan.session.title}” ${orphan.what}` : orphan.what, 44),
      description: plain(burdenWords(orphan, now)),
      detail: plain(reasonWords(orphan), 400),
      orphan,
    }));
  return items.length === 0 ? [] : [{ label: group, kind: vscode.QuickPickItemKind.Separator }, ...items];
}
