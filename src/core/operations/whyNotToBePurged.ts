import type { Census } from "../census.ts";
import type { Conversation, Run } from "../facet.ts";
import { isSameConversation } from "../facet.ts";
import type { Refusal } from "../refusal.ts";
import { wordsOfRemnants } from "../sentences.ts";
import { facetsOf } from "../session.ts";
import type { Session } from "../session.ts";
import { turnThatGoesOn } from "./finalize.ts";
import type { Fresh } from "./lookAgain.ts";
import { lookAgain } from "./lookAgain.ts";
import type { OperationContext } from "./operation.ts";

/** Whether anything of it lives, or may: its own process, a turn in a daemon, another window that has the same conversation open. What is deleted below a living agent comes back. */
export async function whyNotToBePurged(fresh: Fresh, context: OperationContext): Promise<Refusal | undefined> {
  return (
    whatLives(fresh.session) ?? (await whatIsUnseen(fresh.session, context)) ?? (await whereItIsOpen(fresh, context)) ?? (await whatGoesOn(fresh, context))
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

function whatIsSeen(facet: Session["records"][number] | Run): string {
  return facet.kind === "run" && facet.host.kind === "server" ? facet.activity.seen : facet.liveness.seen;
}

function isIdleOnServer(facet: Session["records"][number] | Run): boolean {
  return facet.kind === "run" && facet.host.kind === "server" && facet.activity.value === "idle";
}

/** Without an identity gone is what two looks, a second apart, did not find. */
async function whatIsUnseen(session: Session, context: OperationContext): Promise<Refusal | undefined> {
  if (!facetsOf(session).some(({ liveness }) => liveness.value === "unseen")) return undefined;
  await context.pause(1_000, context.signal);
  const again = await lookAgain(session, context);
  return again.kind === "refused" ? again : whatLives(again.session);
}

/** Another process of the same agent, whose conversation it is, or can't be told not to be. */
async function whereItIsOpen({ session, census }: Fresh, { sources, agents, signal }: OperationContext): Promise<Refusal | undefined> {
  const { conversation } = session;
  if (!conversation) return undefined;
  if (!census.processes) return { kind: "refused", reason: "livenessUnknown", detail: "the process table can't be read" };
  const reading = await sources.get("process")?.read(census, signal);
  const ownList = agents.get(conversation.agent)?.name;
  const silent = reading?.unreachable.find(({ place }) => place === ownList);
  if (silent) return { kind: "refused", reason: "livenessUnknown", detail: `${silent.place}: ${silent.reason}` };
  for (const facet of reading?.facets ?? []) {
    if (facet.kind !== "run" || facet.agent !== conversation.agent || facet.liveness.value === "gone") continue;
    const words = wordsOf(facet, census);
    if (isSameConversation(facet.conversation, conversation)) return { kind: "refused", reason: "stillAlive", detail: `it is open in ${words}` };
    if (facet.conversation === undefined && mayHaveOpened(facet, session, conversation))
      return { kind: "refused", reason: "livenessUnknown", detail: `${words} runs in the same folder, and which conversation it has open can't be told` };
  }
  return undefined;
}

function mayHaveOpened(run: Run, { cwd }: Session, { home }: Conversation): boolean {
  const isOtherHome = home !== undefined && run.configHome !== undefined && home !== run.configHome;
  return !isOtherHome && (cwd === undefined || run.cwd === undefined || cwd === run.cwd);
}

function wordsOf({ host, agent, place }: Run, { processes }: Census): string {
  if (host.kind !== "process") return place;
  return `${agent ?? processes?.get(host.process.pid)?.argv[0] ?? "process"} (${host.process.pid})`;
}

async function whatGoesOn({ session }: Fresh, context: OperationContext): Promise<Refusal | undefined> {
  const turn = await turnThatGoesOn(session, context);
  return turn && { kind: "refused", reason: "stillAlive", detail: wordsOfRemnants([turn]) };
}
