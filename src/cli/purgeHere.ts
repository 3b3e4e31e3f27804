import { confirmationFor } from "../core/lifecycle.ts";
import { outlookOf, planPurge } from "../core/operations/planPurge.ts";
import type { PurgePlan } from "../core/operations/planPurge.ts";
import { purge } from "../core/operations/purge.ts";
import { planLines } from "../core/planLines.ts";
import type { AgentId, FacetKey } from "../core/facet.ts";
import type { Step } from "../core/ladder.ts";
import { sentenceOfConcern } from "../core/concernSentences.ts";
import type { Session } from "../core/session.ts";
import type { Warden } from "../core/warden.ts";
import { exitCodeOf } from "./exitCode.ts";
import type { ExitCode } from "./exitCode.ts";
import { dieAt } from "./fault.ts";
import { findSession } from "./findSession.ts";
import { plain } from "./listing.ts";
import { tellReceipt, tellRefusal } from "./operate.ts";
import { abortedByInterrupt } from "./interrupt.ts";

export interface PurgeFlags {
  readonly session?: string;
  readonly agent?: AgentId;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly tag?: string;
  readonly reason?: string;
  /** `stop --purge-conversation`: it is ended first, by these. */
  readonly endBy?: readonly Step[];
}

/** Shows the plan; deletes only with --yes, and only what was in it. */
export async function purgeHere(warden: Warden, asked: string, flags: PurgeFlags): Promise<ExitCode> {
  const signal = abortedByInterrupt();
  const { sessions } = await warden.roster.refresh(signal);
  const meant = flags.agent === undefined ? sessions : sessions.filter(({ agent }) => agent === flags.agent);
  const found = findSession(asked, meant, flags.session !== undefined);
  if (found.kind === "refused") return tellRefusal(found, "purge", asked, flags);
  const { session } = found;
  const context = warden.forOperation(signal, dieAt(process.env["SESSION_WARDEN_FAULT"]));

  const isToEnd = flags.endBy !== undefined && isAlive(session);
  const plan = await (isToEnd ? outlookOf(session, context) : planPurge(session, context));
  if (plan.kind === "refused") return tellRefusal(plan, "purge", session.key, flags, session);
  // A title is no name: by the time of the --yes it may be another's.
  const name = found.by === "title" ? session.key : undefined;
  if (flags.dryRun || !flags.yes || name !== undefined) return showPlan(plan, { isToEnd, name }, flags);

  // What it writes as it leaves belongs to it as well: then the plan is made after its end.
  const itsProcess = session.run?.host.kind === "process" ? { named: session.run.host.process } : {};
  const end = { steps: flags.endBy ?? [], options: { reason: flags.reason ?? "manual_stop", reach: "session", ...itsProcess } } as const;
  const receipt = await purge(session, { pendingSeen: true, ...(isToEnd ? { end } : { seen: plan }) }, context);
  tellReceipt(receipt, session, flags);
  return exitCodeOf(receipt);
}

function isAlive({ run }: Session): boolean {
  return run?.liveness.value === "alive" && run.host.kind === "process";
}

interface Asked {
  readonly isToEnd: boolean;
  /** Under which it has to be asked for again. */
  readonly name: FacetKey | undefined;
}

function showPlan(plan: PurgePlan, { isToEnd, name }: Asked, { dryRun = false, json = false }: PurgeFlags): ExitCode {
  const { session } = plan;
  const concerns = [...(isToEnd ? (["stop"] as const) : []), "purge" as const].flatMap((operation) =>
    confirmationFor(operation, session, { isNamed: true }).map((concern) => sentenceOfConcern(concern, session)),
  );
  if (json) console.log(JSON.stringify(planJson(plan, dryRun, concerns), undefined, 2));
  else console.log(planLines(plan).map(plain).join("\n"));
  if (dryRun) return 0;
  const again = name === undefined ? "Run it again with --yes to do it." : `It was found by its title alone: run it again with --yes, and its key ${name}.`;
  if (!json) console.error(plain(["", ...concerns, again].join("\n")));
  return 3;
}

function planJson({ session, conversation, stores, leftAlone, pending }: PurgePlan, dryRun: boolean, concerns: readonly string[]): unknown {
  return {
    status: dryRun ? "plan" : "needs_confirmation",
    operation: "purge",
    session_id: session.key,
    agent: conversation.agent,
    conversation_id: conversation.id,
    stores: stores.map(({ name, path, bytes, belongsBecause }) => ({ store: name, path, bytes: bytes ?? null, belongs_because: belongsBecause })),
    left_alone: leftAlone,
    pending,
    ...(!dryRun && { concerns }),
  };
}
