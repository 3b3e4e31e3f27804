import type { Refusal } from "../../core/refusal.ts";
import { run } from "../run.ts";
import type { RunOutcome } from "../run.ts";

/** tmux as this user has it. */
export interface Tmux {
  readonly program: string;
  /** A client of one server. `-u`: without a UTF-8 locale tmux would print every tab and every non-ASCII byte as `_`. */
  ask(socket: string, command: readonly string[], signal?: AbortSignal, cwd?: string): Promise<RunOutcome>;
}

export function tmuxProgram(program: string): Tmux {
  const slow = new Set<string>();
  return {
    program,
    async ask(socket, command, signal, cwd) {
      const withinMs = slow.has(socket) ? againWithinMs : answersWithinMs;
      const outcome = await run([program, "-u", "-S", socket, ...command], { withinMs, ...(signal && { signal }), ...(cwd !== undefined && { cwd }) });
      if (outcome.kind === "timedOut") slow.add(socket);
      else slow.delete(socket);
      return outcome;
    },
  };
}
/** What a client that failed has to say of its server. */
export function refusedBy(outcome: RunOutcome, { program }: Tmux): Refusal {
  switch (outcome.kind) {
    case "missing":
      return { kind: "refused", reason: "unreachable", detail: `${program} was not found` };
    case "timedOut":
      return { kind: "refused", reason: "unreachable", detail: "its tmux server does not answer" };
    case "exited":
      return { kind: "refused", reason: "unreachable", detail: `tmux said: ${outcome.stderr.trim().slice(0, 200)}` };
  }
}

/** A stopped server lets its clients wait for ever. */
const answersWithinMs = 2_000;
/** One that has not answered is asked again and again, and holds up every look. */
const againWithinMs = 300;
