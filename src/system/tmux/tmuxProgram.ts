import { run } from "../run.ts";
import type { RunOutcome } from "../run.ts";

/** tmux as this user has it. */
export interface Tmux {
  readonly program: string;
  /** A client of one server. `-u`: without a UTF-8 locale tmux would print every tab and every non-ASCII byte as `_`. */
  ask(socket: string, command: readonly string[], signal?: AbortSignal): Promise<RunOutcome>;
}

export function tmuxProgram(program: string): Tmux {
  return {
    program,
    ask: (socket, command, signal) => run([program, "-u", "-S", socket, ...command], { withinMs: answersWithinMs, ...(signal && { signal }) }),
  };
}
/** A stopped server lets its clients wait for ever. */
const answersWithinMs = 2_000;
