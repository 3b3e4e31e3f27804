import type { OperationEvent } from "../../core/operations/operation.ts";
import { isSurvivor } from "../../core/ladder.ts";
import type { Receipt } from "../../core/receipt.ts";
import { run } from "../../system/run.ts";

/**
 * Tells the job that a row was made for of its end, by a program of the person's: its arguments, then job, kind and message. `progress` before the first
 * request to leave, `completed` only where nothing is left. Best effort: nobody waits for it.
 */
export function delegateEvents(argv: readonly string[]): (event: OperationEvent) => void {
  const [program, ...args] = argv;
  let job: string | undefined;
  let isUnderWay = false;
  let earlier: Promise<unknown> = Promise.resolve();
  if (program === undefined) return () => {};

  return (event) => {
    switch (event.kind) {
      case "begun":
        job =
          event.operation === "stop" || event.operation === "terminate" ? event.session.records.find(({ delegateJob }) => delegateJob)?.delegateJob : undefined;
        isUnderWay = false;
        return;
      case "taking":
        if (!isUnderWay) publish("progress", "terminating");
        isUnderWay = true;
        return;
      case "done":
        if (isProvedEnd(event.receipt)) publish("completed", "session terminated");
        return;
      case "step":
      case "recorded":
        return;
    }
  };

  function publish(kind: string, message: string): void {
    if (job === undefined || !jobId.test(job)) return;
    const command = [program ?? "", ...args, job, kind, message] as const;
    // One after the other: a job must not hear of its end first.
    earlier = earlier.then(() => run(command, { withinMs: publishesWithinMs })).catch(() => undefined);
  }
}
/** It becomes an argument of somebody else's program, which must not take it for an option. */
const jobId = /^[A-Za-z0-9][\w.:-]*$/;
const publishesWithinMs = 10_000;

function isProvedEnd({ result, records }: Receipt): boolean {
  const isOver = result.kind === "success" || (result.kind === "partial" && !result.survivors.some(isSurvivor));
  if (!isOver) return false;
  return result.method !== "notNeeded" || records.some(({ change, outcome }) => change === "exited" && outcome.kind === "recorded");
}
