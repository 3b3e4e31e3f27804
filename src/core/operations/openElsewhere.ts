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
  const listed = await onItsAgentsList(meant, census, context);
  if (listed) return listed;
  const running = await context.sources.get("process")?.read(census, context.signal);
  const silent = running?.unreachable.find(({ place }) => place === context.agents.get(meant.conversation.agent)?.name);
  if (silent) return unknown(`${silent.place}: ${silent.reason}`);
  const facets = [...(running?.facets ?? []), ...(await inBooks(census, context))];
  return inAnotherFacet(meant, facets, census) ?? (await inASilentProcess(meant, running?.facets ?? [], census, context));
}

/** Also in a home that only a record knows: nobody looks there of itself. */
async function onItsAgentsList({ conversation }: Meant, census: Census, { agents, configHomes, signal }: OperationContext): Promise<Refusal | undefined> {
  const agent = agents.get(conversation.agent);
  const homes = conversation.home === undefined ? configHomes : [conversation.home];
  const listed = await (agent?.readLive?.(homes, census, signal) ?? Promise.resolve([])).catch((error: unknown) => {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  });
  if (typeof listed === "string") return unknown(`${agent?.name}: its list of living sessions can't be read (${listed})`);
  const living = listed.find((entry) => isSameConversation(entry.conversation, conversation) && entry.liveness.value !== "gone");
  return living && refusal(living.liveness.value, `process ${living.process.pid}, by ${living.file}`);
}

async function inBooks(census: Census, { sources, signal }: OperationContext): Promise<readonly Facet[]> {
  const readings = await Promise.all((["ledger", "mux", "entire"] as const).map(async (id) => sources.get(id)?.read(census, signal)));
  return readings.flatMap((reading) => reading?.facets ?? []);
}

/** What a server has at rest it deletes itself, and what only a list names is no life. */
function inAnotherFacet({ session, conversation }: Meant, facets: readonly Facet[], census: Census): Refusal | undefined {
  const own = new Set(facetsOf(session).map(({ key }) => key));
  for (const facet of facets) {
    if (!isSameConversation(facet.conversation, conversation) || (facet.kind === "record" && own.has(facet.key))) continue;
    const isOver = facet.kind === "record" && facet.says.value !== "active";
    const { value } = facet.liveness;
    if (value === "alive" || (value === "unknown" && !isOver))
      return refusal(value, facet.kind === "run" ? wordsOf(facet, census) : `${facet.key}: ${facet.liveness.seen}`);
  }
  return undefined;
}

async function inASilentProcess(meant: Meant, running: readonly Facet[], census: Census, context: OperationContext): Promise<Refusal | undefined> {
  for (const facet of running) {
    if (!isSilent(facet, meant.conversation) || isAnothers(facet, census, context) || !(await mayHaveOpened(facet, meant, context))) continue;
    if (facet.cwd !== undefined) return unknown(`${wordsOf(facet, census)} runs in the same folder, and which conversation it has open can't be told`);
    // It may have ended since the census, and taken its folder with it; amid its end it has none for a moment.
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

async function isGoneBy({ host }: Run, { takeCensus, pause, signal }: OperationContext): Promise<boolean> {
  await pause(endsWithinMs, signal);
  return host.kind === "process" && livenessOf(host.process, await takeCensus(signal)) === "gone";
}

const endsWithinMs = 200;

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
