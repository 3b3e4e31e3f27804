import type { StoreLine } from "../receipt.ts";
import { isProved } from "../receipt.ts";
import type { Refusal } from "../refusal.ts";
import { sentenceOfRefusal } from "../sentences.ts";
import type { Store } from "../store.ts";
import { lookAgain } from "./lookAgain.ts";
import { openElsewhere } from "./openElsewhere.ts";
import { addStep } from "./operation.ts";
import type { Draft, OperationContext } from "./operation.ts";
import { familyOpen, keptOf } from "./planPurge.ts";
import type { PurgePlan } from "./planPurge.ts";
import { whyNotToBePurged } from "./whyNotToBePurged.ts";

/** Deletes what is in the plan, one after the other and each with a look before; then looks for all of it again, and for what the plan does not have. */
export async function deleteStores(plan: PurgePlan, draft: Draft, context: OperationContext): Promise<readonly StoreLine[]> {
  if (plan.isTold) return [];
  const tried = await eraseEach(plan, draft, context);
  const alive = await findLiving(plan, context);
  return [...(await verified(tried, draft, context)), ...(await whatElseIsThere(plan, context)), ...cameAlive(alive, plan)];
}

/** Deleted, and looked for again. */
export async function eraseAndVerify(stores: readonly Store[], draft: Draft, context: OperationContext): Promise<readonly StoreLine[]> {
  const tried: Tried[] = [];
  for (const store of stores) tried.push(await erase(store, draft, context));
  return Promise.all(tried.map(async (each) => lineOf(each, await each.store.residue(context.signal))));
}

interface Tried {
  readonly store: Store;
  readonly outcome: StoreLine["outcome"];
}

/** What comes alive meanwhile keeps what it still has. */
async function eraseEach(plan: PurgePlan, draft: Draft, context: OperationContext): Promise<readonly Tried[]> {
  const tried: Tried[] = [];
  let alive: Refusal | undefined;
  for (const store of plan.stores) {
    alive ??= await findLiving(plan, context);
    const why = alive ? clauseOf(alive, plan) : whyItStays(store, tried);
    tried.push(why === undefined ? await erase(store, draft, context) : { store, outcome: { kind: "blocked", reason: why } });
    // On every way out the receipt says what was done; what was not looked for again is not proved.
    draft.purged = tried.map((each) => lineOf(each, ["not looked for again"]));
  }
  return tried;
}

function whyItStays({ path }: Store, tried: readonly Tried[]): string | undefined {
  const stuck = tried.find(({ store, outcome }) => outcome.kind === "blocked" && store.foundBy?.includes(path));
  return stuck && `${stuck.store.name} could not be deleted, and is found by it alone`;
}

async function erase(store: Store, draft: Draft, context: OperationContext): Promise<Tried> {
  const outcome = await store.erase(context.signal);
  addStep({ step: "erase", did: `${verbs[outcome.kind]} ${store.name}: ${store.path}`, verified: undefined }, draft, context);
  return { store, outcome };
}
const verbs = { erased: "deleted", absent: "found no more", blocked: "could not delete" } as const;

/** The session as it is now, and whoever else has the conversation that is being deleted: also when no book names it any more. */
async function findLiving(plan: PurgePlan, context: OperationContext): Promise<Refusal | undefined> {
  const fresh = await lookAgain(plan.session, context);
  if (fresh.kind === "refused" && fresh.reason !== "notFound") return fresh;
  const census = fresh.kind === "fresh" ? fresh.census : await context.takeCensus(context.signal);
  const alive = fresh.kind === "fresh" ? await whyNotToBePurged(fresh, plan.conversation, context) : await openElsewhere(plan, census, context);
  return alive ?? familyOpen(plan, census, context);
}

/** Each is looked for afresh, when all is done. */
async function verified(tried: readonly Tried[], draft: Draft, context: OperationContext): Promise<readonly StoreLine[]> {
  const lines: StoreLine[] = [];
  for (const each of tried) {
    const { store, outcome } = each;
    lines.push(lineOf(each, await store.residue(context.signal)));
    const rest = outcome.kind === "erased" ? await store.mayRemain?.(context.signal) : undefined;
    if (rest !== undefined && !draft.warnings.includes(rest)) draft.warnings.push(rest);
  }
  const left = lines.filter((line) => !isProved(line)).length;
  const seen = left === 0 ? "none of them is there any more" : `${left} of ${lines.length} are not proved to be gone`;
  addStep({ step: "look", did: "looked for each of them again", verified: { value: left === 0, seen, at: context.now() } }, draft, context);
  return lines;
}

/** What a new look finds beside them: it came meanwhile, or was not agreed to. It stays, as what was left alone does. */
async function whatElseIsThere(plan: PurgePlan, context: OperationContext): Promise<readonly StoreLine[]> {
  const { stores } = await keptOf(plan.session, plan.conversation, context);
  const planned = new Set(plan.stores.map(placeOf));
  // With what is left of one file on purpose it is partial already.
  const left = new Set(plan.leftAlone.flatMap(({ path, holds }) => (holds === "text" ? [path] : [])));
  return stores
    .filter((store) => !planned.has(placeOf(store)) && !left.has(store.path))
    .map(({ name, path }) => ({ store: name, path, outcome: { kind: "blocked", reason: "it was not in the plan" }, residue: [path] }));
}

/** By name and path: of one file several conversations' lines may be two stores. */
export function placeOf({ name, path }: Store): string {
  return `${name}\n${path}`;
}

function cameAlive(alive: Refusal | undefined, plan: PurgePlan): readonly StoreLine[] {
  if (!alive) return [];
  const reason = clauseOf(alive, plan);
  return [{ store: "what is written from now on", path: plan.session.cwd ?? plan.session.key, outcome: { kind: "blocked", reason }, residue: [] }];
}

function clauseOf(refusal: Refusal, { session }: PurgePlan): string {
  return "detail" in refusal ? refusal.detail : sentenceOfRefusal(refusal, session);
}

function lineOf({ store: { name, path }, outcome }: Tried, residue: readonly string[]): StoreLine {
  return { store: name, path, outcome, residue };
}
