import { readFile } from "node:fs/promises";
import type { Conversation, FacetKey } from "../core/facet.ts";
import type { JournalLine } from "../core/journal.ts";
import { isAbsence } from "./files.ts";

/** The conversation that a purge of one of these was last about, by the journal's intents; whether it was completed is another matter. */
export async function findPurged(path: string, keys: ReadonlySet<FacetKey>): Promise<Conversation | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isAbsence(error)) return "";
    throw error;
  });
  for (const line of text.split("\n").toReversed()) {
    const found = line.includes('"operation":"purge"') ? intentIn(line) : undefined;
    if (found?.conversation && keys.has(found.session)) return found.conversation;
  }
  return undefined;
}

/** As we wrote it; what was cut off is none. */
function intentIn(line: string): (JournalLine & { readonly kind: "intent" }) | undefined {
  try {
    const parsed = JSON.parse(line) as JournalLine;
    return parsed.kind === "intent" && parsed.operation === "purge" ? parsed : undefined;
  } catch {
    return undefined;
  }
}
