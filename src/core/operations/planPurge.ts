import type { Agent } from "../agent.ts";
import type { Census } from "../census.ts";
import { isSameConversation } from "../facet.ts";
import type { Conversation } from "../facet.ts";
import type { Refusal } from "../refusal.ts";
import { facetsOf } from "../session.ts";
import type { Session } from "../session.ts";
import type { Kept, LeftAlone, Store } from "../store.ts";
import { lookAgain } from "./lookAgain.ts";
import { openElsewhere } from "./openElsewhere.ts";
import { findStartedByIt } from "./startedByIt.ts";
import type { OperationContext } from "./operation.ts";
import { whyNotToBePurged } from "./whyNotToBePurged.ts";

/** What a purge would delete, and what it would leave. */
export interface PurgePlan {
  readonly kind: "plan";
  /** As it was looked at for this. */
  readonly session: Session;
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly stores: readonly Store[];
  readonly leftAlone: readonly LeftAlone[];
  /** Ids of conversations that go with it. */
  readonly family: readonly string[];
  /** Work that would be lost, in words: to be confirmed as seen. */
  readonly pending: readonly string[];
  /** All of it has been deleted, and a purge was cut off as the books were told: that is all that is left to do. Whatever has that id by now is another's. */
  readonly isTold?: boolean;
}

/** Look again → refuse what may live → every store that holds the conversation: the agent's, the sources'. Changes nothing. */
export async function planPurge(asSeen: Session, context: OperationContext): Promise<PurgePlan | Refusal> {
  const fresh = await lookAgain(asSeen, context);
  if (fresh.kind === "refused") return fresh;
  const { session } = fresh;
  const told = await planToTell(session, context);
  if (told) return told;
  const conversation = session.conversation && { ...session.conversation, ...homeIn(session, session.conversation) };
  const alive = await whyNotToBePurged(fresh, conversation, context);
  if (alive) return alive;
  const started = await findStartedByIt(session, fresh.census, context);
  if (started !== undefined) return { kind: "refused", reason: "stillAlive", detail: started };
  const plan = await outlookOf(session, context);
  return plan.kind === "refused" ? plan : ((await familyOpen(plan, fresh.census, context)) ?? plan);
}

/** Of one whose books say that it is purged: the journal knows what that purge was about. Where it was cut off, the rest of the books is told. */
async function planToTell(session: Session, { journal, agents }: OperationContext): Promise<PurgePlan | Refusal | undefined> {
  if (session.conversation || session.status.value !== "purged") return undefined;
  const earlier = await journal.findPurged({ keys: new Set([session.key, ...facetsOf(session).map(({ key }) => key)]) });
  const agent = earlier && agents.get(earlier.conversation.agent);
  if (!agent || agent.id !== session.agent) return undefined;
  if (earlier.came !== "cutOff") return unsupported("it is purged already, and the journal has the receipt");
  return { kind: "plan", session, agent, conversation: earlier.conversation, stores: [], leftAlone: [], family: [], pending: [], isTold: true };
}

/** Another conversation that would go with it, and has a window of its own. */
export async function familyOpen({ session, conversation, family }: PurgePlan, census: Census, context: OperationContext): Promise<Refusal | undefined> {
  for (const id of family) {
    const open = await openElsewhere({ session, conversation: { ...conversation, id } }, census, context);
    if (open) return "detail" in open ? { ...open, detail: `a conversation that would go with it, ${id}: ${open.detail}` } : open;
  }
  return undefined;
}

/** What there is of it by now, whether it lives or not: of one that has to be ended first, there may be more by then. */
export async function outlookOf(session: Session, context: OperationContext): Promise<PurgePlan | Refusal> {
  const meant = conversationOf(session, context);
  if (meant.kind === "refused") return meant;
  const { agent, conversation } = meant;
  const pending = session.records.flatMap((record) => record.pending ?? []);
  return { kind: "plan", session, agent, conversation, ...(await keptOf(session, conversation, context)), pending };
}

/** The agent's own first: what a source keeps is how the session is found again, should a purge be cut off. */
export async function keptOf(
  session: Session,
  conversation: Conversation,
  { agents, sources, configHomes, signal }: OperationContext,
): Promise<Kept & Pick<PurgePlan, "family">> {
  const place = { conversation, cwd: folderOf(session), configHomes, isServed: facetsOf(session).some(({ source }) => source === "opencode") };
  const kept: Kept[] = [];
  const own = await agents.get(conversation.agent)?.stores?.(place, signal);
  if (own) kept.push(own);
  for (const facet of facetsOf(session)) {
    const more = await sources.get(facet.source)?.stores?.(facet, signal);
    if (more) kept.push(more);
  }
  const family = new Set(kept.flatMap((each) => each.family ?? []));
  family.delete(conversation.id);
  return { stores: kept.flatMap(({ stores }) => stores), leftAlone: kept.flatMap(({ leftAlone }) => leftAlone), family: [...family] };
}

/** As its process had it: a registry tells its pane's. */
function folderOf({ run, records, cwd }: Session): string | undefined {
  return run?.cwd ?? records.find(({ source }) => source === "ledger")?.cwd ?? cwd;
}

type Meant = { readonly kind: "meant"; readonly agent: Agent; readonly conversation: Conversation } | Refusal;

function conversationOf(session: Session, context: OperationContext): Meant {
  const why = whyUnsupported(session, context);
  if (why) return why;
  const { agent: id, conversation } = session;
  const agent = id && context.agents.get(id);
  if (!agent || !conversation) return unsupported("its conversation id is not known");
  if (conversation.toldBy === "cache") return unsupported("its conversation id is a guess from a cache, and may be another's");
  return { kind: "meant", agent, conversation: { ...conversation, ...homeIn(session, conversation) } };
}

/** Not every book that tells the id tells where it is kept. */
function homeIn(session: Session, conversation: Conversation): Pick<Conversation, "home" | "temporaryFolder"> {
  const told = [
    conversation,
    ...facetsOf(session).flatMap((facet) => (isSameConversation(facet.conversation, conversation) ? (facet.conversation ?? []) : [])),
  ];
  const home = told.find((each) => each.home !== undefined)?.home ?? session.run?.configHome;
  const temporaryFolder = told.find((each) => each.temporaryFolder !== undefined)?.temporaryFolder;
  return { ...(home !== undefined && { home }), ...(temporaryFolder !== undefined && { temporaryFolder }) };
}

/** Of its agent alone: an id may be told only as it leaves. */
export function whyUnsupported({ agent: id, conversation }: Session, { agents }: OperationContext): Refusal | undefined {
  const agent = id && agents.get(id);
  if (!agent) return unsupported("its agent is not known, so nothing is known of where its conversation is");
  if (!agent.stores) return unsupported(byHand(agent));
  // It comes from others' files, and becomes a part of paths.
  return conversation && !agent.idPattern.test(conversation.id) ? unsupported(`its conversation id is none of ${agent.name}'s`) : undefined;
}

function unsupported(detail: string): Refusal {
  return { kind: "refused", reason: "unsupported", detail };
}

function byHand({ name, storesByHand }: Agent): string {
  return `where ${name} keeps conversations was never tried, so nothing of it is deleted. By hand, look at: ${storesByHand.join("; ")}`;
}
