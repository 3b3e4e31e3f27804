import type { Facet, SessionRecord } from "../facet.ts";
import type { Step } from "../ladder.ts";
import { isProved } from "../receipt.ts";
import type { Receipt, Result, StoreLine } from "../receipt.ts";
import type { Refusal } from "../refusal.ts";
import { processWords } from "../sentences.ts";
import { facetsOf } from "../session.ts";
import type { Session } from "../session.ts";
import { lookAgain } from "./lookAgain.ts";
import { addStep, withOperation } from "./operation.ts";
import type { Draft, OperationContext } from "./operation.ts";
import { recordAll } from "./recordAll.ts";
import { endSession } from "./stop.ts";
import type { StopOptions } from "./stop.ts";

export interface CleanUpOptions extends StopOptions {
  /** What does not end when asked is killed, and the tracking files are cleaned whatever came of it. */
  readonly force: boolean;
  readonly tracking: boolean;
  /** Whether it is looked for before; the proof afterwards is never left out. */
  readonly verify: boolean;
  /** Looked for in its title as `[tag]`; a title without it is a warning. */
  readonly tag?: string;
}

/** Look again → end the turn → delete on the server → prove → take it off the tracking files. What can't be proved gone stays on them, unless forced. */
export async function cleanUp(session: Session, options: CleanUpOptions, context: OperationContext): Promise<Receipt> {
  const { force, tracking, verify } = options;
  // What was listed, until it is looked for.
  const asked = { id: idOf(session), existed: facetsOf(session).some(isServers), isGone: false, force, tracking, verify };
  const receipt = await withOperation("cleanUp", session, context, async (draft): Promise<Result> => {
    draft.cleanedUp = asked;
    const found = await lookFor(session, options, context);
    if (found.kind === "refused") return found;
    warnOfTag(found, options, draft);
    const ended = await endIt(found, options, draft, context);
    if (ended.kind === "refused") return ended;
    const isGone = ended.kind === "success" && (await deleteIt(found, session, draft, context));
    draft.cleanedUp = { ...asked, existed: found.kind === "there", isGone };

    if (tracking && (isGone || force)) await recordAll({ records: [recordIn("tracking", session)] }, { kind: "forgotten" }, () => true, draft, context);
    else if (tracking) draft.warnings.push("It stays in the tracking files, since it may still be there; a forced clean-up takes it out of them all the same.");
    if (isGone) return { kind: "success", method: ended.method };
    return { kind: "partial", method: ended.kind === "failed" ? "notNeeded" : ended.method, survivors: ended.kind === "partial" ? ended.survivors : [] };
  });
  // Of what was refused before it began.
  return receipt.cleanedUp ? receipt : { ...receipt, cleanedUp: asked };
}

/** `nowhere`: every server that is known has answered that there is none. */
type Found =
  | { readonly kind: "there"; readonly session: Session }
  | { readonly kind: "nowhere" | "unlooked" }
  | { readonly kind: "unknown"; readonly why: string };

async function lookFor(session: Session, { verify }: CleanUpOptions, context: OperationContext): Promise<Found | Refusal> {
  const nowhere = { kind: verify || !isServersId(idOf(session)) ? "nowhere" : "unlooked" } as const;
  const fresh = await lookAgain(withServersRecord(session), context);
  if (fresh.kind === "refused") {
    if (fresh.reason === "notFound") return nowhere;
    return fresh.reason === "unreachable" ? { kind: "unknown", why: fresh.detail } : fresh;
  }
  const known = facetsOf(fresh.session).filter(({ source }) => source !== "tracking");
  // A window goes on to other conversations than the one that it was opened with, and is never ended for this.
  const window = fresh.session.run?.host.kind === "process" ? fresh.session.run : undefined;
  if (window && window.liveness.value !== "gone") return { kind: "unknown", why: `it may be open in ${processWords(fresh.session)}` };
  const unsure = known.find(({ liveness }) => liveness.value === "unknown");
  if (unsure) return { kind: "unknown", why: unsure.liveness.seen };
  return known.length > 0 ? { kind: "there", session: fresh.session } : nowhere;
}

function warnOfTag(found: Found, { tag }: CleanUpOptions, { warnings }: Draft): void {
  if (found.kind !== "there" || tag === undefined) return;
  // Its server's title: a list may call it something else.
  const title = facetsOf(found.session).find(isServers)?.title ?? found.session.title;
  if (!title.includes(`[${tag}]`)) warnings.push(`Its title does not contain [${tag}]: ${title}`);
}

