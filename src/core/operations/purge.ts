import { isSameConversation } from "../facet.ts";
import { isSameProcess } from "../process.ts";
import type { Step } from "../ladder.ts";
import { isProved } from "../receipt.ts";
import type { Receipt, Result, StoreLine } from "../receipt.ts";
import type { Refusal } from "../refusal.ts";
import { sentenceOfRefusal } from "../sentences.ts";
import { facetsOf } from "../session.ts";
import type { Session } from "../session.ts";
import type { Store } from "../store.ts";
import { lookAgain } from "./lookAgain.ts";
import { openElsewhere } from "./openElsewhere.ts";
import { addStep, withOperation } from "./operation.ts";
import type { Draft, OperationContext } from "./operation.ts";
import { keptOf, planPurge, whyUnsupported } from "./planPurge.ts";
import type { PurgePlan } from "./planPurge.ts";
import { recordAll } from "./recordAll.ts";
import type { StillHolds } from "./recordAll.ts";
import { endSession } from "./stop.ts";
import type { StopOptions } from "./stop.ts";
import { whyNotToBePurged } from "./whyNotToBePurged.ts";

export interface PurgeOptions {
  /** What a person has seen and agreed to: what is not in it stays, and is told of. */
  readonly seen?: PurgePlan;
  /** Work that would be lost was named to them. */
  readonly pendingSeen: boolean;
  /** Ends it first, as a stop does. */
  readonly end?: { readonly steps: readonly Step[]; readonly options: StopOptions };
}

/** (End →) plan → refuse while alive → delete → verify → tell the books → receipt. What is not proved to be gone is named, and a second purge goes on from there. */
export function purge(session: Session, { seen, pendingSeen, end }: PurgeOptions, context: OperationContext): Promise<Receipt> {
  return withOperation("purge", session, context, async (draft, id): Promise<Result> => {
    const ended = await endFirst(session, end, draft, context);
    if (ended.kind !== "ended") return ended;
    const fresh = await planPurge(ended.session, context);
    if (fresh.kind === "refused") return fresh;
    if (fresh.pending.length > 0 && !pendingSeen) return { kind: "refused", reason: "pendingWork", detail: fresh.pending.join("; ") };
    if (seen && !isOfTheSame(seen, fresh)) return { kind: "refused", reason: "noLongerOneSession" };
    const plan = seen ? { ...fresh, stores: bothIn(seen, fresh) } : fresh;
    const { method } = ended;
    const partial: Result = { kind: "partial", method, survivors: [] };

    draft.leftAlone = [...plan.leftAlone, receiptItself(context)];
    const tried = await deleteStores(plan, draft, context);
    const alive = await lookFor(plan, context);
    draft.purged = [...(await verified(tried, draft, context)), ...(await whatElseIsThere(plan, context)), ...cameAlive(alive, plan)];
    if (!draft.purged.every(isProved)) return partial;

    const told = await clearJournal(plan, id, draft, context);
    draft.purged = [...draft.purged, ...told];
    // What no book names any more can't be purged again.
    if (!told.every(isProved)) return partial;
    await tellBooks(plan, draft, context);
    return plan.leftAlone.some(({ holds }) => holds === "text") ? partial : { kind: "success", method };
  });
}

type Ended = { readonly kind: "ended"; readonly session: Session; readonly method: Extract<Result, { kind: "success" }>["method"] };

/** Not where nothing could be deleted afterwards: it would be stopped for nothing. */
async function endFirst(
  session: Session,
  end: PurgeOptions["end"],
  draft: Draft,
  context: OperationContext,
): Promise<Ended | Exclude<Result, { kind: "success" }>> {
  if (!end) return { kind: "ended", session, method: "notNeeded" };
  const fresh = await lookAgain(session, context);
  if (fresh.kind === "refused") return fresh;
  const unsupported = whyUnsupported(fresh.session, context);
  if (unsupported) return unsupported;
  const result = await endSession(fresh.session, end.steps, end.options, draft, context);
  return result.kind === "success" ? { kind: "ended", session: fresh.session, method: result.method } : result;
}

/** What was agreed to and is still so: what became another's meanwhile is not in the fresh plan any more, and what came since was not seen. */
function bothIn(seen: PurgePlan, fresh: PurgePlan): readonly Store[] {
  const agreed = new Set(seen.stores.map(wordOf));
  return fresh.stores.filter((store) => agreed.has(wordOf(store)));
}

function isOfTheSame(seen: PurgePlan, fresh: PurgePlan): boolean {
  return isSameConversation(seen.conversation, fresh.conversation) && seen.conversation.home === fresh.conversation.home;
}

interface Tried {
  readonly store: Store;
  readonly outcome: StoreLine["outcome"];
}

