import { isSameConversation } from "../facet.ts";
import type { Step } from "../ladder.ts";
import { isProved } from "../receipt.ts";
import type { Receipt, Result } from "../receipt.ts";
import type { Refusal } from "../refusal.ts";
import type { Session } from "../session.ts";
import { deleteStores, placeOf } from "./deleteStores.ts";
import { lookAgain } from "./lookAgain.ts";
import { withOperation } from "./operation.ts";
import type { Draft, OperationContext } from "./operation.ts";
import { planPurge, whyUnsupported } from "./planPurge.ts";
import type { PurgePlan } from "./planPurge.ts";
import { endSession } from "./stop.ts";
import type { StopOptions } from "./stop.ts";
import { clearJournal, receiptItself, tellBooks } from "./tellOfPurge.ts";

export interface PurgeOptions {
  /** What a person has seen and agreed to: what is not in it stays, and is told of. */
  readonly seen?: PurgePlan;
  /** Work that would be lost is agreed to without having been named: a script's --yes. */
  readonly pendingSeen: boolean;
  /** Ends it first, as a stop does. */
  readonly end?: { readonly steps: readonly Step[]; readonly options: StopOptions };
}

/** (End →) plan → refuse while alive → delete → verify → tell the books → receipt. What is not proved to be gone is named, and a second purge goes on from there. */
export function purge(session: Session, options: PurgeOptions, context: OperationContext): Promise<Receipt> {
  return withOperation("purge", session, context, async (draft, id): Promise<Result> => {
    const ended = await endFirst(session, options.end, draft, context);
    if (ended.kind !== "ended") return ended;
    const fresh = await planPurge(ended.session, context);
    if (fresh.kind === "refused") return fresh;
    const plan = agreedTo(fresh, options);
    if (plan.kind === "refused") return plan;
    const partial: Result = { kind: "partial", method: ended.method, survivors: [] };

    draft.leftAlone = [...plan.leftAlone, receiptItself(context)];
    draft.purged = [...(await deleteStores(plan, draft, context)), ...(await nothingFound(plan, id, context))];
    if (!draft.purged.every(isProved) || plan.leftAlone.some(({ holds }) => holds === "unseen")) return partial;

    const ofJournal = await clearJournal(plan, id, draft, context);
    draft.purged = [...draft.purged, ...ofJournal];
    // What no book names any more can't be purged again.
    if (!ofJournal.every(isProved)) return partial;
    await tellBooks(plan, draft, context);
    return plan.leftAlone.some(({ holds }) => holds === "text") ? partial : { kind: "success", method: ended.method };
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
function agreedTo(fresh: PurgePlan, { seen, pendingSeen }: PurgeOptions): PurgePlan | Refusal {
  const unseen = fresh.pending.filter((work) => !(seen ? seen.pending.includes(work) : pendingSeen));
  if (unseen.length > 0) return { kind: "refused", reason: "pendingWork", detail: unseen.join("; ") };
  if (!seen) return fresh;
  if (!isSameConversation(seen.conversation, fresh.conversation) || seen.conversation.home !== fresh.conversation.home)
    return { kind: "refused", reason: "noLongerOneSession" };
  const agreed = new Set(seen.stores.map(placeOf));
  return { ...fresh, stores: fresh.stores.filter((store) => agreed.has(placeOf(store))) };
}

/** Where its home is not known, that nothing is in the usual one proves nothing; but for what an earlier purge has deleted. */
async function nothingFound({ stores, session, conversation }: PurgePlan, id: string, { journal }: OperationContext): Promise<NonNullable<Draft["purged"]>> {
  if (stores.length > 0 || conversation.home !== undefined) return [];
  const earlier = await journal.findPurged({ keys: new Set([session.key, ...session.records.map(({ key }) => key)]), except: id });
  if (earlier && earlier.came !== "deletedNothing" && isSameConversation(earlier.conversation, conversation)) return [];
  const reason = "nothing of it was found in the usual places, and where it was kept is not known";
  return [{ store: "its conversation", path: conversation.id, outcome: { kind: "blocked", reason }, residue: [] }];
}
