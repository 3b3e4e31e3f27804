import type { Conversation } from "../../core/facet.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Entry, LedgerLine } from "./entry.ts";

/** The entries at one moment, with what a note of many sessions adds to them as it goes. */
export interface Book {
  readonly size: number;
  has(id: string): boolean;
  note(line: LedgerLine): void;
  /** Those that may be of this process or conversation, in the order of the book: without a look at all the others. */
  kinOf(process: ProcessIdentity, conversation: Conversation | undefined): readonly Entry[];
}

export function bookOf(entries: ReadonlyMap<string, Entry>): Book {
  const byId = new Map<string, { readonly entry: Entry; readonly at: number }>();
  const byMark = new Map<string, Set<string>>();
  let next = 0;
  for (const entry of entries.values()) put(entry);

  return {
    get size() {
      return byId.size;
    },
    has: (id) => byId.has(id),
    note: (line) => ("forgotten" in line ? void byId.delete(line.forgotten) : put(line)),
    kinOf(process, conversation) {
      const ids = new Set(marksOf(process, conversation).flatMap((mark) => [...(byMark.get(mark) ?? [])]));
      const found = [...ids].flatMap((id) => byId.get(id) ?? []);
      return found.sort((a, b) => a.at - b.at).map(({ entry }) => entry);
    },
  };

  function put(entry: Entry): void {
    byId.set(entry.id, { entry, at: byId.get(entry.id)?.at ?? next++ });
    for (const mark of marksOf(entry.process, entry.conversation)) byMark.set(mark, (byMark.get(mark) ?? new Set()).add(entry.id));
  }
}

function marksOf({ pid }: ProcessIdentity, conversation: Conversation | undefined): readonly string[] {
  return [`pid ${pid}`, ...(conversation ? [`${conversation.agent} ${conversation.id}`] : [])];
}
