import type { Journal } from "../core/journal.ts";
import { appendLine } from "./files.ts";

/** One JSON object a line; only ever appended to. */
export function openJournal(path: string): Journal {
  return { append: (line) => appendLine(path, JSON.stringify(line)) };
}
