import type { Refusal } from "./refusal.ts";

/** What a person can act on; it may begin with the session's name. */
export function wordsOfRefusal(refusal: Refusal, name: string): string {
  switch (refusal.reason) {
    case "notFound":
      return `There is no session ${refusal.asked}. Refresh the list to see what there is.`;
    case "ambiguous":
      return `${name} can't be told from others: ${refusal.candidates.join(", ")}. Name one of them by its key.`;
    case "mustBeNamed":
      return `${name} was not stopped: process ${refusal.process.pid} is named by no record and no file of the agent's. Choose that very row, or give its key.`;
    case "busy":
      return `Somebody else is at work on ${name}. Try again in a moment.`;
    case "noLongerOneSession":
      return `${name} is not what it was when it was listed. Refresh the list and choose again.`;
    case "unreachable":
      return `${name} can't be reached: ${refusal.detail}.`;
    case "livenessUnknown":
      return `Whether ${name} still runs can't be known from here: ${refusal.detail}. Nothing was done.`;
    case "stillAlive":
      return `${name} is alive (${refusal.detail}). Stop it first.`;
    case "protected":
      return `${name} was not touched: ${refusal.detail}.`;
    case "notEndable":
      return `${name} can't be ended from here: ${refusal.detail}.`;
    case "pendingWork":
      return `${name} has work that would be lost: ${refusal.detail}.`;
    case "unsupported":
      return `That can't be done with ${name}: ${refusal.detail}.`;
  }
}
