import type { ProcessEntry } from "../census.ts";
import type { Scales } from "../orphanFinder.ts";
import { cpuWords } from "../usage.ts";
import type { Usage } from "../usage.ts";

/** What the tree of an agent takes. */
export interface Weighed {
  readonly usage: Usage;
  /** Why what runs below the agent is needed, though the agent is idle: as a clause. */
  readonly need: string | undefined;
}

/** Each tree's agent is its first. */
export async function weigh(trees: readonly (readonly ProcessEntry[])[], scales: Scales, signal: AbortSignal): Promise<readonly (Weighed | undefined)[]> {
  const below = trees.map((tree) => tree.slice(1));
  const [usages, clients] = await Promise.all([scales.usageOf([...trees, ...below], signal), scales.clientsOf(trees)]);
  return trees.map((_tree, nth) => {
    const [usage, ofBelow] = [usages[nth], usages[trees.length + nth]];
    return usage && { usage, need: clients[nth] === "some" ? "somebody is connected to what runs below it" : workOf(ofBelow) };
  });
}

function workOf(below: Usage | undefined): string | undefined {
  return (below?.cpuNow ?? 0) > quietShare && below ? `what runs below it is at work: ${cpuWords(below)}` : undefined;
}
/** Of one core: what only waits takes less. */
const quietShare = 0.2;
