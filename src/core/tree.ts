import { descendantsOf } from "./census.ts";
import type { Census, ProcessEntry } from "./census.ts";
import { isSameProcess } from "./process.ts";
import type { ProcessIdentity } from "./process.ts";

/** Every process that was ever seen below the agent, whoever its parent is by now. */
export interface Tree {
  collect(census: Pick<Census, "processes">): void;
  readonly members: readonly ProcessEntry[];
}

/** `isOutside`: what others share is none of it, and neither is what stands below that. */
export function growTree(roots: readonly ProcessIdentity[], census: Pick<Census, "processes">, isOutside: (entry: ProcessEntry) => boolean): Tree {
  const members = new Map<string, ProcessEntry>();
  const tree: Tree = {
    collect(now) {
      const known = [...roots, ...[...members.values()].map(({ identity }) => identity)];
      const living = known.flatMap((identity) => livingEntry(identity, now) ?? []);
      const outside = new Set(descendantsOf(living, now).filter(isOutside));
      const below = new Set([...outside, ...descendantsOf([...outside], now)]);
      for (const entry of [...living, ...descendantsOf(living, now)]) if (!below.has(entry)) members.set(keyOf(entry), entry);
    },
    get members() {
      return [...members.values()];
    },
  };
  tree.collect(census);
  return tree;
}

function livingEntry(identity: ProcessIdentity, { processes }: Pick<Census, "processes">): ProcessEntry | undefined {
  const entry = processes?.get(identity.pid);
  return isSameProcess(entry?.identity, identity) ? entry : undefined;
}

function keyOf({ identity }: ProcessEntry): string {
  return `${identity.pid} ${JSON.stringify(identity.start)}`;
}