/** One after the other, and before each a look: what comes alive meanwhile keeps what it still has. */
async function deleteStores(plan: PurgePlan, draft: Draft, context: OperationContext): Promise<readonly Tried[]> {
  const tried: Tried[] = [];
  let alive: Refusal | undefined;
  for (const store of plan.stores) {
    alive ??= await lookFor(plan, context);
    const outcome = alive ? ({ kind: "blocked", reason: clauseOf(alive, plan) } as const) : await store.erase(context.signal);
    tried.push({ store, outcome });
    // On every way out the receipt says what was done; what was not looked for again is not proved.
    draft.purged = tried.map((each) => lineOf(each, ["not looked for again"]));
    if (!alive) addStep({ step: "erase", did: `${verbs[outcome.kind]} ${store.name}: ${store.path}`, verified: undefined }, draft, context);
  }
  return tried;
}

const verbs = { erased: "deleted", absent: "found no more", blocked: "could not delete" } as const;

/** The session as it is now, and whoever else has the conversation that is being deleted: also when no book names it any more. */
async function lookFor(plan: PurgePlan, context: OperationContext): Promise<Refusal | undefined> {
  const fresh = await lookAgain(plan.session, context);
  if (fresh.kind === "fresh") return whyNotToBePurged(fresh, plan.conversation, context);
  return fresh.reason === "notFound" ? openElsewhere(plan, await context.takeCensus(context.signal), context) : fresh;
}

function cameAlive(alive: Refusal | undefined, plan: PurgePlan): readonly StoreLine[] {
  if (!alive) return [];
  const reason = clauseOf(alive, plan);
  return [{ store: "what is written from now on", path: plan.session.cwd ?? plan.session.key, outcome: { kind: "blocked", reason }, residue: [] }];
}

function clauseOf(refusal: Refusal, { session }: PurgePlan): string {
  return "detail" in refusal ? refusal.detail : sentenceOfRefusal(refusal, session);
}

/** Each is looked for afresh, when all is done. */
async function verified(tried: readonly Tried[], draft: Draft, context: OperationContext): Promise<readonly StoreLine[]> {
  const lines: StoreLine[] = [];
  for (const { store, outcome } of tried) {
    const residue = await store.residue(context.signal);
    lines.push(lineOf({ store, outcome }, residue));
    const rest = outcome.kind === "erased" ? await store.mayRemain?.(context.signal) : undefined;
    if (rest !== undefined && !draft.warnings.includes(rest)) draft.warnings.push(rest);
  }
  const left = lines.filter((line) => !isProved(line)).length;
  const seen = left === 0 ? "none of them is there any more" : `${left} of ${lines.length} are not proved to be gone`;
  addStep({ step: "look", did: "looked for each of them again", verified: { value: left === 0, seen, at: context.now() } }, draft, context);
  return lines;
}

/** What a new look finds beside them: it came meanwhile, or was not agreed to. It stays. */
async function whatElseIsThere(plan: PurgePlan, context: OperationContext): Promise<readonly StoreLine[]> {
  const { stores } = await keptOf(plan.session, plan.conversation, context);
  const planned = new Set(plan.stores.map(wordOf));
  return stores
    .filter((store) => !planned.has(wordOf(store)))
    .map(({ name, path }) => ({ store: name, path, outcome: { kind: "blocked", reason: "it was not in the plan" }, residue: [path] }));
}

function lineOf({ store: { name, path }, outcome }: Tried, residue: readonly string[]): StoreLine {
  return { store: name, path, outcome, residue };
}

function wordOf({ name, path }: Store): string {
  return `${name}\n${path}`;
}

/** What earlier operations wrote of it. */
async function clearJournal({ session, conversation }: PurgePlan, id: string, draft: Draft, context: OperationContext): Promise<readonly StoreLine[]> {
  const keys = new Set([session.key, ...facetsOf(session).map(({ key }) => key)]);
  const tried: Tried[] = [];
  for (const store of await context.journal.stores({ keys, conversationId: conversation.id, except: id })) {
    const outcome = await store.erase(context.signal);
    addStep({ step: "erase", did: `${verbs[outcome.kind]} ${store.name}: ${store.path}`, verified: undefined }, draft, context);
    tried.push({ store, outcome });
  }
  return Promise.all(tried.map(async (each) => lineOf(each, await each.store.residue(context.signal))));
}

/** A list takes it off, a book says what became of it. */
async function tellBooks({ session: { records }, conversation }: PurgePlan, draft: Draft, context: OperationContext): Promise<void> {
  const gone = records.flatMap(({ process }) => process ?? []);
  const namesNoOther: StillHolds = ({ process }) => process === undefined || gone.some((each) => isSameProcess(each, process));
  const lists = records.filter(({ isOnlyListed }) => isOnlyListed);
  const books = records.filter(({ source, isOnlyListed }) => !isOnlyListed && (context.sources.get(source)?.takes?.has("purged") ?? true));
  await recordAll({ records: lists }, { kind: "forgotten" }, () => true, draft, context);
  await recordAll({ records: books }, { kind: "purged", at: context.now(), conversation }, namesNoOther, draft, context);
}

function receiptItself({ journal }: OperationContext): NonNullable<Draft["leftAlone"]>[number] {
  return { name: "the receipt of this purge", path: journal.path, why: "it is the proof, and says where the conversation was and under which id", holds: "id" };
}
