import type { Facet } from "./facet.ts";
import { offered } from "./lifecycle.ts";
import type { Capabilities } from "./lifecycle.ts";
import type { Snapshot } from "./roster.ts";
import { nameOf } from "./sentences.ts";
import { facetsOf } from "./session.ts";
import type { Session } from "./session.ts";

export type Ailment = "exited" | "stuck" | "contradictory" | "unreachable" | "recordWithoutProcess" | "agentWithoutRecord" | "unreadable";

/** Something that is not as it should be, what it is known by, and the command that would mend it. */
export interface Finding {
  readonly ailment: Ailment;
  /** A session's key, or a place. */
  readonly about: string;
  readonly name: string;
  readonly evidence: readonly string[];
  readonly mend: string | undefined;
}

/** Reads what was seen, and changes nothing. */
export function examine({ sessions, unreachable, notices }: Snapshot, can: Capabilities): readonly Finding[] {
  return [
    ...sessions.flatMap((session) => ailing(session, can) ?? []),
    ...unreachable.map(({ place, reason }): Finding => ({ ailment: "unreachable", about: place, name: place, evidence: [reason], mend: undefined })),
    ...notices.map(({ place, sentence }): Finding => ({ ailment: "unreadable", about: place, name: place, evidence: [sentence], mend: undefined })),
  ];
}

function ailing(session: Session, can: Capabilities): Finding | undefined {
  const { key, status, doubt, run, records } = session;
  const finding = (ailment: Ailment, mend?: string): Finding => ({ ailment, about: key, name: nameOf(session), evidence: evidenceOf(session), mend });
  if (doubt) return finding("contradictory");
  switch (status.value) {
    case "exited":
      return finding("exited", `session-warden finalize '${key}'`);
    case "stuck":
      // Only its own program can tell what becomes of such a turn's work.
      return finding("stuck", records.some(({ source }) => source === "entire") ? "entire doctor" : undefined);
    case "unknown":
      return run ? undefined : finding("recordWithoutProcess", records.every(({ isOnlyListed }) => isOnlyListed) ? cleanUpOf(session) : undefined);
    case "needsInput":
    case "working":
    case "idle":
    case "open":
      return isUntracked(session, can) ? finding("agentWithoutRecord") : undefined;
    case "stopped":
    case "purged":
    case "archived":
      return undefined;
  }
}

function cleanUpOf({ key }: Session): string {
  return `session-warden cleanup '${key.slice(key.indexOf(":") + 1)}'`;
}

/** There is a registry, and it could be entered there. */
function isUntracked(session: Session, can: Capabilities): boolean {
  return offered(session, can).has("track");
}

function evidenceOf(session: Session): readonly string[] {
  const { status, doubt } = session;
  return [...(doubt ? [`${doubt.why}: ${doubt.candidates.join(", ")}`] : [status.seen]), ...facetsOf(session).map(wordsOf)];
}

function wordsOf(facet: Facet): string {
  if (facet.kind === "run") return `${facet.key}: ${facet.liveness.seen}`;
  const pending = facet.pending === undefined ? [] : [`pending: ${facet.pending}`];
  return `${facet.key}: ${[`says ${facet.says.value} (${facet.says.seen})`, facet.liveness.seen, ...pending].join(", ")}`;
}

export const ailmentWords: Readonly<{ [ailment in Ailment]: string }> = {
  exited: "its agent has exited, and a record still says that it runs",
  stuck: "in a turn for more than an hour, and whether its agent lives can't be known",
  contradictory: "can't be told from others",
  unreachable: "gives no answer",
  recordWithoutProcess: "is recorded, and nothing that could be it is seen",
  agentWithoutRecord: "runs, and is in no registry",
  unreadable: "has something that can't be read",
};

/** What watching has cost since the program began. */
export interface Cost {
  readonly sinceMs: number;
  readonly subprocesses: number;
  readonly subprocessMs: number;
  readonly watchers: number;
  readonly sockets: number;
}

/** The report as lines of text. */
export function reportOf(findings: readonly Finding[], cost: Cost): readonly string[] {
  const lines = findings.flatMap(({ ailment, name, about, evidence, mend }) => [
    `${name} ${ailmentWords[ailment]}`,
    ...(about === name ? [] : [`  ${about}`]),
    ...evidence.map((each) => `  ${each}`),
    ...(mend === undefined ? [] : [`  → ${mend}`]),
  ]);
  return [...(lines.length === 0 ? ["Nothing is wrong."] : lines), "", costWords(cost)];
}

function costWords({ sinceMs, subprocesses, subprocessMs, watchers, sockets }: Cost): string {
  const minutes = sinceMs / 60_000;
  // A rate of a few seconds would be a guess.
  const spent =
    minutes < 1
      ? `${counted(subprocesses, "subprocess", "es")} and ${Math.round(subprocessMs)} ms in them, in ${(sinceMs / 1000).toFixed(1)} s`
      : `${(subprocesses / minutes).toFixed(1)} subprocesses and ${Math.round(subprocessMs / minutes)} ms in them a minute`;
  return `Watching costs ${[spent, counted(watchers, "watcher"), counted(sockets, "socket")].join(", ")}.`;
}

function counted(count: number, what: string, ending = "s"): string {
  return `${count} ${what}${count === 1 ? "" : ending}`;
}
