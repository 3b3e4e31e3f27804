import { confirmationFor } from "../core/lifecycle.ts";
import { agentNames, nameOf, processWords, sentenceOfConcern } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import { plain } from "./plainText.ts";

export type Ending = "stop" | "terminate" | "forget";

/** What is asked in a modal: the thing is named, and so is what the button does. */
export interface Question {
  readonly message: string;
  readonly detail: string;
  readonly button: string;
}

/** Undefined where nothing has to be asked. One row that a person chose is named by that; of several, each process that nothing else names is named here. */
export function questionFor(operation: Ending, sessions: readonly Session[]): Question | undefined {
  const [only, ...others] = sessions;
  if (!only) return undefined;
  const verb = verbs[operation];
  if (others.length > 0) {
    return {
      message: `${verb} ${sessions.length} sessions?`,
      detail: sessions.map((session) => `${introduce(session)}\n${concernsOf(operation, session, false).join(" ")}`.trimEnd()).join("\n\n"),
      button: `${verb} ${sessions.length} Sessions`,
    };
  }
  const concerns = concernsOf(operation, only, true);
  if (concerns.length === 0) return undefined;
  return { message: `${verb} ${plain(nameOf(only))}?`, detail: [introduce(only), "", ...concerns].join("\n"), button: verb };
}

const verbs: Readonly<{ [operation in Ending]: string }> = { stop: "Stop", terminate: "Force Terminate", forget: "Forget" };

function concernsOf(operation: Ending, session: Session, isNamed: boolean): readonly string[] {
  return confirmationFor(operation, session, { isNamed }).map((concern) => plain(sentenceOfConcern(concern, session)));
}

/** “fix login” · Claude Code · claude (4121) · /home/me/app */
function introduce(session: Session): string {
  const { agent, run, cwd } = session;
  return [plain(nameOf(session)), agent && agentNames[agent], run && processWords(session), cwd].flatMap((words) => (words ? plain(words) : [])).join(" · ");
}
