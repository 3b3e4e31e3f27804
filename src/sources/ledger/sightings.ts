import type { Evidence } from "../../core/evidence.ts";
import type { Liveness } from "../../core/facet.ts";
import type { Session } from "../../core/session.ts";
import { bookOf } from "./book.ts";
import { linesOfSighting } from "./changed.ts";
import type { Entry, LedgerLine } from "./entry.ts";

/** What a look at many sessions adds to the ledger, and the entry that each has then. */
export interface Sightings {
  readonly seen: readonly { readonly entry: Entry; readonly liveness: Evidence<Liveness> }[];
  readonly lines: readonly LedgerLine[];
}

/** Of what does not run as a process of its own nothing is noted. */
export function sightingsOf(sessions: readonly Session[], entries: ReadonlyMap<string, Entry>, livesOn: (entry: Entry) => boolean, now: number): Sightings {
  const book = bookOf(entries);
  const all = sessions.flatMap((session) => {
    const { run } = session;
    if (run?.host.kind !== "process") return [];
    const { entry, lines } = linesOfSighting(session, { run, process: run.host.process }, book, livesOn, now);
    for (const line of lines) book.note(line);
    return [{ entry, liveness: run.liveness, lines }];
  });
  return { seen: all, lines: all.flatMap(({ lines }) => lines) };
}
