import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import pLimit from "p-limit";
import { findStats, stampOf } from "../../system/ownFile.ts";
import { parseState } from "./state.ts";
import type { State } from "./state.ts";
import { largestBytes, readStateText } from "./stateFile.ts";

export type FolderReading =
  | { readonly kind: "absent" }
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "read"; readonly states: readonly State[]; readonly unreadable: number };

/** The states of one repository, read by us: the program's own commands delete old ones as they read. */
export interface StateFolder {
  readonly path: string;
  /** One look at the folder and at each file; what has not changed since is not read again. */
  read(): Promise<FolderReading>;
}

export function openStateFolder(common: string): StateFolder {
  const path = join(common, stateFolderName);
  let known = new Map<string, Known>();

  return {
    path,
    async read() {
      const folder = await lookAtFolder(path);
      if (folder.kind !== "folder") return folder;
      const names = (await readdir(path)).filter((name) => name.endsWith(ending)).sort();
      const fresh = new Map<string, Known>();
      const aFewAtATime = pLimit(readAtOnce);
      const found = await Promise.all(
        names.map((name) =>
          aFewAtATime(async () => {
            const each = await stateIn(name);
            if (each?.stamp !== undefined) fresh.set(name, each);
            return each;
          }),
        ),
      );
      known = fresh;
      const there = found.filter((each) => each !== undefined);
      return { kind: "read", states: there.flatMap(({ state }) => state ?? []), unreadable: there.filter(({ state }) => !state).length };
    },
  };

  /** Undefined for what went away meanwhile. */
  async function stateIn(name: string): Promise<Known | undefined> {
    const file = join(path, name);
    const stats = await findStats(file);
    if (!stats) return undefined;
    const before = known.get(name);
    if (before?.stamp === stampOf(stats)) return before;
    if (!stats.isFile() || stats.size > largestBytes) return { state: undefined };
    const text = await readStateText(file);
    if (text.kind === "absent") return undefined;
    if (text.kind === "unreadable") return { ...text, state: undefined };
    return { state: parseState(text.text, name.slice(0, -ending.length)), ...(text.isSettled && { stamp: text.stamp }) };
  }
}
export const stateFolderName = "entire-sessions";
export const lockFolderName = "entire-session-locks";
const ending = ".json";
/** Each holds a descriptor, and the editor has no thousands of them. */
const readAtOnce = 16;

interface Known {
  readonly state: State | undefined;
  /** Only of what can't be written again without another one. */
  readonly stamp?: string;
}

/** A folder itself: what a link leads to may be anywhere. */
export async function lookAtFolder(
  path: string,
): Promise<{ readonly kind: "folder" } | { readonly kind: "absent" } | { readonly kind: "unreachable"; readonly reason: string }> {
  const found = await findStats(path);
  if (!found) return { kind: "absent" };
  if (found.isDirectory()) return { kind: "folder" };
  return { kind: "unreachable", reason: `${basename(path)} is ${found.isSymbolicLink() ? "a symbolic link" : "no folder"}` };
}
