import { livenessOf } from "../census.ts";
import type { Census } from "../census.ts";
import type { Conversation, Facet, Run } from "../facet.ts";
import { isSameConversation } from "../facet.ts";
import type { Refusal } from "../refusal.ts";
import { facetsOf } from "../session.ts";
import type { Session } from "../session.ts";
import type { OperationContext } from "./operation.ts";

/** A conversation, and the session by which it was found. */
export interface Meant {
  readonly session: Session;
  readonly conversation: Conversation;
}

/** Whoever else has this conversation open, or may: another process or record of it, its agent's own list in its home, and a process of the agent's in the same folder that does not tell what it has open. */
export async function openElsewhere(meant: Meant, census: Census, context: OperationContext): Promise<Refusal | undefined> {
  if (!census.processes) return unknown("the process table can't be read");
  return (await onItsAgentsList(meant, census, context)) ?? (await inAnotherFacet(meant, census, context)) ?? (await inASilentProcess(meant, census, context));
}

/** Also in a home that only a record knows: nobody looks there of itself. */
async function onItsAgentsList({ conversation }: Meant, census: Census, { agents, configHomes, signal }: OperationContext): Promise<Refusal | undefined> {
  const homes = conversation.home === undefined ? configHomes : [conversation.home];
  const listed = (await agents.get(conversation.agent)?.readLive?.(homes, census, signal)) ?? [];
  const living = listed.find((entry) => isSameConversation(entry.conversation, conversation) && entry.liveness.value !== "gone");
  return living && refusal(living.liveness.value, `process ${living.process.pid}, by ${living.file}`);
}

/** What a server has at rest it deletes itself, and what only a list names is no life. */
async function inAnotherFacet({ session, conversation }: Meant, census: Census, { sources, agents, signal }: OperationContext): Promise<Refusal | undefined> {
  const own = new Set(facetsOf(session).map(({ key }) => key));
  const silentList = agents.get(conversation.agent)?.name;
  for (const id of ["process", "ledger", "mux", "entire"] as const) {
    const reading = await sources.get(id)?.read(census, signal);
    const silent = reading?.unreachable.find(({ place }) => place === silentList);
    if (silent) return unknown(`${silent.place}: ${silent.reason}`);
    const others = (reading?.facets ?? []).filter(
      (facet) => isSameConversation(facet.conversation, conversation) && (facet.kind === "run" || !own.has(facet.key)),
    );
    for (const facet of others) {
      const isOver = facet.kind === "record" && facet.says.value !== "active";
      const { value } = facet.liveness;
      if (value === "alive" || (value === "unknown" && !isOver))
        return refusal(value, facet.kind === "run" ? wordsOf(facet, census) : `${facet.key}: ${facet.liveness.seen}`);
    }
  }
  return undefined;
}

async function inASilentProcess(meant: Meant, census: Census, context: OperationContext): Promise<Refusal | undefined> {
  const reading = await context.sources.get("process")?.read(census, context.signal);
  for (const facet of reading?.facets ?? []) {
    if (!isSilent(facet, meant.conversation) || isAnothers(facet, census, context) || !(await mayHaveOpened(facet, meant, context))) continue;
    if (facet.cwd !== undefined) return unknown(`${wordsOf(facet, census)} runs in the same folder, and which conversation it has open can't be told`);
    // It may have ended since the census, and taken its folder with it.
    if (await isGoneBy(facet, context)) continue;
    return unknown(`${wordsOf(facet, census)} runs, and neither its folder nor its conversation can be told`);
  }
  return undefined;
}

function isSilent(facet: Facet, conversation: Conversation): facet is Run {
  return facet.kind === "run" && facet.agent === conversation.agent && facet.liveness.value !== "gone" && facet.conversation === undefined;
}

/** Of another user, whose homes are others too, unless it says otherwise. */
function isAnothers({ host, configHome }: Run, { processes }: Census, { ours }: OperationContext): boolean {
  if (host.kind !== "process" || configHome !== undefined) return false;
  const [its, own] = [processes?.get(host.process.pid)?.uid, processes?.get(ours)?.uid];
  return its !== undefined && own !== undefined && its !== own && own !== 0;
}

/** By real paths: a record has a folder as it was called, a process as it is. */
async function mayHaveOpened(run: Run, { session, conversation }: Meant, { realPath }: OperationContext): Promise<boolean> {
  const [home, itsHome, cwd, itsCwd] = await Promise.all(
    [conversation.home, run.configHome, session.cwd, run.cwd].map(async (path) => path && ((await realPath(path)) ?? path)),
  );
  if (home !== undefined && itsHome !== undefined && home !== itsHome) return false;
  return cwd === undefined || itsCwd === undefined || isWithin(cwd, itsCwd) || isWithin(itsCwd, cwd);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

async function isGoneBy({ host }: Run, { takeCensus, signal }: OperationContext): Promise<boolean> {
  return host.kind === "process" && livenessOf(host.process, await takeCensus(signal)) === "gone";
}

function wordsOf({ host, agent, place }: Run, { processes }: Census): string {
  if (host.kind !== "process") return place;
  return `${agent ?? processes?.get(host.process.pid)?.argv[0] ?? "process"} (${host.process.pid})`;
}

function refusal(liveness: Facet["liveness"]["value"], where: string): Refusal {
  return liveness === "alive" ? { kind: "refused", reason: "stillAlive", detail: `it is open in ${where}` } : unknown(`it may be open in ${where}`);
}

function unknown(detail: string): Refusal {
  return { kind: "refused", reason: "livenessUnknown", detail };
}
