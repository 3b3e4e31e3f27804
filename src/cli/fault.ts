import type { OperationContext, OperationEvent } from "../core/operations/operation.ts";

/** For tests of being cut off: dies by SIGKILL at a named step ("erase", "erase 3" for the third of them), as a machine that loses power would. No step named: never. */
export function dieAt(step: string | undefined): OperationContext["tell"] {
  const taken = new Map<string, number>();
  return (event) => {
    const word = wordOf(event);
    const count = (taken.get(word) ?? 0) + 1;
    taken.set(word, count);
    if (step !== undefined && (step === word || step === `${word} ${count}`)) process.kill(process.pid, "SIGKILL");
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
