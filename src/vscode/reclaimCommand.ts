import * as vscode from "vscode";
import { planReclaim, reclaim, reclaimableWords, reclaimWords } from "../core/operations/reclaim.ts";
import type { ReclaimReceipt } from "../core/operations/reclaim.ts";
import { hoursWords, offerWords } from "../core/reclaim.ts";
import type { Reclaimable } from "../core/reclaim.ts";
import { nameOf } from "../core/sentences.ts";
import type { Handler, Hands } from "./commands.ts";
import type { Face } from "./face.ts";
import { receiptLines } from "./log.ts";
import { lookingFor } from "./lookingFor.ts";
import { plain } from "./plainText.ts";

const idleMs = 4 * 3_600_000;

/** Stops the agents that nobody has needed for hours: one preview, one summary. */
export function reclaimCommand({ face }: Hands): Readonly<{ "sessionWarden.reclaim": Handler }> {
  return {
    "sessionWarden.reclaim": async () => {
      const { lookout } = face;
      const { orphans: scales } = lookout.warden;
      const found = await lookingFor("Looking for idle agents", async (signal) => {
        await lookout.refresh();
        return planReclaim(lookout.snapshot.sessions, idleMs, scales, { now: Date.now, signal });
      });
      if (!found) return;
      if (found.length === 0)
        return void vscode.window.showInformationMessage(`No open agent is known to be idle for over ${hoursWords(idleMs)}, and to be resumable.`);
      // Here each process is named, and a person leaves out what is to stay.
      const picked = await vscode.window.showQuickPick(found.map(itemOf), {
        title: offerWords(found, idleMs),
        placeHolder: "What is chosen here is stopped, and can be resumed",
        canPickMany: true,
        matchOnDescription: true,
      });
      if (picked && picked.length > 0)
        await stopThem(
          face,
          picked.map(({ agent }) => agent),
        );
    },
  };
}

function itemOf(agent: Reclaimable): vscode.QuickPickItem & { readonly agent: Reclaimable } {
  const { session } = agent;
  const description = [reclaimableWords(agent, Date.now()), session.cwd].filter((words) => words !== undefined).join(" · ");
  return { label: plain(nameOf(session), 80), description: plain(description), picked: true, agent };
}

async function stopThem({ lookout, tree, log }: Face, chosen: readonly Reclaimable[]): Promise<void> {
  const begunAt = Date.now();
  const title = chosen.length === 1 ? "Stopping 1 idle agent" : `Stopping ${chosen.length} idle agents`;
  const receipt = await lookingFor(title, (signal) =>
    reclaim(
      chosen,
      idleMs,
      lookout.warden.orphans,
      lookout.warden.forOperation(signal, () => undefined),
    ),
  );
  await lookout.refresh();
  tree.showDeed(begunAt);
  if (!receipt) return;
  for (const line of receipt.lines) for (const words of receiptLines(line.receipt)) log.info(words);
  void tell(receipt);
}

async function tell(receipt: ReclaimReceipt): Promise<void> {
  const text = plain(reclaimWords(receipt).join(" "), 1_000);
  const isWell = receipt.notReached.length === 0 && receipt.lines.every(({ outcome }) => outcome === "stopped");
  const show = isWell ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  if ((await show(text, "Show Journal")) !== undefined) await vscode.commands.executeCommand("sessionWarden.showJournal");
}
