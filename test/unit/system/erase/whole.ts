import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Store, StoreOutcome } from "../../../../src/core/store.ts";
import { noAbort } from "../../agents/seen.ts";

/** Every file, folder and link below a folder, with mode, owner and bytes: whatever is touched differs. */
export function wholeOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(namesIn(folder).map((name) => [name, wordOf(join(folder, name))]));
}

/** As it is without these, and what is below them. */
export function without(whole: Readonly<Record<string, string>>, ...gone: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !gone.some((each) => name === each || name.startsWith(`${each}/`))));
}

/** Of each store in turn: what became of it, and then what is left of it. */
export async function eraseAll(stores: readonly Store[]): Promise<readonly { readonly outcome: StoreOutcome; readonly residue: readonly string[] }[]> {
  const outcomes: StoreOutcome[] = [];
  for (const store of stores) outcomes.push(await store.erase(noAbort));
  return await Promise.all(stores.map(async (store, at) => ({ outcome: outcomes[at] ?? { kind: "absent" as const }, residue: await store.residue(noAbort) })));
}

export const erased = { outcome: { kind: "erased" }, residue: [] } as const;

/** No link is followed: node's own recursion does. */
function namesIn(folder: string, below = ""): readonly string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => [join(below, entry.name), ...(entry.isDirectory() ? namesIn(folder, join(below, entry.name)) : [])]);
}

function wordOf(path: string): string {
  const found = lstatSync(path);
  const what = found.isSymbolicLink() ? readlinkSync(path) : found.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "folder";
  return `${found.mode.toString(8)} ${found.uid}:${found.gid} ${what}`;
}
