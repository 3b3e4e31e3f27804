import type { Agent } from "../agent.ts";
import { ancestorsOf } from "../census.ts";
import type { Census } from "../census.ts";
import { isSameConversation } from "../facet.ts";
import type { Conversation, Run } from "../facet.ts";
import type { OperationContext } from "./operation.ts";

/** What was started, as it can be told from what ran before. */
export interface Awaited {
  readonly agent: Agent;
  /** Undefined for a new one. */
  readonly conversation: Conversation | undefined;
  readonly before: readonly Run[];
  /** The process that a face started: the agent, or what it runs below. */
  readonly started: number | undefined;
}

/** By its conversation where the agent tells it, else the only new process of that agent below what was started. Not at all once that has ended. */
export async function appeared({ agent, conversation, before, started }: Awaited, context: OperationContext): Promise<Run | undefined> {
  const deadline = context.now() + appearsWithinMs;
  while (context.now() < deadline) {
    const { runs, census } = await runsOf(agent, context);
    const fresh = runs.filter((run) => !before.some((old) => old.key === run.key));
    const isCandidate = (run: Run): boolean =>
      (conversation === undefined || run.conversation === undefined) && (started === undefined || isAtOrBelow(run, started, census));
    const [only, ...others] = fresh.filter(isCandidate);
    const found = fresh.find((run) => isSameConversation(run.conversation, conversation)) ?? (others.length === 0 ? only : undefined);
    if (found) return found;
    if (started !== undefined && census.processes && !census.processes.has(started)) return undefined;
    await context.pause(200, context.signal);
  }
  return undefined;
}
const appearsWithinMs = 15_000;

/** Every run of one agent, looked for now. */
export async function runsOf(
  { id }: Agent,
  { sources, takeCensus, signal }: OperationContext,
): Promise<{ readonly runs: readonly Run[]; readonly census: Census }> {
  const census = await takeCensus(signal);
  const reading = await sources.get("process")?.read(census, signal);
  return { runs: (reading?.facets ?? []).filter((facet) => facet.kind === "run").filter(({ agent }) => agent === id), census };
}

function isAtOrBelow({ host }: Run, top: number, census: Census): boolean {
  return host.kind === "process" && ancestorsOf(host.process.pid, census).some(({ identity }) => identity.pid === top);
}
