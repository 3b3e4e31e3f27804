import type { Run } from "../../../../src/core/facet.ts";
import type { Session } from "../../../../src/core/session.ts";
import type { Entry } from "../../../../src/sources/ledger/entry.ts";
import { aRun, aSession, now, pid, talk } from "../../../support/facets.ts";

/** An idle Claude Code, process 41, as our ledger keeps it. */
export function entryOf(id: string, over: Partial<Entry> = {}): Entry {
  return { id, firstKey: "process:41", agent: "claude", process: pid(41), conversation: talk("A"), title: "fix login", seenAt: now, state: "active", ...over };
}

/** A living session whose process has this number, in this conversation. */
export function living(number: number, conversation: string, over: Partial<Run> = {}): Session {
  return aSession(livingRun(number, conversation, over));
}

export function livingRun(number: number, conversation: string, over: Partial<Run> = {}): Run {
  return aRun({ key: `process:${number}`, host: { kind: "process", process: pid(number) }, conversation: talk(conversation), ...over });
}
