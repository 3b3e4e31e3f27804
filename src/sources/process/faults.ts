import { inTime } from "../../core/inTime.ts";
import type { Unreachable } from "../../core/notice.ts";

/** What could not be read during one look. It is told, and takes nothing from what could. */
export interface Faults {
  /** What `reading` tells; where it fails or hangs, `otherwise`, and the fault is noted. Rejects only where the look itself is cancelled. */
  orElse<T>(reading: () => Promise<T> | undefined, otherwise: T, fault: { readonly place: string; readonly what: string }): Promise<T>;
  readonly unreachable: readonly Unreachable[];
}

export function gatherFaults(signal: AbortSignal): Faults {
  const unreachable: Unreachable[] = [];
  return {
    unreachable,
    async orElse(reading, otherwise, { place, what }) {
      try {
        const answer = reading();
        return answer === undefined ? otherwise : await inTime(answer, answersWithinMs, signal);
      } catch (error) {
        signal.throwIfAborted();
        unreachable.push({ place, reason: `${what} (${error instanceof Error ? error.message : String(error)})` });
        return otherwise;
      }
    },
  };
}
const answersWithinMs = 5_000;
