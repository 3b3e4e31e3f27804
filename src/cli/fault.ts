import type { OperationContext } from "../core/operations/operation.ts";

/** For tests of being cut off: dies by SIGKILL at a named step, as a machine that loses power would. No step named: never. */
export function dieAt(step: string | undefined): OperationContext["tell"] {
  return (event) => {
    const reached = event.kind === "step" ? event.step.step : event.kind === "taking" ? `taking ${event.step}` : event.kind;
    if (step !== undefined && step === reached) process.kill(process.pid, "SIGKILL");
  };
}
