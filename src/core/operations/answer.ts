import type { Receipt } from "../receipt.ts";
import type { Session } from "../session.ts";
import { lookAgain } from "./lookAgain.ts";
import { addStep, withOperation } from "./operation.ts";
import type { OperationContext } from "./operation.ts";

export type Answer = "allow" | "deny";

/** Allows the one tool that it asks for, this once, or denies it. Only while it still asks for the very same. */
export function answer(session: Session, word: Answer, context: OperationContext): Promise<Receipt> {
  return withOperation("answer", session, context, async (draft) => {
    const asked = session.run?.asks;
    const fresh = await lookAgain(session, context);
    if (fresh.kind === "refused") return fresh;
    const { run } = fresh.session;
    if (!run?.asks || run.asks.id !== asked?.id) return { kind: "refused", reason: "unsupported", detail: "it no longer asks for that" };
    const source = context.sources.get(run.source);
    if (!source?.answerPermission) return { kind: "refused", reason: "unsupported", detail: "it can't be answered from here" };
    const refusal = await source.answerPermission(run, word, context.signal);
    if (refusal) return refusal;
    const did = `${word === "allow" ? "allowed" : "denied"} ${run.asks.tool}: ${run.asks.input}`;
    addStep({ step: "answer", did, verified: undefined }, draft, context);
    return { kind: "success", method: "notNeeded" };
  });
}
