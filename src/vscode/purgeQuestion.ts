import type { PurgePlan } from "../core/operations/planPurge.ts";
import { sizeWords } from "../core/planLines.ts";
import { agentNames, nameOf } from "../core/sentences.ts";
import { plain } from "./plainText.ts";
import type { Question } from "./question.ts";

/** The one modal before a purge: the session, its agent, what is deleted and how much, what would be lost with it, and what stays. */
export function purgeQuestionOf({ session, agent, conversation, stores, leftAlone, pending }: PurgePlan): Question {
  const names = [...new Set(stores.map(({ name }) => name))];
  const listed = names.slice(0, namesMost);
  const more = names.length - listed.length;
  const staying = leftAlone.map(({ name, why }) => `${name} (${why})`);
  const lines = [
    [agentNames[agent.id], conversation.id, session.cwd].flatMap((words) => (words ? plain(words) : [])).join(" · "),
    "",
    stores.length === 0
      ? "Nothing of it was found on this machine. Its records here are told that it is purged."
      : `Deleted for good, ${sizeWords(stores)}: ${plain(listed.join(", "))}${more > 0 ? `, and ${more} more` : ""}.`,
    ...(staying.length > 0 ? [`Left as it is: ${plain(staying.join(", "), lettersMost)}.`] : []),
    ...(pending.length > 0 ? [`Work would be lost with it: ${plain(pending.join("; "))}.`] : []),
    "It can't be resumed or brought back afterwards.",
  ];
  return { message: `Purge the conversation of ${plain(nameOf(session))}?`, detail: lines.join("\n"), button: "Purge Conversation" };
}
const namesMost = 8;
const lettersMost = 400;
