import pLimit from "p-limit";
import { livenessOf } from "../../core/census.ts";
import type { Census } from "../../core/census.ts";
import { isSameConversation } from "../../core/facet.ts";
import type { Conversation, Facet, SessionRecord } from "../../core/facet.ts";
import type { Ledger } from "../../core/ledger.ts";
import type { Notice } from "../../core/notice.ts";
import { isSameProcess } from "../../core/process.ts";
import type { Session } from "../../core/session.ts";
import { undoWithinMs } from "../../core/source.ts";
import type { Change, Guard, RecordOutcome } from "../../core/source.ts";
import type { Machine } from "../../system/machine.ts";
import { watch } from "../../system/watch.ts";
import { linesOfChange } from "./changed.ts";
import type { AddedChange } from "./changed.ts";
import { recordOf } from "./entry.ts";
import type { Entry, LedgerLine } from "./entry.ts";
import { runOfRest, withRestLadder } from "./leftBehind.ts";
import { notLookedAt, seenIn } from "./seenIn.ts";
import { openLedgerFile } from "./ledgerFile.ts";
import type { Purged } from "./purging.ts";
import { sightingsOf } from "./sightings.ts";
import type { Sightings } from "./sightings.ts";

/** Our own book: what was seen alive, how it ended, and the names given. Beside it nothing is written about a session here. Without a machine nothing can be ended by it. */
export function openLedger(stateFolder: string, machine?: Machine): Ledger {
  const file = openLedgerFile(stateFolder);
  const place = file.path;
  // Two notes of one window would only wait for each other's lock.
  const oneAtATime = pLimit(1);
  let whyUnwritten: string | undefined;
  let latest: Census | undefined;
  const forgotten = new Map<string, { readonly entry: Entry; readonly at: number }>();

  return {
    id: "ledger",
    async read(census) {
      latest = census;
      try {
        const { entries, unreadable } = await file.load();
        return {
          facets: [...entries.values()].filter((entry) => isWorthListing(entry, census)).flatMap((entry) => facetsIn(entry, census)),
          unreachable: [],
          notices: notices(unreadable),
        };
      } catch (error) {
        return { facets: [], unreachable: [{ place, reason: reasonOf(error), remedy: "openFile" }], notices: notices(0) };
      }
    },
    async lookAgain({ key }, census) {
      latest = census;
      try {
        const entry = await find(key);
        const facet = entry && facetsIn(entry, census).find((fresh) => fresh.key === key);
        return facet ? { kind: "seen", facet } : { kind: "notThere" };
      } catch (error) {
        return { kind: "unreachable", reason: reasonOf(error) };
      }
    },
    watch: (onChange) => watch([file.path], onChange),
    async note(session) {
      const [record] = await oneAtATime(() => noteAll([session]));
      if (!record) throw new Error("only what runs as a process of its own is noted");
      return record;
    },
    async noteAll(sessions) {
      try {
        return await oneAtATime(() => noteAll(sessions));
      } catch (error) {
        whyUnwritten = reasonOf(error);
        return [];
      }
    },
    record: (record, change, guard) => oneAtATime(() => (change.kind === "purged" ? recordPurge(record, change, guard) : recordChange(record, change, guard))),
    clear: (conversation, at) => oneAtATime(() => rewritten(conversation, () => ({ kind: "toPurge", purged: { id: "", conversation, at } }))),
    ...(machine && { withLadder: ladderOn(machine) }),
  };

  function ladderOn(machine: Machine): NonNullable<Ledger["withLadder"]> {
    return async ({ key }, census, climb, signal) => {
      const entry = await find(key);
      return entry ? withRestLadder(entry, census, machine, climb, signal) : { kind: "refused", reason: "notFound", asked: key };
    };
  }

  /** By the key of its record, or of what lives on of it. */
  async function find(key: string): Promise<Entry | undefined> {
    const [id = ""] = key.slice("ledger:".length).split("/");
    return (await file.load()).entries.get(id);
  }

  /** Its lines are taken out, not added to. */
  async function recordPurge({ key }: SessionRecord, { conversation, at }: Extract<Change, { kind: "purged" }>, guard: Guard): Promise<RecordOutcome> {
    const id = key.slice("ledger:".length);
    return rewritten(conversation, (entries) => {
      const entry = entries.get(id);
      const fresh = entry && recordOf(entry, place, notLookedAt);
      const isOfAnother = entry?.conversation !== undefined && !isSameConversation(entry.conversation, conversation);
      // An entry that was called by the id has lost that name if an earlier purge got so far.
      const isRenamed = !entry && id.endsWith(`-${conversation.id}`);
      if (!isRenamed && (!fresh || isOfAnother || !guard(fresh))) return { kind: "changedMeanwhile", fresh };
      return { kind: "toPurge", purged: { id, conversation, at } };
    });
  }

  async function rewritten(
    conversation: Conversation,
    asked: (
      entries: ReadonlyMap<string, Entry>,
    ) => { readonly kind: "toPurge"; readonly purged: Purged } | Extract<RecordOutcome, { kind: "changedMeanwhile" }>,
  ): Promise<RecordOutcome> {
    let outcome: RecordOutcome = { kind: "busy" };
    try {
      const isRewritten = await file.purge((entries) => {
        const decided = asked(entries);
        outcome = decided.kind === "toPurge" ? { kind: "alreadySo" } : decided;
        return decided.kind === "toPurge" ? decided.purged : undefined;
      });
      for (const [known, { entry }] of forgotten) if (isSameConversation(entry.conversation, conversation)) forgotten.delete(known);
      return isRewritten ? { kind: "recorded" } : outcome;
    } catch (error) {
      return { kind: "failed", reason: reasonOf(error) };
    }
  }

  async function recordChange({ key, process }: SessionRecord, change: AddedChange, guard: Guard): Promise<RecordOutcome> {
    let outcome: RecordOutcome = { kind: "changedMeanwhile", fresh: undefined };
    try {
      const written = await file.append((entries) => {
        const id = key.slice("ledger:".length);
        const entry = entries.get(id);
        if (change.kind === "restored") return broughtBack(id, entry);
        const survivor = entry?.left?.find((left) => isSameProcess(left.process, process));
        const fresh = entry && recordOf(entry, place, notLookedAt, survivor?.process ?? entry.process);
        outcome = { kind: "changedMeanwhile", fresh };
        if (!entry || !fresh || !guard(fresh)) return [];
        const lines = linesOfChange(entry, change, Date.now());
        if (change.kind === "forgotten") forgotten.set(id, { entry, at: Date.now() });
        outcome = { kind: lines.length > 0 ? "recorded" : "alreadySo" };
        return lines;
      });
      return written ? outcome : { kind: "busy" };
    } catch (error) {
      return { kind: "failed", reason: reasonOf(error) };
    }

    function broughtBack(id: string, entry: Entry | undefined): readonly LedgerLine[] {
      const kept = forgotten.get(id);
      forgotten.delete(id);
      const isInTime = kept !== undefined && Date.now() - kept.at <= undoWithinMs;
      outcome = entry ? { kind: "alreadySo" } : isInTime ? { kind: "recorded" } : { kind: "failed", reason: "it was forgotten too long ago" };
      return isInTime && !entry ? [kept.entry] : [];
    }
  }

  async function noteAll(sessions: readonly Session[]): Promise<readonly SessionRecord[]> {
    const now = Date.now();
    try {
      let noted = sightingsOf(sessions, (await file.load()).entries, livesOn, now);
      const isWritten = noted.lines.length === 0 || (await file.append((fresh) => (noted = sightingsOf(sessions, fresh, livesOn, now)).lines)) !== undefined;
      whyUnwritten = isWritten ? undefined : "somebody else holds its lock";
      return recordsOf(noted);
    } catch (error) {
      // A book of ours that can't be written holds up nobody's stop; the list says so.
      whyUnwritten = reasonOf(error);
      return recordsOf(sightingsOf(sessions, new Map(), livesOn, now));
    }
  }

  function recordsOf({ seen }: Sightings): readonly SessionRecord[] {
    return seen.map(({ entry, liveness }) => recordOf(entry, place, liveness));
  }

  function livesOn(entry: Entry): boolean {
    return latest !== undefined && livenessOf(entry.process, latest) === "alive";
  }

  function facetsIn(entry: Entry, census: Census): readonly Facet[] {
    const rest = runOfRest(entry, place, census);
    if (rest?.host.kind !== "process") return [recordOf(entry, place, seenIn(census, entry))];
    return [recordOf(entry, place, rest.liveness, rest.host.process), rest];
  }

  function notices(unreadable: number): readonly Notice[] {
    return [
      ...(unreadable > 0 ? [{ place, sentence: unreadableLines(unreadable), remedy: "openFile" } as const] : []),
      ...(whyUnwritten !== undefined ? [{ place, sentence: `The ledger can't be written: ${whyUnwritten}. What is seen alive is not remembered.` }] : []),
    ];
  }
}

/** What can never be taken up again is of no use to anybody a day later: opened and closed, or its id never told. */
function isWorthListing({ conversation, givenName, isArchived, seenAt, purgedAt = 0 }: Entry, { at }: Census): boolean {
  const canBeResumed = conversation !== undefined && conversation.resumable?.value !== false;
  return canBeResumed || givenName !== undefined || isArchived === true || at - Math.max(seenAt, purgedAt) < dayMs;
}
const dayMs = 24 * 60 * 60 * 1000;

function unreadableLines(count: number): string {
  return count === 1
    ? "1 line of the ledger could not be read and is left as it is."
    : `${count} lines of the ledger could not be read and are left as they are.`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
