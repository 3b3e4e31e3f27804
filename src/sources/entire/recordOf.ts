import type { Agent } from "../../core/agent.ts";
import type { Evidence } from "../../core/evidence.ts";
import type { Conversation, FacetKey, Liveness, Recorded, SessionRecord } from "../../core/facet.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { markOf } from "./repositories.ts";
import type { State } from "./state.ts";

/** What the census tells of a state's owner. */
export interface Ownership {
  readonly liveness: Evidence<Liveness>;
  /** Only where it may be the session's own. */
  readonly process?: ProcessIdentity;
}

/** A state as a record of the roster. */
export function recordOf(state: State, common: string, { liveness, process }: Ownership, agents: readonly Agent[], at: number): SessionRecord {
  const { cwd, startedAt, pending } = state;
  const agent = agentIn(state, agents);
  const conversation = agent && conversationOf(state, agent);
  const title = state.prompt === undefined ? undefined : titleIn(state.prompt);
  const lastInteractionAt = state.lastInteractionAt ?? (state.phase === "active" ? startedAt : undefined);
  return {
    kind: "record",
    key: keyOf(state.id, common),
    source: "entire",
    place: common,
    liveness: ofBook(state, liveness),
    says: says(state, at),
    ...(process && { process }),
    ...(agent && { agent: agent.id }),
    ...(conversation && { conversation }),
    ...(title !== undefined && { title }),
    ...(cwd !== undefined && { cwd }),
    ...(startedAt !== undefined && { startedAt }),
    ...(lastInteractionAt !== undefined && { lastInteractionAt }),
    ...(pending !== undefined && { pending }),
    ...(state.phase === "idle" && { isBetweenTurns: true }),
  };
}

export function keyOf(id: string, common: string): FacetKey {
  return `entire:${id}@${markOf(common)}`;
}

/** As an agent calls itself. */
export function agentIn({ agentType }: State, agents: readonly Agent[]): Agent | undefined {
  return agents.find(({ name }) => name === agentType);
}

/** A session that was moved goes on under the same id elsewhere: what stays here is a sign, and may not claim it. */
function conversationOf({ id, untouchable }: State, agent: Agent): Conversation | undefined {
  return untouchable?.kind === "moved" || !agent.idPattern.test(id) ? undefined : { agent: agent.id, id, toldBy: "record" };
}

function says({ phase, untouchable, endedAt }: State, at: number): Evidence<Recorded> {
  if (untouchable?.kind === "moved") return { value: "archived", seen: `moved to ${untouchable.to}`, at };
  if (untouchable?.kind === "imported") return { value: "archived", seen: "imported, read only", at };
  return phase === "ended" ? { value: "ended", seen: "phase ended", at: endedAt ?? at } : { value: "active", seen: `phase ${phase}`, at };
}

/** That an owner lives says nothing of a session that is over: after `/clear` the same process has another. There the book's word stands. */
function ofBook({ phase, untouchable }: State, liveness: Evidence<Liveness>): Evidence<Liveness> {
  const isOver = phase === "ended" || untouchable !== undefined;
  return isOver && liveness.value !== "gone" ? { ...liveness, value: "unseen", seen: "its book is closed" } : liveness;
}

/** A prompt may be a whole file: of that a row needs one line. */
function titleIn(prompt: string): string | undefined {
  const line = prompt
    .slice(0, 10 * longestTitle)
    .split(/[\r\n]+/)
    .map((each) => each.replaceAll(/[\s\p{Cc}]+/gu, " ").trim())
    .find((each) => each !== "");
  if (line === undefined) return undefined;
  return line.length <= longestTitle ? line.toWellFormed() : `${line.slice(0, longestTitle - 1).toWellFormed()}…`;
}
const longestTitle = 200;
