import type { Change } from "../../core/source.ts";
import { changeMembers } from "./members.ts";
import { goTime, timeOf } from "./times.ts";

/**
 * The text of a state that has ended, as the program itself would end it. Fully condensed is only what has nothing pending: said of anything else it would
 * make every later commit pass over that work. Undefined where the text can't be changed exactly.
 */
export function endState(text: string, change: Pick<Extract<Change, { kind: "stopped" | "exited" }>, "kind">, now: number): string | undefined {
  const state = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const isEmptied = hasNothingPending(state);
  const endedAt = change.kind === "exited" ? (timeIn(state["last_interaction_time"]) ?? timeIn(state["started_at"])) : undefined;
  return changeMembers(text, {
    set: {
      phase: '"ended"',
      ended_at: JSON.stringify(endedAt ?? goTime(now)),
      last_interaction_time: JSON.stringify(goTime(now)),
      ...(isEmptied && { fully_condensed: "true" }),
    },
    remove: isEmptied ? ["condensation_attempt"] : keepsWork(state) ? ["fully_condensed"] : [],
  });
}

/** Of a kind that we don't understand is not nothing. */
function hasNothingPending(state: Readonly<Record<string, unknown>>): boolean {
  const { checkpoint_count: steps = 0 } = state;
  return !keepsWork(state) && steps === 0;
}

/** Hashes of touched files are what a version to come notes. */
function keepsWork(state: Readonly<Record<string, unknown>>): boolean {
  return [state["files_touched"], state["task_records"], state["touched_file_hashes"]].some((value) => !isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Its own words, with more digits than a time has here. */
function timeIn(value: unknown): string | undefined {
  return typeof value === "string" && timeOf(value) !== undefined ? value : undefined;
}
