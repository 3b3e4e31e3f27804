import { readFile } from "node:fs/promises";
import { descendantsOf } from "../core/census.ts";
import type { ProcessEntry } from "../core/census.ts";
import { unlessAbsent } from "./procFiles.ts";

/** Whether one of a tree has loaded what a program talks to a screen with; false where the system does not tell. A headless browser has loaded it too, and shows nothing. */
export async function mayHaveWindow(tree: readonly ProcessEntry[]): Promise<boolean> {
  const maps = await Promise.all(withoutHeadless(tree).map(({ identity }) => unlessAbsent(readFile(`/proc/${identity.pid}/maps`, "latin1"))));
  return maps.some((map) => /\/lib(X11|xcb|wayland-client)\.so/.test(map ?? ""));
}

function withoutHeadless(tree: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const headless = tree.filter(({ argv }) => argv.some((word) => /^--headless(=|$)/.test(word)));
  const processes = new Map(tree.map((entry) => [entry.identity.pid, entry]));
  const hidden = new Set([...headless, ...descendantsOf(headless, { processes })]);
  return tree.filter((entry) => !hidden.has(entry));
}
