import { open } from "node:fs/promises";
import { dirname } from "node:path";
import type { FacetKey } from "../core/facet.ts";
import type { Journal, JournalPart } from "../core/journal.ts";
import { findPurged } from "./earlierPurge.ts";
import { lineStoresIn } from "./erase/lines.ts";
import { appendLine, isAbsence } from "./files.ts";
import { isNamedIn } from "./wholeWord.ts";

/** One JSON object a line; only ever appended to, but for what a purge takes out. */
export function openJournal(path: string): Journal {
  return {
    path,
    // A line that was cut off by a full disk must not swallow the next one.
    append: async (line) => appendLine(path, `${(await endsInMidLine(path)) ? "\n" : ""}${JSON.stringify(line)}`),
    findPurged: (of) => findPurged(path, of),
    stores: (part) =>
      lineStoresIn({
        name: "its lines in the journal",
        root: dirname(path),
        path,
        belongsBecause: "they tell of operations on it, or name it",
        isIts: (line) => isOf(line, part),
      }),
  };
}

/**
 * What was cut off in the middle is its own as soon as it names it; of what tells of others alone nothing is known here. A purge's lines are the proof of it,
 * and a key may have been another conversation's before: the name of a registry's row is used again and again.
 */
function isOf(text: string, { keys, conversationId, except }: JournalPart): boolean {
  const mayName = text.includes(conversationId);
  if (!mayName && ![...keys].some((key) => text.includes(JSON.stringify(key)))) return false;
  const line = parsed(text);
  if (line === undefined) return isNamedIn(text, conversationId);
  if (line.id === except || (line.operation ?? line.receipt?.operation) === "purge") return false;
  const captured = line.receipt?.captured?.id;
  if (captured !== undefined) return captured === conversationId;
  const session = line.session ?? line.receipt?.session;
  return session !== undefined && (keys.has(session) || isNamedIn(session, conversationId));
}

async function endsInMidLine(path: string): Promise<boolean> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    if (size === 0) return false;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] !== 0x0a;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** As far as it matters here, whatever else it is. */
interface Line {
  readonly id?: unknown;
  readonly operation?: unknown;
  readonly session?: FacetKey;
  readonly receipt?: { readonly operation?: unknown; readonly session?: FacetKey; readonly captured?: { readonly id?: unknown } } | null;
}

function parsed(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === "object" && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}
