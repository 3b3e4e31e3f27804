import type { Run } from "../facet.ts";
import { isSurvivor } from "../ladder.ts";
import type { OrphanFinder } from "../orphanFinder.ts";
import type { Orphan } from "../orphans.ts";
import { isSameProcess } from "../process.ts";
import { nameOfProcess } from "../processWords.ts";
import type { Receipt, Result } from "../receipt.ts";
import type { Refusal } from "../refusal.ts";
import type { Session } from "../session.ts";
import { addStep, withOperation } from "./operation.ts";
import type { Draft, OperationContext } from "./operation.ts";
import { climb, endSession } from "./stop.ts";

/**
 * Ends one that a person has chosen: two looks a second apart, in both of which it is the same orphan and unprotected; SIGTERM by identity, a wait, and
 * SIGKILL to what stays. An agent is ended by its own way, with its conversation id saved first.
 */
export function endOrphan(chosen: Orphan, finder: OrphanFinder, context: OperationContext): Promise<Receipt> {
  return withOperation("endOrphan", sessionOfOrphan(chosen, context.now()), context, async (draft): Promise<Result> => {
    const first = await lookAt(chosen, finder, draft, context);
    if (first.kind !== "orphan") return first;
    await context.pause(1_000, context.signal);
    const second = await lookAt(chosen, finder, draft, context);
    if (second.kind !== "orphan") return second;
    const { orphan } = second;
    if (orphan.session)
      return endSession(orphan.session, ["ask", "hangUp", "kill"], { reason: "orphan", reach: "session", named: orphan.process }, draft, context);

    const climbed = await climb(finder.ladderOf(orphan), ["ask", "kill"], "session", draft, context);
    if (climbed.kind === "refused") return climbed;
    const { method, left } = climbed;
    if (method === "forced") draft.warnings.push("It did not leave when asked, and was killed.");
    if (left.some(isSurvivor)) return { kind: "partial", method, survivors: left };
    const anew = await findBegunAnew(second, finder);
    if (!anew) return { kind: "success", method };
    draft.warnings.push(`It has started itself anew: ${anew.what} (${anew.process.pid}).`);
    return { kind: "partial", method, survivors: [{ kind: "process", process: anew.process, name: nameIn(anew), bond: "tree" }] };
  });
}

interface Found {
  readonly kind: "orphan";
  readonly orphan: Orphan;
  /** All that there were then. */
  readonly among: readonly Orphan[];
}
type Looked = Found | Refusal | (Result & { readonly kind: "success" });

async function lookAt(chosen: Orphan, finder: OrphanFinder, draft: Draft, context: OperationContext): Promise<Looked> {
  const { process, why } = chosen;
  const orphans = await finder.find(context.signal);
  const orphan = orphans.find((each) => isSameProcess(each.process, process));
  const isIt = orphan !== undefined && orphan.protection === undefined && orphan.why === why;
  const seen = orphan ? (orphan.protection ?? orphan.why) : "it is not among them";
  addStep({ step: "look", did: `looked for ${nameIn(chosen)} (${process.pid})`, verified: { value: isIt, seen, at: context.now() } }, draft, context);
  if (orphan?.protection !== undefined) return { kind: "refused", reason: "protected", detail: orphan.protection };
  if (isIt) return { kind: "orphan", orphan, among: orphans };
  const [tree] = await finder.treesOf([process], context.signal);
  return tree?.length === 0 ? { kind: "success", method: "notNeeded" } : { kind: "refused", reason: "noLongerOneSession" };
}

/** A loop around it, or its own answer to SIGTERM. Looked for to the end: what was done is told even if it is called off by now. */
async function findBegunAnew({ orphan, among }: Found, finder: OrphanFinder): Promise<Orphan | undefined> {
  const known = new Set(among.map(({ key }) => key));
  const orphans = await finder.find(new AbortController().signal);
  return orphans.find(({ key, what, why }) => !known.has(key) && what === orphan.what && why === orphan.why);
}

function nameIn({ tree: [entry] }: Orphan): string {
  return entry ? nameOfProcess(entry) : "process";
}

/** An agent's own row; of another program, one that is made for its receipt. */
export function sessionOfOrphan({ key, process, what, why, session, cwd, startedAt }: Orphan, now: number): Session {
  if (session) return session;
  const run: Run = {
    kind: "run",
    key,
    source: "process",
    place: "process table",
    liveness: { value: "alive", seen: `process ${process.pid}`, at: now },
    activity: { value: "silent", seen: "nothing reports its activity", at: now },
    runsIn: "automation",
    host: { kind: "process", process },
  };
  const status = { value: "open", seen: why, at: now } as const;
  return { key, agent: undefined, title: what, cwd, conversation: undefined, startedAt, run, records: [], status, doubt: undefined };
}
