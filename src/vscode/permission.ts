import type { Permission } from "../core/facet.ts";
import { nameOf } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import { plain, plainLines } from "./plainText.ts";

/** What is shown before an answer: who asks, the tool, and what it would do, word for word. */
export interface PermissionQuestion {
  readonly message: string;
  readonly detail: string;
  /** All of it is shown; what is longer has to be looked at elsewhere. */
  readonly isWhole: boolean;
}

/** Undefined where it asks for nothing that can be answered from here. */
export function permissionQuestionOf({ run, title, cwd }: Session): PermissionQuestion | undefined {
  if (!run?.asks) return undefined;
  const { tool, input } = run.asks;
  const { text, left } = beginningOf(plainLines(input).trimEnd());
  const where = [cwd, run.host.kind === "server" ? run.host.url : run.place].flatMap((words) => (words ? plain(words) : []));
  const more = left > 0 ? [`… and it goes on for ${left} more ${left === 1 ? "letter" : "letters"}. Show All has the whole of it.`] : [];
  return {
    message: `${plain(nameOf({ title }), 80)} asks to run ${plain(tool, 60)}`,
    detail: [where.join(" · "), "", text, ...more, "", "To allow it is for this once."].join("\n"),
    isWhole: left === 0,
  };
}

/** The whole, for a document. */
export function permissionLines({ tool, input }: Permission): readonly string[] {
  return [`It asks to run ${plain(tool, 60)}:`, "", plainLines(input).trimEnd()];
}

/** A modal that is higher than the screen hides its end, or its buttons. */
function beginningOf(whole: string): { readonly text: string; readonly left: number } {
  const text = whole.split("\n").slice(0, linesMost).join("\n").slice(0, lettersMost).toWellFormed().trimEnd();
  return { text, left: whole.length - text.length };
}
const lettersMost = 2_000;
const linesMost = 30;
