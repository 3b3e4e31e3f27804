import { agentOf } from "../core/agent.ts";
import type { Agent, Recognised } from "../core/agent.ts";
import { canBeSeenFrom } from "../core/census.ts";
import type { Census, ProcessEntry } from "../core/census.ts";

export interface AgentProcess {
  readonly entry: ProcessEntry;
  readonly agent: Agent;
  readonly as: Recognised;
}

/** This user's agents: of launcher and inner process the inner one, which does the work; no daemons, servers or commands that end by themselves. */
export function agentProcesses(census: Census, agents: readonly Agent[]): readonly AgentProcess[] {
  const uid = process.getuid?.();
  const found = [...(census.processes?.values() ?? [])].flatMap((entry): AgentProcess[] => {
    const recognised = entry.uid === uid ? agentOf(entry, agents) : undefined;
    return recognised ? [{ entry, ...recognised }] : [];
  });
  const parts = found.filter(({ as }) => as.role === "agent" || as.role === "launcher");
  return parts.filter((part) => part.as.role === "agent" && !parts.some((inner) => isInside(inner, part)) && !isOnlyBeginning(part, parts, census));
}

/** Noted now, it would stay in the books as a session that it never was. */
function isOnlyBeginning(part: AgentProcess, parts: readonly AgentProcess[], { at }: Census): boolean {
  const { startsAnewWithinMs } = part.agent;
  if (startsAnewWithinMs === undefined || part.entry.startedAt === undefined || parts.some((outer) => isInside(part, outer))) return false;
  return at - part.entry.startedAt < startsAnewWithinMs;
}

/** A daemon or a server that others share, though it may have been started by this agent. */
export function isShared(entry: ProcessEntry, agents: readonly Agent[]): boolean {
  const role = agentOf(entry, agents)?.as.role;
  // A tmux server leaves its starter's session; what its panes run is nobody's child but its own.
  const isTmuxServer = entry.program?.file.split("/").at(-1) === "tmux" && entry.sessionId === entry.identity.pid;
  return role === "daemon" || role === "server" || isTmuxServer;
}

/** The same agent's process above it that only started it. */
export function isInside(inner: AgentProcess, outer: AgentProcess): boolean {
  return (
    inner.agent === outer.agent &&
    inner.entry.parentPid === outer.entry.identity.pid &&
    inner.entry.sessionId === outer.entry.sessionId &&
    inner.entry.groupId === outer.entry.groupId
  );
}

/** Where its pid means nothing here, in words. */
export function whyElsewhere({ identity }: Pick<ProcessEntry, "identity">, { here }: Census): string | undefined {
  return canBeSeenFrom(here, identity) ? undefined : "it runs in another container";
}
