import type { ProcessEntry } from "./census.ts";
import type { Ladder } from "./ladder.ts";
import type { Trace } from "./orphanProtection.ts";
import type { Orphan } from "./orphans.ts";
import type { ProcessIdentity } from "./process.ts";
import type { Usage } from "./usage.ts";

/** Looks for what belongs to nobody, and tells what processes take. Only when a person asks: it reads the environment of everything that has no terminal. */
export interface OrphanFinder extends Scales {
  /** Everything afresh, the protected ones too. */
  find(signal: AbortSignal): Promise<readonly Orphan[]>;
  /** The same ones, with what each takes. */
  measured(orphans: readonly Orphan[], signal: AbortSignal): Promise<readonly Orphan[]>;
  /** Of what is no agent: SIGTERM to its tree by identity, then SIGKILL to what is left. */
  ladderOf(orphan: Orphan): Ladder;
}

export interface Scales {
  /** This program's own pid. */
  readonly ours: number;
  /** Each with all that runs below it but shared daemons; empty where it is gone. */
  treesOf(roots: readonly ProcessIdentity[], signal: AbortSignal): Promise<readonly (readonly ProcessEntry[])[]>;
  /** As measured now: what has ended takes nothing. */
  usageOf(trees: readonly (readonly ProcessEntry[])[], signal: AbortSignal): Promise<readonly Usage[]>;
  /** Whether somebody outside of each is connected to what it listens on. */
  clientsOf(trees: readonly (readonly ProcessEntry[])[]): Promise<readonly Trace["clients"][]>;
}
