import { dirname } from "node:path";
import type { FacetKey } from "../core/facet.ts";
import type { Journal, JournalPart } from "../core/journal.ts";
import { lineStoresIn } from "./erase/lines.ts";
import { appendLine } from "./files.ts";
import { isNamedIn } from "./wholeWord.ts";

/** One JSON object a line; only ever appended to, but for what a purge takes out. */
export function openJournal(path: string): Journal {
  return {
    path,
    append: (line) => appendLine(path, JSON.stringify(line)),
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

/** What was cut off in the middle is its own as soon as it names it; of what tells of others alone nothing is known here. */
function isOf(text: string, { keys, conversationId, except }: JournalPart): boolean {
  const mayName = text.includes(conversationId);
  if (!mayName && ![...keys].some((key) => text.includes(JSON.stringify(key)))) return false;
  const line = parsed(text);
  if (line === undefined) return isNamedIn(text, conversationId);
  if (line.id === except) return false;
  const session = line.session ?? line.receipt?.session;
  return (session !== undefined && keys.has(session)) || (mayName && stringsIn(line).some((each) => isNamedIn(each, conversationId)));
}

/** As far as it matters here, whatever else it is. */
interface Line {
  readonly id?: unknown;
  readonly session?: FacetKey;
  readonly receipt?: { readonly session?: FacetKey } | null;
}

function parsed(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === "object" && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
