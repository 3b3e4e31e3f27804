import { canBeForced } from "../core/ladder.ts";
import type { Operation } from "../core/lifecycle.ts";
import type { Receipt } from "../core/receipt.ts";
import { sentenceOfReceipt } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import { plain } from "./plainText.ts";

export interface Outcome {
  readonly session: Session;
  readonly receipt: Receipt;
}

/** What a person is told of operations that are over. `quiet`: the tree shows it already. */
export interface Answer {
  readonly weight: "quiet" | "information" | "warning" | "error";
  readonly text: string;
  /** The one thing to do next, and with which sessions. */
  readonly next: Next | undefined;
}
export interface Next {
  readonly does: "Resume" | "Force Terminate" | "Undo" | "Show Journal";
  readonly sessions: readonly Session[];
}

export function answerOf(outcomes: readonly Outcome[]): Answer {
  const sentences =
    outcomes.length === 1
      ? outcomes.map(sentenceOf)
      : [...summary(outcomes), ...outcomes.filter(isBad).slice(0, listedMost).map(sentenceOf), ...more(outcomes)];
  return { weight: heaviest(outcomes.map(weightOf)), text: sentences.join(" "), next: nextOf(outcomes) };
}

function sentenceOf({ receipt, session }: Outcome): string {
  const leftAlone = receipt.warnings.filter((warning) => warning.endsWith("left alone.")).map((warning) => ` ${warning}`);
  return plain(sentenceOfReceipt(receipt, session) + leftAlone.join(""), 1_000);
}

function summary(outcomes: readonly Outcome[]): readonly string[] {
  const good = outcomes.filter((outcome) => !isBad(outcome));
  const [first] = good;
  return first ? [`${done[first.receipt.operation]} ${good.length === 1 ? "1 session" : `${good.length} sessions`}.`] : [];
}

function more(outcomes: readonly Outcome[]): readonly string[] {
  const unlisted = outcomes.filter(isBad).length - listedMost;
  return unlisted > 0 ? [`${unlisted} more could not be ended or recorded; the journal has them.`] : [];
}
const listedMost = 3;

function nextOf(outcomes: readonly Outcome[]): Next | undefined {
  const surviving = outcomes.filter(({ receipt }) => survives(receipt)).map(({ session }) => session);
  if (surviving.length > 0) return { does: "Force Terminate", sessions: surviving };
  if (outcomes.some(({ receipt }) => receipt.result.kind === "failed" && !wasCancelled(receipt))) return { does: "Show Journal", sessions: [] };
  const forgotten = outcomes.filter(({ receipt }) => isForgotten(receipt)).map(({ session }) => session);
  if (forgotten.length > 0) return { does: "Undo", sessions: forgotten };
  const [only, ...others] = outcomes;
  if (!only || others.length > 0 || !isResumable(only)) return undefined;
  return { does: "Resume", sessions: [only.session] };
}

function isForgotten({ operation, result }: Receipt): boolean {
  return operation === "forget" && (result.kind === "success" || result.kind === "partial");
}

function isResumable({ session, receipt: { operation, result, captured } }: Outcome): boolean {
  // On a server the session is still there, and a prompt takes it up.
  const ended = (operation === "stop" || operation === "terminate") && session.run?.host.kind !== "server";
  return ended && result.kind === "success" && captured !== undefined && captured.resumable?.value !== false;
}

function weightOf({ receipt }: Outcome): Answer["weight"] {
  const { result, operation } = receipt;
  switch (result.kind) {
    case "success":
      return quietly.includes(operation) ? "quiet" : "information";
    case "partial":
      return "warning";
    case "failed":
      return wasCancelled(receipt) ? "information" : "error";
    case "refused":
      return result.reason === "busy" || result.reason === "stillAlive" || result.reason === "notFound" ? "information" : "warning";
  }
}
const quietly: readonly Operation[] = ["answer", "resume", "start", "track", "rename", "archive", "unarchive", "restore", "finalize"];

function heaviest(weights: readonly Answer["weight"][]): Answer["weight"] {
  return (["error", "warning", "information"] as const).find((weight) => weights.includes(weight)) ?? "quiet";
}

function isBad({ receipt }: Outcome): boolean {
  return receipt.result.kind !== "success";
}

function survives({ operation, result }: Receipt): boolean {
  return operation === "stop" && result.kind === "partial" && result.survivors.some(canBeForced);
}

function wasCancelled({ result }: Receipt): boolean {
  return result.kind === "failed" && result.reason === "cancelled";
}

const done: Readonly<{ [operation in Operation]: string }> = {
  stop: "Stopped",
  terminate: "Force-terminated",
  captureId: "Saved the conversation ids of",
  answer: "Answered",
  cleanUp: "Cleaned up",
  endOrphan: "Ended",
  purge: "Purged",
  finalize: "Recorded as stopped:",
  goTo: "Showed",
  peek: "Showed",
  resume: "Resumed",
  start: "Started",
  track: "Tracked",
  rename: "Renamed",
  archive: "Archived",
  unarchive: "Unarchived",
  forget: "Forgot",
  restore: "Restored",
};
