import { readFile } from "node:fs/promises";
import type { FacetKey } from "../core/facet.ts";
import type { EarlierPurge, JournalLine } from "../core/journal.ts";
import { isAbsence } from "./files.ts";

/** The last purge that one of these was about, by the journal; not the one that is just running. */
export async function findPurged(
  path: string,
  { keys, except }: { readonly keys: ReadonlySet<FacetKey>; readonly except?: string },
): Promise<EarlierPurge | undefined> {
  const lines = (await textOf(path)).split("\n").flatMap((line) => (line.includes('"operation":"purge"') ? (parsed(line) ?? []) : []));
  const intent = lines.findLast((line) => line.kind === "intent" && line.id !== except && line.about?.keys.some((key) => keys.has(key)));
  if (intent?.kind !== "intent" || !intent.about) return undefined;
  const end = lines.find((line) => line.kind === "receipt" && line.id === intent.id);
  if (end?.kind !== "receipt") return { conversation: intent.about.conversation, came: "cutOff" };
  const hasDeleted = end.receipt.purged?.some(({ outcome }) => outcome.kind === "erased") === true;
  return { conversation: intent.about.conversation, came: hasDeleted ? "deletedSome" : "deletedNothing" };
}

async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (isAbsence(error)) return "";
    throw error;
  });
}

/** As we wrote it; what was cut off is none. */
function parsed(line: string): JournalLine | undefined {
  try {
    return JSON.parse(line) as JournalLine;
  } catch {
    return undefined;
  }
}