/** Its turn, or the window that has it open. */
async function endIt(found: Found, options: CleanUpOptions, draft: Draft, context: OperationContext): Promise<Result> {
  if (found.kind === "unknown") {
    draft.warnings.push(`Whether it still exists can't be known: ${found.why}.`);
    return { kind: "partial", method: "notNeeded", survivors: [] };
  }
  if (found.kind !== "there" || found.session.run?.liveness.value !== "alive") return { kind: "success", method: "notNeeded" };
  const steps: readonly Step[] = options.force ? ["ask", "hangUp", "kill"] : ["ask", "hangUp"];
  return endSession(found.session, steps, options, draft, context);
}

/** True where nothing of it is left on any server. */
async function deleteIt(found: Found, session: Session, draft: Draft, context: OperationContext): Promise<boolean> {
  if (found.kind === "nowhere") return true;
  const { signal, now, sources } = context;
  const facets = found.kind === "there" ? facetsOf(found.session) : [];
  const facet = facets.find(isServers) ?? recordIn("opencode", session);
  const lines: StoreLine[] = [];
  for (const store of (await sources.get("opencode")?.stores?.(facet, signal))?.stores ?? []) {
    const outcome = await store.erase(signal);
    // Where nothing was deleted there is nothing to prove, and to be asked for it makes a server run its folder's plugins.
    const residue = outcome.kind === "blocked" ? [] : await store.residue(signal);
    const line: StoreLine = { store: store.name, path: store.path, outcome, residue };
    lines.push(line);
    const seen = outcome.kind === "blocked" ? outcome.reason : residue.join(", ") || "it is found nowhere any more";
    addStep({ step: "erase", did: `${tried[outcome.kind]} ${store.name}`, verified: { value: isProved(line), seen, at: now() } }, draft, context);
    if (!isProved(line)) draft.warnings.push(`It was not proved that ${store.name} is gone: ${seen}.`);
  }
  if (lines.length === 0) draft.warnings.push("No server could be asked to delete it.");
  draft.purged = lines;
  return lines.length > 0 && lines.every(isProved);
}

const tried = { erased: "deleted", absent: "found nothing of", blocked: "tried to delete" } as const;

/** What is not in the list: named by its id alone, as scripts do. */
export function sessionOfId(id: string, now: number): Session {
  const status = { value: "unknown", seen: "it is not in the list", at: now } as const;
  const key = isServersId(id) ? (`opencode:${id}` as const) : (`tracking:${id}` as const);
  const unknown = { agent: undefined, cwd: undefined, conversation: undefined, startedAt: undefined, run: undefined, doubt: undefined };
  return { ...unknown, key, title: id, records: [], status };
}

/** As the seed's programs have it. What does not begin like OpenCode's own is known to the tracking files at most. */
export const cleanableId = /^[a-zA-Z0-9][a-zA-Z0-9_-]*$/;

function isServers({ source }: Facet): boolean {
  return source === "opencode";
}

export function isServersId(id: string): boolean {
  return /^ses_[0-9A-Za-z]+$/.test(id);
}

/** Of the conversation, which is what both servers and lists go by. */
function idOf({ key, run, records }: Session): string {
  const own = [...(run ? [run] : []), ...records].find(({ source }) => source === "opencode" || source === "tracking")?.key ?? key;
  return own.slice(own.indexOf(":") + 1);
}

/** So that the servers are asked for it, though only a list has named it. */
function withServersRecord(session: Session): Session {
  const isKnown = facetsOf(session).some(isServers);
  return isKnown || !isServersId(idOf(session)) ? session : { ...session, records: [...session.records, recordIn("opencode", session)] };
}

function recordIn(source: "opencode" | "tracking", session: Session): SessionRecord {
  const known = session.records.find((record) => record.source === source);
  const { at } = session.status;
  const id = idOf(session);
  const conversation = isServersId(id) && ({ agent: "opencode", conversation: { agent: "opencode", id, toldBy: "record" } } as const);
  const notLooked = { liveness: { value: "unknown", seen: "not looked for yet", at }, says: { value: "active", seen: "named by a person", at } } as const;
  return known ?? { kind: "record", key: `${source}:${id}`, source, place: source, ...conversation, ...notLooked };
}
