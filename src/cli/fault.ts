import type { OperationContext, OperationEvent } from "../core/operations/operation.ts";

/** For tests of being cut off: dies by SIGKILL at a named step, as a machine that loses power would. No step named: never. */
export function dieAt(step: string | undefined): OperationContext["tell"] {
  return (event) => {
    if (step !== undefined && step === wordOf(event)) process.kill(process.pid, "SIGKILL");
  };
}

function wordOf(event: OperationEvent): string {
  switch (event.kind) {
    case "begun":
    case "done":
      return event.kind;
    case "taking":
      return `taking ${event.step}`;
    case "step":
      return event.step.step;
    case "recorded":
      return `recorded ${event.line.change}`;
  }
}
