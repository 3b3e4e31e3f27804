import { isDeepStrictEqual } from "node:util";
import type { Conversation, Run } from "../../core/facet.ts";
import { isSameConversation } from "../../core/facet.ts";
import { lastScreenLine } from "../../core/lastScreen.ts";
import { isSameProcess, wordOf } from "../../core/process.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Session } from "../../core/session.ts";
import type { Change } from "../../core/source.ts";
import type { Book } from "./book.ts";
import type { Entry, LedgerLine } from "./entry.ts";

/** A purge takes lines out instead. */
export type AddedChange = Exclude<Change, { kind: "purged" }>;

/** The lines that a change of one entry needs; none where it already says so. */
export function linesOfChange(entry: Entry, change: AddedChange, now: number): readonly LedgerLine[] {
  const next = changed(entry, change, now);
  return next === undefined ? [{ forgotten: entry.id }] : isSame(entry, next) ? [] : [next];
}

function changed(entry: Entry, change: AddedChange, now: number): Entry | undefined {
  switch (change.kind) {
    case "idCaptured":
      return { ...entry, conversation: better(change.conversation, entry.conversation) };
    case "stopped": {
      const { how, at, reason, conversation, lastScreen } = change;
      return {
        ...entry,
        conversation: better(conversation, entry.conversation),
        seenAt: at,
        state: "ended",
        left: undefined,
        end: { how, at, reason, lastScreen: lastScreen && lastScreenLine(lastScreen) },
      };
    }
    case "survived":
      return { ...entry, left: change.left };
    case "exited":
      return { ...entry, conversation: entry.conversation ?? change.conversation, state: "ended", left: undefined, end: { how: "exited", at: entry.seenAt } };
    case "resumed":
      return change.run.host.kind === "process"
        ? { ...entry, process: change.run.host.process, seenAt: now, state: "active", isArchived: undefined, left: undefined, end: undefined }
        : entry;
    case "renamed":
      return { ...entry, givenName: change.to.trim() || undefined };
    case "archived":
      return { ...entry, isArchived: true };
    case "unarchived":
      return { ...entry, isArchived: undefined };
    case "restored":
      return entry;
    case "forgotten":
      return undefined;
  }
}

/** What a living session adds to the ledger. One process that goes on to a new conversation leaves the old one behind, ended and resumable. */
export function linesOfSighting(
  session: Session,
  { run, process }: Living,
  book: Book,
  livesOn: (entry: Entry) => boolean,
  now: number,
): { readonly entry: Entry; readonly lines: readonly LedgerLine[] } {
  const all = book.kinOf(process, run.conversation);
  // It was proved gone, and gone is for ever: this sighting is older than that.
  const over = all.find((entry) => isSameProcess(entry.process, process) && entry.state !== "active" && entry.end?.how !== "cleared");
  if (over) return { entry: over, lines: [] };

  // Open in two processes at once: the row of the other is not taken from it.
  const isOthers = (entry: Entry): boolean => entry.state === "active" && !isSameProcess(entry.process, process) && livesOn(entry);
  const past = latestOf(
    run.conversation,
    all.filter((entry) => !isOthers(entry)),
  );
  const active = all.filter((entry) => isSameProcess(entry.process, process) && entry.state === "active");
  // Seen before it told that it goes on with an old conversation, which has a row already.
  const early =
    past === undefined ? [] : active.filter((entry) => entry !== past && (!entry.conversation || isSameConversation(entry.conversation, past.conversation)));
  const forgotten = early.map(({ id }) => ({ forgotten: id }));
  const known = active.find((entry) => !early.includes(entry)) ?? past;
  const isLeft = known?.conversation !== undefined && run.conversation !== undefined && !isSameConversation(known.conversation, run.conversation);
  if (!known || isLeft) {
    const left: Entry | undefined = known && { ...known, firstKey: undefined, state: "ended", end: { how: "cleared", at: now } };
    const entry = seen(past ?? { id: freshId(process, run, book) }, session, run, process, now);
    return { entry, lines: [...forgotten, ...(left ? [left, entry] : [entry])] };
  }
  const entry = seen(known, session, run, process, now);
  const isNews = !isSame({ ...entry, seenAt: known.seenAt }, known) || now - known.seenAt > noteEveryMs;
  return { entry, lines: [...forgotten, ...(isNews ? [entry] : [])] };
}
/** How exact "last seen" is of an agent that nothing else is written about. */
const noteEveryMs = 10 * 60 * 1000;

/** A run that is a process of its own. */
export interface Living {
  readonly run: Run;
  readonly process: ProcessIdentity;
}

/** The same conversation, taken up again in a new process. */
function latestOf(conversation: Conversation | undefined, entries: readonly Entry[]): Entry | undefined {
  return entries.filter((entry) => isSameConversation(entry.conversation, conversation)).toSorted((a, b) => b.seenAt - a.seenAt)[0];
}

function freshId(process: ProcessIdentity, { conversation }: Run, book: Book): string {
  const word = `${process.bootId?.slice(0, 8) ?? "boot"}-${wordOf(process)}`;
  return book.has(word) ? `${word}-${conversation?.id ?? book.size}` : word;
}

function seen(known: Partial<Entry> & Pick<Entry, "id">, session: Session, run: Run, process: ProcessIdentity, now: number): Entry {
  const { firstKey = run.key, givenName } = known;
  const title = run.title ?? known.title;
  const others = session.records.filter(({ source }) => source !== "ledger").map(({ key }) => key);
  return {
    id: known.id,
    firstKey,
    agent: run.agent ?? session.agent ?? "claude",
    process,
    conversation: run.conversation
      ? { ...run.conversation, ...(run.configHome !== undefined && { home: run.conversation.home ?? run.configHome }) }
      : known.conversation,
    title,
    givenName,
    cwd: run.cwd ?? known.cwd,
    // Each window works it out from its own boot time: of one process the first word stands, or two windows would correct each other for ever.
    startedAt: isSameProcess(known.process, process) ? (known.startedAt ?? run.startedAt) : (run.startedAt ?? known.startedAt),
    seenAt: now,
    seenWith: others.length > 0 ? others : known.seenWith,
    state: "active",
  };
}

function better(told: Conversation | undefined, known: Conversation | undefined): Conversation | undefined {
  return told ?? known;
}

/** Evidence is of a moment; that it was seen again, or told by somebody else, is no news. */
function isSame(a: Entry, b: Entry): boolean {
  return isDeepStrictEqual(withoutMoments(a), withoutMoments(b));
}

/** As the file would give it back: without what is undefined. */
function withoutMoments({ conversation, ...entry }: Entry): unknown {
  const lasting = conversation && { ...conversation, toldBy: undefined, resumable: conversation.resumable?.value };
  return JSON.parse(JSON.stringify({ ...entry, conversation: lasting }));
}
