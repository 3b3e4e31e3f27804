import * as vscode from "vscode";
import { planPurge } from "../core/operations/planPurge.ts";
import type { PurgePlan } from "../core/operations/planPurge.ts";
import { purge } from "../core/operations/purge.ts";
import { planLines } from "../core/planLines.ts";
import type { Refusal } from "../core/refusal.ts";
import { sentenceOfRefusal } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import type { Handler, Hands } from "./commands.ts";
import { perform, signalOf } from "./perform.ts";
import { plain, plainLines } from "./plainText.ts";
import { purgeQuestionOf } from "./purgeQuestion.ts";
import { tellReceipts } from "./tellReceipt.ts";

/** Deletes a conversation: what was shown and agreed to, and nothing else. */
export function purgeCommands({ face, choose }: Hands): Readonly<{ "sessionWarden.purge": Handler }> {
  const { tree, lookout, pages } = face;

  /** Undefined where a person called it off. */
  async function planOf(session: Session): Promise<PurgePlan | Refusal | undefined> {
    const title = `Looking for the conversation of “${plain(session.title, 60)}”`;
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (_progress, token) => {
      const { signal, release } = signalOf(token);
      try {
        return await planPurge(
          session,
          lookout.warden.forOperation(signal, () => undefined),
        );
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      } finally {
        release();
      }
    });
  }

  async function showPlan(plan: PurgePlan): Promise<void> {
    const text = `${plainLines(planLines(plan).join("\n"))}\n`;
    await pages.show({ title: `Purge plan ${plain(plan.session.title, 40)}`, key: `purge ${plan.session.key}`, text: () => text });
    // The modal had to give way to it.
    const again = "Purge Conversation…";
    const pressed = await vscode.window.showInformationMessage("Nothing is deleted yet.", again);
    if (pressed === again) await vscode.commands.executeCommand("sessionWarden.purge", plan.session.key);
  }

  return {
    "sessionWarden.purge": async (choice) => {
      const [session] = await choose({ verb: "purge", fits: (one) => tree.offered(one).has("purge") }, choice);
      if (!session) return;
      const plan = await planOf(session);
      if (!plan) return;
      if (plan.kind === "refused") return void vscode.window.showWarningMessage(plain(sentenceOfRefusal(plan, session), refusalLetters));
      const { message, detail, button } = purgeQuestionOf(plan);
      const pressed = await vscode.window.showWarningMessage(message, { modal: true, detail }, button, "Show Plan");
      if (pressed === "Show Plan") return showPlan(plan);
      if (pressed !== button) return;
      const act: Parameters<typeof perform>[2]["act"] = (one, context) => purge(one, { seen: plan, pendingSeen: true }, context);
      const outcomes = await perform(face, [session], { doing: "Purging", act, isLong: true });
      void tellReceipts(outcomes, () => void vscode.commands.executeCommand("sessionWarden.showJournal"));
    },
  };
}
/** What has to be looked at by hand is a list. */
const refusalLetters = 1_500;
