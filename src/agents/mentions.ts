import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { LeftAlone } from "../core/store.ts";
import { countOf } from "../system/erase/rows.ts";
import { entriesOf, isReadable } from "../system/erase/unreadable.ts";
import { replacedBy } from "../system/leftTemps.ts";

interface Sought {
  readonly home: string;
  readonly id: string;
  /** When it began: what was written last before that can't name it. */
  readonly since?: number | undefined;
  /** Folders of the home that hold programs, or copies of a person's files. */
  readonly except?: RegExp;
  /** Of paths in the home: what is another conversation's, or a list of all, and may have no more than the id. */
  readonly ofOthers: RegExp;
}

/** Whatever else in a home holds the id: what a search for it would still find after a purge. */
export async function mentionsBelow(sought: Sought, known: Iterable<{ readonly path: string }>): Promise<readonly LeftAlone[]> {
  const found: LeftAlone[] = [];
  for await (const path of filesBelow(sought.home, new Set([...known].map((each) => each.path)), sought.except)) {
    if (!(await isNamedIn(path, sought))) continue;
    const isOfOthers = sought.ofOthers.test(relative(sought.home, path));
    if (isOfOthers) found.push({ name: "what is of others", path, why: "it is not its own, and names it", holds: "id" });
    else found.push({ name: "a file that names it", path, why: "it is not known what it is for", holds: "text" });
  }
  return found;
}

/** What can't be read is told by whoever asks for that. */
async function* filesBelow(folder: string, taken: ReadonlySet<string>, except?: RegExp): AsyncGenerator<string> {
  const entries = await entriesOf(folder);
  for (const entry of entries === "unreadable" ? [] : entries) {
    const path = join(folder, entry.name);
    const of = (replacedBy(path) ?? path).replace(/-(wal|shm|journal)$/, "");
    if (taken.has(path) || taken.has(of)) continue;
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !except?.test(entry.name)) yield* filesBelow(path, taken);
  }
}

async function isNamedIn(path: string, { id, since = 0 }: Sought): Promise<boolean> {
  if (path.includes(id)) return true;
  const found = await lstat(path).catch(() => undefined);
  if (!found || found.mtimeMs < since - clocksDifferMs || !(await isReadable(path))) return false;
  return (await countOf(id, [path])) > 0;
}
const clocksDifferMs = 60_000;
