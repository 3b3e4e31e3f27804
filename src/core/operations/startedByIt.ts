import type { Agent } from "../agent.ts";
import type { Census, ProcessEntry } from "../census.ts";
import type { Run } from "../facet.ts";
import { isShared } from "../orphanProtection.ts";
import { isSameProcess } from "../process.ts";
import type { ProcessIdentity } from "../process.ts";
import { nameOfProcess } from "../processWords.ts";
import type { Session } from "../session.ts";
import { startOrder } from "../startOrder.ts";
import type { OperationContext } from "./operation.ts";

/** A process that carries the mark of the session's agent and has outlived it: a command in the background, which still writes where it was told to. Not what others share. */
export async function findStartedByIt(session: Session, census: Census, { agents, environmentOf, ours }: OperationContext): Promise<string | undefined> {
  const agent = session.agent && agents.get(session.agent);
  const starters = session.records.flatMap(({ process }) => process ?? []);
  if (!agent?.childMarks || starters.length === 0) return undefined;
  const uid = census.processes?.get(ours)?.uid;
  const candidates = [...(census.processes?.values() ?? [])].filter(
    (entry) => entry.uid === uid && entry.state !== "zombie" && entry.identity.pid !== ours && !isShared(entry, [...agents.values()]),
  );
  for (const entry of candidates) {
    const environment = await environmentOf(entry.identity);
    const isIts = starters.some((starter) => isStartedBy(starter, entry, { agent, session, environment, census }));
    if (isIts) return `${nameOfProcess(entry)} (${entry.identity.pid}), which it started, goes on`;
  }
  return undefined;
}

interface Marked {
  readonly agent: Agent;
  readonly session: Session;
  readonly environment: ReadonlyMap<string, string>;
  readonly census: Census;
}

/** A pid is soon another's: what has it now, and is older than the child, has started that. */
function isStartedBy(starter: ProcessIdentity, entry: ProcessEntry, { agent, session, environment, census }: Marked): boolean {
  const marks = Object.entries(agent.childMarks?.(runOf(session, starter), starter.pid) ?? {});
  if (!marks.some(([variable, value]) => environment.get(variable) === value)) return false;
  const now = census.processes?.get(starter.pid);
  return now === undefined || now.state === "zombie" || isSameProcess(now.identity, starter) || (startOrder(now, entry) ?? 0) > 0;
}

function runOf({ agent, conversation }: Session, process: ProcessIdentity): Run {
  const untold = { value: "unknown", seen: "", at: 0 } as const;
  return {
    kind: "run",
    key: "process:none",
    source: "process",
    place: "",
    liveness: untold,
    activity: { ...untold, value: "silent" },
    runsIn: "terminal",
    host: { kind: "process", process },
    ...(agent && { agent }),
    ...(conversation && { conversation }),
  };
}
