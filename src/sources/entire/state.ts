import * as z from "zod";
import { parseJson } from "./jsonText.ts";
import { ownerOf } from "./owner.ts";
import type { Owner } from "./owner.ts";
import { pendingWords } from "./pending.ts";
import { timeOf } from "./times.ts";

/** What we read in a state file of Entire. It holds much else, which is nobody's business but its own. */
export interface State {
  readonly id: string;
  /** Ended is also what has an end and another phase. */
  readonly phase: "active" | "idle" | "ended";
  readonly owner: Owner;
  /** Why it is none of ours to change. */
  readonly untouchable: { readonly kind: "moved"; readonly to: string } | { readonly kind: "imported" } | undefined;
  readonly agentType: string | undefined;
  readonly prompt: string | undefined;
  readonly cwd: string | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly lastInteractionAt: number | undefined;
  /** Work that no checkpoint holds yet, in words. */
  readonly pending: string | undefined;
}

/** Tolerant key by key: one that can't be used is as one that is not there. */
const text = z.string().min(1).optional().catch(undefined);
const time = z.string().transform(timeOf).optional().catch(undefined);
const list = z.array(z.unknown()).catch([]);
const anything = z.unknown().optional();
const StateShape = z.object({
  session_id: z.string(),
  phase: text,
  kind: anything,
  owner: anything.transform(ownerOf),
  adopted_into_worktree_path: anything,
  adopted_into_worktree_id: anything,
  agent_type: text,
  last_prompt: text,
  first_prompt: text,
  worktree_path: text,
  started_at: time,
  ended_at: anything,
  last_interaction_time: time,
  files_touched: list,
  task_records: list,
  checkpoint_count: z.int().catch(0),
  fully_condensed: z.boolean().catch(false),
});

/** Undefined for what is no state, or says that it is another session's than its file's name does. */
export function parseState(json: string, id: string): State | undefined {
  const value = parseJson(json);
  const { data } = StateShape.safeParse(value);
  if (!data || Array.isArray(value) || data.session_id !== id || !isStateId(id)) return undefined;
  return {
    id,
    phase: phaseOf(data.phase, data.ended_at),
    owner: data.owner,
    untouchable: untouchableOf(data),
    agentType: data.agent_type,
    prompt: data.last_prompt ?? data.first_prompt,
    cwd: data.worktree_path,
    startedAt: data.started_at,
    endedAt: typeof data.ended_at === "string" ? timeOf(data.ended_at) : undefined,
    lastInteractionAt: data.last_interaction_time,
    pending: pendingWords({
      files: data.files_touched.length,
      tasks: data.task_records.length,
      steps: data.fully_condensed ? 0 : data.checkpoint_count,
    }),
  };
}

/** An id becomes part of a path, and other programs' rules for names differ: no more than this is taken. */
export function isStateId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(id) && !id.endsWith(".") && !reservedName.test(id);
}
const reservedName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

function phaseOf(phase: string | undefined, endedAt: unknown): State["phase"] {
  if (phase === "ended" || typeof endedAt === "string") return "ended";
  return phase === "active" || phase === "active_committed" ? "active" : "idle";
}

/** What is said in a way that we don't understand forbids as well. */
function untouchableOf(told: {
  readonly kind?: unknown;
  readonly adopted_into_worktree_path?: unknown;
  readonly adopted_into_worktree_id?: unknown;
}): State["untouchable"] {
  const { kind, adopted_into_worktree_path: path, adopted_into_worktree_id: worktree } = told;
  if (isSaid(path) || isSaid(worktree)) return { kind: "moved", to: typeof path === "string" && path !== "" ? path : "another worktree" };
  return kind === "imported" || (isSaid(kind) && typeof kind !== "string") ? { kind: "imported" } : undefined;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
