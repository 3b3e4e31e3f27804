import { isSameConversation } from "../facet.ts";
import type { SessionRecord } from "../facet.ts";
import { isSameProcess } from "../process.ts";
import type { StoreLine } from "../receipt.ts";
import { facetsOf } from "../session.ts";
import type { LeftAlone } from "../store.ts";
import { eraseAndVerify } from "./deleteStores.ts";
import type { Draft, OperationContext } from "./operation.ts";
import type { PurgePlan } from "./planPurge.ts";
import { recordAll } from "./recordAll.ts";
import type { StillHolds } from "./recordAll.ts";

/** What earlier operations wrote of it. */
export async function clearJournal({ session, conversation }: PurgePlan, id: string, draft: Draft, context: OperationContext): Promise<readonly StoreLine[]> {
  const keys = new Set([session.key, ...facetsOf(session).map(({ key }) => key)]);
  return eraseAndVerify(await context.journal.stores({ keys, conversationId: conversation.id, except: id }), draft, context);
}

/** A list takes it off, a book says what became of it: also another row of the same conversation, which was resumed under another name. */
export async function tellBooks(plan: PurgePlan, draft: Draft, context: OperationContext): Promise<void> {
  const { conversation } = plan;
  const records = [...plan.session.records, ...(await othersOfIt(plan, context))];
  const gone = records.flatMap(({ process, liveness }) => (process && liveness.value === "gone" ? [process] : []));
  const namesNoOther: StillHolds = ({ process }) => process === undefined || gone.some((each) => isSameProcess(each, process));
  const lists = records.filter(({ isOnlyListed }) => isOnlyListed);
  const books = records.filter(({ source, isOnlyListed }) => !isOnlyListed && (context.sources.get(source)?.takes?.has("purged") ?? true));
  await recordAll({ records: lists }, { kind: "forgotten" }, () => true, draft, context);
  await recordAll({ records: books }, { kind: "purged", at: context.now(), conversation }, namesNoOther, draft, context);
  const cleared = await context.ledger.clear(conversation, context.now());
  if (cleared.kind !== "recorded" && cleared.kind !== "alreadySo") draft.records.push({ record: "ledger:*", change: "purged", outcome: cleared });
}

/** What lives of them, or may, has held up the purge. One id in two folders or config homes may be two conversations: then nothing is told of the other. */
async function othersOfIt({ session, conversation, leftAlone, isTold }: PurgePlan, context: OperationContext): Promise<readonly SessionRecord[]> {
  if (isTold || leftAlone.some(({ holds }) => holds !== "id")) return [];
  const { sources, takeCensus, realPath, signal } = context;
  const own = new Set(facetsOf(session).map(({ key }) => key));
  const reading = await sources.get("mux")?.read(await takeCensus(signal), signal);
  const found: SessionRecord[] = [];
  for (const facet of reading?.facets ?? []) {
    const { home } = facet.conversation ?? {};
    const isElsewhere = home !== undefined && conversation.home !== undefined && home !== conversation.home;
    if (facet.kind !== "record" || own.has(facet.key) || isElsewhere || !isSameConversation(facet.conversation, conversation)) continue;
    const [folder, its] = await Promise.all([session.cwd, facet.cwd].map(async (path) => path && ((await realPath(path)) ?? path)));
    if (folder === undefined || its === undefined || folder === its) found.push(facet);
  }
  return found;
}

/** Told beforehand: a search for the id finds it in the journal. */
export function receiptItself({ journal }: OperationContext): LeftAlone {
  return { name: "the receipt of this purge", path: journal.path, why: "it is the proof, and says where the conversation was and under which id", holds: "id" };
}
