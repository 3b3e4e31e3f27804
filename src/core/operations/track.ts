import type { Run } from "../facet.ts";
import type { Receipt, Result } from "../receipt.ts";
import type { Session } from "../session.ts";
import type { RecordOutcome } from "../source.ts";
import { lookAgain } from "./lookAgain.ts";
import { withOperation } from "./operation.ts";
import type { Draft, OperationContext } from "./operation.ts";

/** Writes a session that lives in a tmux pane into the registry, under the name of its tmux session: that is how other programs find it. */
export function track(session: Session, context: OperationContext): Promise<Receipt> {
  return withOperation("track", session, context, async (draft): Promise<Result> => {
    const fresh = await lookAgain(session, context);
    if (fresh.kind === "refused") return fresh;
    const { run } = fresh.session;
    const pane = run?.host.kind === "process" ? run.host.pane : undefined;
    if (!run || !pane) return { kind: "refused", reason: "unsupported", detail: "it is in no tmux session" };
    return resultOf(await enter(run, pane.sessionName, draft, context));
  });
}

/** A row of its own, where there is a registry. */
export async function enter(run: Run, name: string, draft: Draft, context: OperationContext): Promise<RecordOutcome> {
  const outcome = await context.sources.get("mux")?.add?.(run, name, context.signal);
  if (!outcome) return { kind: "unsupported" };
  const line = { record: `mux:${name}`, change: "added", outcome } as const;
  draft.records.push(line);
  context.tell({ kind: "recorded", line });
  return outcome;
}

function resultOf(outcome: RecordOutcome): Result {
  switch (outcome.kind) {
    case "recorded":
    case "alreadySo":
      return { kind: "success", method: "notNeeded" };
    case "busy":
      return { kind: "refused", reason: "busy" };
    case "unsupported":
      return { kind: "refused", reason: "unsupported", detail: "no registry is named in the settings" };
    case "changedMeanwhile":
      return { kind: "refused", reason: "noLongerOneSession" };
    case "failed":
      return { kind: "refused", reason: "unsupported", detail: outcome.reason };
    case "unreachable":
      return { kind: "refused", reason: "unreachable", detail: outcome.reason };
  }
}
