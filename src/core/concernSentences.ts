import type { Concern } from "./lifecycle.ts";
import { processWords } from "./sentences.ts";
import type { Session } from "./session.ts";

/** One clause for each thing that a person has to see before. */
export function sentenceOfConcern(concern: Concern, session: Session): string {
  switch (concern) {
    case "deletes":
      return "Its conversation is deleted on its server, and can't be resumed.";
    case "purges":
      return "Its conversation is deleted for good, and can't be resumed.";
    case "pendingWork":
      return `Work would be lost with it: ${session.records.flatMap(({ pending }) => pending ?? []).join("; ")}.`;
    case "midTurn":
      return session.status.value === "needsInput"
        ? "It waits for an answer; the pending step will not be run."
        : "It is in the middle of a turn; the rest of the answer is lost.";
    case "notResumable":
      return session.conversation
        ? "Its conversation can't be resumed afterwards."
        : "Its conversation id is not known, so it may not be resumable afterwards.";
    case "activityUnknown":
      return "Nothing reports what it is doing; it may be in the middle of a turn.";
    case "endsOthers":
      return `It started ${session.run?.alsoEnds?.join(", ") ?? "others"}, which end with it.`;
    case "force":
      return "What does not leave when asked is killed.";
    case "noWarrant":
      return `This ends ${processWords(session)}, which no record names.`;
  }
}
