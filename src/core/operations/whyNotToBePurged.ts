import type { Conversation, Facet } from "../facet.ts";
import type { Refusal } from "../refusal.ts";
import { wordsOfRemnants } from "../sentences.ts";
import { facetsOf } from "../session.ts";
import type { Session } from "../session.ts";
import { turnThatGoesOn } from "./finalize.ts";
import type { Fresh } from "./lookAgain.ts";
import { lookAgain } from "./lookAgain.ts";
import { openElsewhere } from "./openElsewhere.ts";
import type { OperationContext } from "./operation.ts";

/** Whether anything of it lives, or may: its own process, a turn in a daemon, another window that has the same conversation open. What is deleted below a living agent comes back. */
export async function whyNotToBePurged(
  { session, census }: Fresh,
  conversation: Conversation | undefined,
  context: OperationContext,
): Promise<Refusal | undefined> {
  return (
    whatLives(session) ??
    (await whatIsUnseen(session, context)) ??
    (conversation && (await openElsewhere({ session, conversation }, census, context))) ??
    (await whatGoesOn(session, context))
  );
}

/** A list of names proves nothing, and an idle session of a server is no process: its server deletes it. */
function whatLives(session: Session): Refusal | undefined {
  for (const facet of facetsOf(session)) {
    if (facet.kind === "record" && facet.isOnlyListed) continue;
    if (facet.liveness.value === "unknown") return { kind: "refused", reason: "livenessUnknown", detail: facet.liveness.seen };
    if (facet.liveness.value === "alive" && !isIdleOnServer(facet)) return { kind: "refused", reason: "stillAlive", detail: whatIsSeen(facet) };
  }
  return undefined;
}

function whatIsSeen(facet: Facet): string {
  return facet.kind === "run" && facet.host.kind === "server" ? facet.activity.seen : facet.liveness.seen;
}

function isIdleOnServer(facet: Facet): boolean {
  return facet.kind === "run" && facet.host.kind === "server" && facet.activity.value === "idle";
}

/** Without an identity gone is what two looks, a second apart, did not find. */
async function whatIsUnseen(session: Session, context: OperationContext): Promise<Refusal | undefined> {
  if (!facetsOf(session).some(({ liveness }) => liveness.value === "unseen")) return undefined;
  await context.pause(1_000, context.signal);
  const again = await lookAgain(session, context);
  return again.kind === "refused" ? again : whatLives(again.session);
}

async function whatGoesOn(session: Session, context: OperationContext): Promise<Refusal | undefined> {
  const turn = await turnThatGoesOn(session, context);
  return turn && { kind: "refused", reason: "stillAlive", detail: wordsOfRemnants([turn]) };
}
