import pLimit from "p-limit";
import { livenessOf } from "../../core/census.ts";
import type { Census } from "../../core/census.ts";
import type { Evidence } from "../../core/evidence.ts";
import type { Liveness, SessionRecord } from "../../core/facet.ts";
import type { Ledger } from "../../core/ledger.ts";
import type { Notice } from "../../core/notice.ts";
import type { Session } from "../../core/session.ts";
import { watch } from "../../system/watch.ts";
import { linesOfChange, linesOfSighting } from "./changed.ts";
import { recordOf } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { openLedgerFile } from "./ledgerFile.ts";

/** Our own book: what was seen alive, how it ended, and the names given. Beside it nothing is written about a session here. */
export function openLedger(stateFolder: string): Ledger {
  const file = openLedgerFile(stateFolder);
  const place = file.path;
  // Two notes of one window would only wait for each other's lock.
  const oneAtATime = pLimit(1);
  let whyUnwritten: string | undefined;

  return {
    id: "ledger",
    async read(census) {
      const { entries, unreadable } = await file.load();
      return {
        facets: [...entries.values()].filter((entry) => isWorthListing(entry, census)).map((entry) => recordIn(entry, census)),
        unreachable: [],
        notices: notices(unreadable),
      };
    },
    async lookAgain({ key }, census) {
      const { entries } = await file.load();
      const entry = entries.get(key.slice("ledger:".length));
      return entry ? { kind: "seen", facet: recordIn(entry, census) } : { kind: "notThere" };
    },
    watch: (onChange) => watch([file.path], onChange),
    note: (session) => oneAtATime(() => note(session)),
    record: (record, change, guard) =>
      oneAtATime(async () => {
        let outcome: "recorded" | "alreadySo" | "changedMeanwhile" = "changedMeanwhile";
        let fresh: SessionRecord | undefined;
        const written = await file.append((entries) => {
          const entry = entries.get(record.key.slice("ledger:".length));
          fresh = entry && recordOf(entry, place, notLookedAt);
          if (!entry || !fresh || !guard(fresh)) return [];
          const lines = linesOfChange(entry, change, Date.now());
          outcome = lines.length > 0 ? "recorded" : "alreadySo";
          return lines;
        });
        if (!written) return { kind: "busy" };
        return outcome === "changedMeanwhile" ? { kind: outcome, fresh } : { kind: outcome };
      }),
  };

  async function note(session: Session): Promise<SessionRecord> {
    const { run } = session;
    if (!run || run.host.kind !== "process") throw new Error("only what runs as a process of its own is noted");
    const { process } = run.host;
    const now = Date.now();
    const sighting = (entries: ReadonlyMap<string, Entry>): ReturnType<typeof linesOfSighting> => linesOfSighting(session, run, process, entries.values(), now);

    const { entries } = await file.load();
    let noted = sighting(entries);
    if (noted.lines.length > 0) {
      try {
        await file.append((fresh) => (noted = sighting(fresh)).lines);
        whyUnwritten = undefined;
      } catch (error) {
        // A book of ours that can't be written holds up nobody's stop; the list says so.
        whyUnwritten = error instanceof Error ? error.message : String(error);
      }
    }
    return recordOf(noted.entry, place, run.liveness);
  }

  function recordIn(entry: Entry, census: Census): SessionRecord {
    return recordOf(entry, place, seenIn(census, entry));
  }

  function notices(unreadable: number): readonly Notice[] {
    return [
      ...(unreadable > 0
        ? [{ place, sentence: `${unreadable} lines of the ledger could not be read and are left as they are.`, remedy: "openFile" } as const]
        : []),
      ...(whyUnwritten !== undefined ? [{ place, sentence: `The ledger can't be written: ${whyUnwritten}. What is seen alive is not remembered.` }] : []),
    ];
  }
}

/** What can never be taken up again is of no use to anybody a day later: opened and closed, or its id never told. */
function isWorthListing({ conversation, givenName, isArchived, seenAt }: Entry, { at }: Census): boolean {
  const canBeResumed = conversation !== undefined && conversation.resumable?.value !== false;
  return canBeResumed || givenName !== undefined || isArchived === true || at - seenAt < dayMs;
}
const dayMs = 24 * 60 * 60 * 1000;

const notLookedAt: Evidence<Liveness> = { value: "unknown", seen: "not looked at", at: 0 };

function seenIn(census: Census, { process }: Entry): Evidence<Liveness> {
  const value = livenessOf(process, census);
  const where = process.host !== undefined && process.host !== census.here.host ? ` on ${process.host}` : "";
  switch (value) {
    case "alive":
      return { value, seen: `process ${process.pid}`, at: census.at };
    case "gone":
      return { value, seen: `process ${process.pid} is gone`, at: census.at };
    case "unknown":
      return { value, seen: `process ${process.pid}${where} can't be seen from here`, at: census.at };
  }
}
