import { confirmationFor } from "../core/lifecycle.ts";
import type { Concern } from "../core/lifecycle.ts";
import { sentenceOfConcern } from "../core/concernSentences.ts";
import { agentNames, nameOf, processWords } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import { plain } from "./plainText.ts";

export type Ending = "stop" | "terminate" | "forget" | "cleanUp";

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
    return { message: `${verb} ${sessions.length} sessions?`, detail: detailOf(operation, sessions), button: `${verb} ${sessions.length} Sessions` };
  }
  const concerns = wordsOf(confirmationFor(operation, only, { isNamed: true }), only);
  if (concerns.length === 0) return undefined;
  return { message: `${verb} ${plain(nameOf(only))}?`, detail: [introduce(only), "", ...concerns, ...effectsOf(operation)].join("\n"), button: verb };
}

/** A modal that is higher than the screen hides its buttons. Yet a process that nothing else names is named, however many there are. */
function detailOf(operation: Ending, sessions: readonly Session[]): string {
  const asked = sessions.map((session) => ({ session, concerns: confirmationFor(operation, session, { isNamed: false }) }));
  const [unnamed, named] = [asked.filter(({ concerns }) => concerns.includes("noWarrant")), asked.filter(({ concerns }) => !concerns.includes("noWarrant"))];
  const gravestFirst = named.toSorted((a, b) => b.concerns.length - a.concerns.length);
  const listed = [...unnamed, ...gravestFirst.slice(0, Math.max(0, listedMost - unnamed.length))];
  const paragraphs = listed.map(({ session, concerns }) => `${introduce(session)}\n${wordsOf(concerns, session).join(" ")}`.trimEnd());
  const more = asked.length - listed.length;
  return [...paragraphs, ...(more > 0 ? [`and ${more} more`] : []), ...effectsOf(operation)].join("\n\n");
}
const listedMost = 10;

const verbs: Readonly<{ [operation in Ending]: string }> = { stop: "Stop", terminate: "Force Terminate", forget: "Forget", cleanUp: "Clean Up" };

function wordsOf(concerns: readonly Concern[], session: Session): readonly string[] {
  return concerns.map((concern) => plain(sentenceOfConcern(concern, session)));
}

/** What it does besides, whomever it is done to. */
function effectsOf(operation: Ending): readonly string[] {
  return operation === "cleanUp" ? ["What ends is taken off the tracking files, too."] : [];
}

/** “fix login” · Claude Code · claude (4121) · /home/me/app */
function introduce(session: Session): string {
  const { agent, run, records, cwd } = session;
  const server = records.find(({ source }) => source === "opencode")?.place;
  return [plain(nameOf(session)), agent && agentNames[agent], run ? processWords(session) : server, cwd]
    .flatMap((words) => (words ? plain(words) : []))
    .join(" · ");
}
