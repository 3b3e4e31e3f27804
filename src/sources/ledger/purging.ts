import type { Conversation, FacetKey } from "../../core/facet.ts";
import { isSameConversation } from "../../core/facet.ts";
import { isNamedIn } from "../../system/wholeWord.ts";
import { fold } from "./entry.ts";
import type { Entry, LedgerLine } from "./entry.ts";

/** What is gone for good, and whose entry it was. */
export interface Purged {
  readonly id: string;
  readonly conversation: Conversation;
  readonly at: number;
}

/** By the ids of entries: what stands in the place of all their lines. Undefined: nothing, since they were forgotten. All other lines are others'. */
export type Rewriting = ReadonlyMap<string, Entry | undefined>;

/** The entry stays, as one of which nothing more is told than that it was there. Others that have had the same conversation, or name it, lose that. */
export function rewritingOf(lines: readonly LedgerLine[], purged: Purged): Rewriting {
  const { id: own, conversation } = purged;
  const names = namerOf(conversation);
  const entries = new Map<string, Entry>();
  const titles = new Map<string, Set<string>>();
  const touched = new Set<string>();
  for (const line of lines) {
    fold(entries, line);
    const id = "forgotten" in line ? line.forgotten : line.id;
    if (id === own || names(line)) touched.add(id);
    if ("forgotten" in line || line.title === undefined) continue;
    titles.set(id, (titles.get(id) ?? new Set()).add(line.title));
  }
  const ids = new Set(entries.keys());
  return new Map([...touched].map((id) => [id, next(entries.get(id), titles.get(id) ?? new Set())] as const));

  function next(entry: Entry | undefined, known: ReadonlySet<string>): Entry | undefined {
    if (!entry) return undefined;
    const isIts = entry.id === own || isOfIt(entry.conversation, conversation);
    const { firstKey, seenWith } = entry;
    const id = names({ forgotten: entry.id }) ? freshId(entry.id.slice(0, -conversation.id.length - 1)) : entry.id;
    const silent: Entry = {
      ...entry,
      id,
      firstKey: firstKey !== undefined && isNamedIn(firstKey, conversation.id) ? undefined : firstKey,
      seenWith: seenWith?.filter((key) => !isNamedIn(key, conversation.id)),
    };
    if (!isIts) return silent;
    const emptied: Entry = {
      ...silent,
      conversation: undefined,
      title: undefined,
      givenName: isFrom(known, entry.givenName) ? undefined : entry.givenName,
      end: entry.end && { ...entry.end, lastScreen: undefined },
    };
    // Whoever has it open by now tells of it again as soon as it is seen.
    if (entry.id !== own && entry.state === "active") return emptied;
    return { ...emptied, state: "purged", left: undefined, purgedAt: entry.purgedAt ?? purged.at };
  }

  function freshId(word: string): string {
    let id = word;
    for (let nth = 2; ids.has(id); nth++) id = `${word}-${nth}`;
    ids.add(id);
    return id;
  }
}

/** Whether a line that can't be read is of the entry, or names the conversation: it was cut off. */
export function isRestOf(text: string, { id, conversation }: Purged): boolean {
  return text.startsWith(`{"id":${JSON.stringify(id)}`) || isNamedIn(text, conversation.id) || text.includes(`-${conversation.id}"`);
}

/** Its own conversation, an entry's id that was told from others by it, or a key. */
function namerOf(conversation: Conversation): (line: LedgerLine) => boolean {
  const isOwnId = (id: string): boolean => id.endsWith(`-${conversation.id}`);
  const isKey = (key: FacetKey): boolean => isNamedIn(key, conversation.id);
  return (line) =>
    "forgotten" in line
      ? isOwnId(line.forgotten)
      : isOwnId(line.id) ||
        isOfIt(line.conversation, conversation) ||
        (line.firstKey !== undefined && isKey(line.firstKey)) ||
        (line.seenWith?.some(isKey) ?? false);
}

/** One id in two config homes is two conversations. */
function isOfIt(one: Conversation | undefined, purged: Conversation): boolean {
  const isElsewhere = one?.home !== undefined && purged.home !== undefined && one.home !== purged.home;
  return !isElsewhere && isSameConversation(one, purged);
}

/** A person was shown the title when they named it, and may have kept it. */
function isFrom(titles: ReadonlySet<string>, givenName: string | undefined): boolean {
  if (givenName === undefined) return false;
  const word = wordOf(givenName);
  return [...titles].map(wordOf).some((title) => title !== "" && (title.includes(word) || word.includes(title)));
}

function wordOf(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").replace(/…$/, "").trim();
}
