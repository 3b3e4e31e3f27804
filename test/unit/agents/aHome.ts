import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Agent } from "../../../src/core/agent.ts";
import type { Kept } from "../../../src/core/store.ts";
import { noAbort } from "./seen.ts";

/** What a purge of this conversation would delete in this home. */
export async function planIn(agent: Agent, home: string, id: string): Promise<Kept> {
  const kept = await agent.stores?.({ conversation: { agent: agent.id, id, toldBy: "agent", home }, cwd: undefined, configHomes: [] }, noAbort);
  return kept ?? expect.fail(`${agent.name} has no stores`);
}

/** Deletes all of a plan, in its order; resolves with the outcome of each store by its name. */
export async function eraseAll({ stores }: Kept): Promise<readonly (readonly [string, string])[]> {
  const outcomes: (readonly [string, string])[] = [];
  for (const store of stores) {
    const outcome = await store.erase(noAbort);
    outcomes.push([store.name, outcome.kind === "blocked" ? outcome.reason : outcome.kind]);
  }
  return outcomes;
}

export async function residueOf({ stores }: Kept): Promise<readonly string[]> {
  return (await Promise.all(stores.map((store) => store.residue(noAbort)))).flat();
}

/** Every file below a folder with its bytes; a link with what it leads to. */
export async function treeOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const tree = new Map<string, string>();
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(each.parentPath, each.name);
    if (each.isSymbolicLink()) tree.set(path, `-> ${await readlink(path)}`);
    else if (each.isFile()) tree.set(path, await readFile(path, "latin1"));
    else tree.set(path, "a folder");
  }
  return tree;
}

/** The paths that have one of these texts in their name or their bytes. */
export async function holding(folder: string, ...texts: readonly string[]): Promise<readonly string[]> {
  return [...(await treeOf(folder))].filter(([path, bytes]) => texts.some((text) => path.includes(text) || bytes.includes(text))).map(([path]) => path);
}
