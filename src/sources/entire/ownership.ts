import { agentOf } from "../../core/agent.ts";
import type { Agent } from "../../core/agent.ts";
import type { Census } from "../../core/census.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { livenessOfOwner, processOfOwner } from "./owner.ts";
import type { Owner } from "./owner.ts";
import { agentIn } from "./recordOf.ts";
import type { Ownership } from "./recordOf.ts";
import type { State } from "./state.ts";

/**
 * Whose process an owner is. It may be an editor or a daemon, which must never be signalled: a state names it as its own only where an agent's file
 * recognises it as its agent, or it is gone, and no other state names it.
 */
export function ownershipIn(states: readonly State[], census: Census, agents: readonly Agent[]): (state: State) => Ownership {
  const claims = Map.groupBy(states.filter(canClaim), ({ owner }) => wordOfOwner(owner));
  return (state) => {
    const liveness = livenessOfOwner(state.owner, census);
    const process = processOfOwner(state.owner);
    const mayBeIts = process && isOnlyClaim(state, claims.get(wordOfOwner(state.owner)) ?? []) && isItsOwn(process, state, liveness.value, census, agents);
    return { liveness, ...(mayBeIts && { process }) };
  };
}

/** After `/clear` one process has had two sessions, and only the open one is of now. */
function isOnlyClaim(state: State, claims: readonly State[]): boolean {
  const open = claims.filter(({ phase }) => phase !== "ended");
  const rivals = open.length > 0 ? open : claims;
  return rivals.length === 1 && rivals[0] === state;
}

function canClaim({ owner, untouchable }: State): boolean {
  return owner.kind === "told" && untouchable === undefined;
}

/** The pid alone may be another's in another boot, the name says nothing. */
function wordOfOwner(owner: Owner): string {
  return owner.kind === "told" ? JSON.stringify([owner.pid, owner.start, owner.boot, owner.host]) : "";
}

function isItsOwn(process: ProcessIdentity, state: State, liveness: Ownership["liveness"]["value"], { processes }: Census, agents: readonly Agent[]): boolean {
  if (liveness === "gone") return true;
  const entry = liveness === "alive" ? processes?.get(process.pid) : undefined;
  const recognised = entry && agentOf(entry, agents);
  if (recognised?.as.role !== "agent") return false;
  return state.agentType === undefined || recognised.agent === agentIn(state, agents);
}
