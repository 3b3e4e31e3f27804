import { constants } from "node:fs";
import type { Dirent } from "node:fs";
import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { LeftAlone } from "../../core/store.ts";
import { isGone, whyNotChanged } from "./confined.ts";

/** What is in a folder: nothing where it is not there. A folder that can't be read is not one that holds nothing. */
export async function entriesOf(folder: string): Promise<readonly Dirent[] | "unreadable"> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    if (whyNotChanged(error) === undefined) throw error;
    return "unreadable";
  }
}

/** Where something of the conversation may be without anybody's seeing it: so it is not proved to be gone. */
export function unreadable(path: string, kind: "folder" | "file"): LeftAlone {
  return { name: `a ${kind} that can't be read`, path, why: "what of it is in there can't be told", holds: "unseen" };
}

/** Every folder and file that can't be read, in a folder and below it; what goes anyway, and what is there already, is not looked at, and no link is followed. */
export async function unreadableBelow(
  folder: string,
  known: Iterable<{ readonly path: string }>,
  depth = Number.POSITIVE_INFINITY,
): Promise<readonly LeftAlone[]> {
  return unreadableIn(folder, new Set([...known].map(({ path }) => path)), depth);
}

/** How long a way down is, `depth`: of 1 only the folder's own names are asked for, and its files. */
async function unreadableIn(folder: string, known: ReadonlySet<string>, depth: number): Promise<readonly LeftAlone[]> {
  const entries = await entriesOf(folder);
  if (entries === "unreadable") return [unreadable(folder, "folder")];
  const found: LeftAlone[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (known.has(path)) continue;
    if (entry.isFile() && !(await isReadable(path))) found.push(unreadable(path, "file"));
    if (entry.isDirectory() && depth > 1) found.push(...(await unreadableIn(path, known, depth - 1)));
  }
  return found;
}

/** What has gone meanwhile hides nothing. */
export async function isReadable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return true;
  } catch (error) {
    if (isGone(error)) return true;
    if (whyNotChanged(error) === undefined) throw error;
    return false;
  }
}
