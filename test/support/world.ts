import type { Agent } from "../../src/core/agent.ts";
import type { AgentId, Facet, FacetKey, SessionRecord, SourceId } from "../../src/core/facet.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import type { Ladder, Remnant, Rung, Taken } from "../../src/core/ladder.ts";
import type { Ledger } from "../../src/core/ledger.ts";
import { merge } from "../../src/core/merge.ts";
import type { OperationContext, OperationEvent } from "../../src/core/operations/operation.ts";
import type { Session } from "../../src/core/session.ts";
import type { Change, Look, Source } from "../../src/core/source.ts";
import { aRecord, censusOf, now, pid, without } from "./facets.ts";

export interface LadderPlan {
  /** What is left at the start, and after each rung; the last stays. */
  readonly left?: readonly (readonly Remnant[])[];
  readonly rungs?: readonly (Partial<Rung> & Pick<Rung, "step">)[];
  readonly ends?: Ladder["ends"];
  readonly lastWords?: string;
}

/** What comes between, as another window or an agent would. */
export interface Hooks {
  onLook?: (facet: Facet, look: number) => Look | undefined;
  underLock?: (record: SessionRecord) => SessionRecord;
  onTake?: (rung: string) => void;
}

/** A world in memory: facets by key, books that can be changed, one ladder. */
export interface World {
  readonly session: Session;
  readonly context: OperationContext;
  readonly store: Map<FacetKey, Facet>;
  readonly agents: Map<AgentId, Agent>;
  readonly sources: Map<SourceId, Source>;
  readonly hooks: Hooks;
  /** Locked by somebody else, or by an operation that has not let go. */
  readonly held: Set<string>;
  readonly abort: AbortController;
  /** Each change that a book took: "mux:r stopped". */
  readonly told: string[];
  readonly changes: Change[];
  readonly journal: JournalLine[];
  readonly events: OperationEvent[];
  readonly taken: string[];
  readonly pauses: number[];
}

export const asked = { reason: "manual_stop", reach: "session" } as const;
export const theAgent: Remnant = { kind: "process", process: pid(41), name: "claude", bond: "tree" };
export const itsChild: Remnant = { kind: "process", process: pid(42), name: "sleep", bond: "tree" };

export function aWorld(facets: readonly Facet[], plan: LadderPlan = {}): World {
  const store = new Map<FacetKey, Facet>(facets.map((facet) => [facet.key, facet]));
  const hooks: Hooks = {};
  const held = new Set<string>();
  const abort = new AbortController();
  const told: string[] = [];
  const changes: Change[] = [];
  const journal: JournalLine[] = [];
  const events: OperationEvent[] = [];
  const taken: string[] = [];
  const pauses: number[] = [];
  const agents = new Map<AgentId, Agent>();
  let looks = 0;

  const record: NonNullable<Source["record"]> = async (entry, change, guard) => {
    const current = store.get(entry.key);
    if (current?.kind !== "record") throw new Error(`${entry.key} is no record here`);
    const fresh = hooks.underLock?.(current) ?? current;
    if (!guard(fresh)) return { kind: "changedMeanwhile", fresh };
    told.push(`${entry.key} ${change.kind}`);
    changes.push(change);
    return { kind: "recorded" };
  };
  const withLadder: NonNullable<Source["withLadder"]> = (_run, _census, climb) => climb(ladderOf(plan, taken, hooks));
  const ledger: Ledger = {
    ...sourceOf("ledger", { record }),
    id: "ledger",
    note: async ({ key, conversation }) => {
      const entry = { ...without(aRecord("ledger", { key: "ledger:x", firstKey: key }), "process", "conversation"), ...(conversation && { conversation }) };
      store.set(entry.key, entry);
      return entry;
    },
    noteAll: async () => [],
    clear: async () => ({ kind: "alreadySo" }),
  };
  const sources = new Map<SourceId, Source>([
    ["process", sourceOf("process", { withLadder, peek: async () => "last screen" })],
    ["ledger", ledger],
    ["mux", sourceOf("mux", { record })],
    ["opencode", sourceOf("opencode", { withLadder })],
    ["entire", sourceOf("entire", { record })],
    ["tracking", sourceOf("tracking", { record })],
  ]);
  const context: OperationContext = {
    sources,
    agents,
    ledger,
    journal: { path: "journal.jsonl", append: async (line) => void journal.push(line), stores: async () => [], findPurged: async () => undefined },
    configHomes: [],
    ours: 1,
    environmentOf: async () => new Map(),
    realPath: async (path) => path,
    takeCensus: async () => censusOf(),
    tryLock: async (keys) => {
      if (keys.some((key) => held.has(key))) return undefined;
      for (const key of keys) held.add(key);
      return { [Symbol.asyncDispose]: async () => void keys.map((key) => held.delete(key)) };
    },
    pause: async (forMs) => void pauses.push(forMs),
    now: () => now,
    tell: (event) => void events.push(event),
    signal: abort.signal,
  };
  const [session] = merge(facets, now);
  if (!session) throw new Error("a world needs a session");
  return { session, context, store, agents, sources, hooks, held, abort, told, changes, journal, events, taken, pauses };

  function sourceOf(id: SourceId, powers: Partial<Source>): Source {
    return {
      id,
      read: async () => ({ facets: [...store.values()].filter(({ source }) => source === id), unreachable: [], notices: [] }),
      lookAgain: async (facet) => {
        const fresh = store.get(facet.key);
        return hooks.onLook?.(facet, ++looks) ?? (fresh ? { kind: "seen", facet: fresh } : { kind: "notThere" });
      },
      watch: () => ({ [Symbol.dispose]() {} }),
      ...powers,
    };
  }
}

function ladderOf({ left = [[theAgent], []], rungs = threeRungs, ends = "session", lastWords }: LadderPlan, taken: string[], hooks: Hooks): Ladder {
  let at = 0;
  return {
    ends,
    rungs: rungs.map((rung) => {
      const does = rung.does ?? rung.step;
      const take = async (): Promise<Taken> => {
        hooks.onTake?.(does);
        taken.push(does);
        at = Math.min(at + 1, left.length - 1);
        return { kind: "taken", did: does };
      };
      return { reach: "session", does, graceMs: 5, take, ...rung };
    }),
    remains: async () => left[at] ?? [],
    settled: async () => left[at] ?? [],
    ...(lastWords !== undefined && { lastWords: async () => lastWords }),
  };
}
const threeRungs = [{ step: "ask" }, { step: "hangUp" }, { step: "kill" }] as const;
