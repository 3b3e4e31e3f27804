import type { Session } from "../core/session.ts";

/** How long it has been there; of what is over, how long ago it ended, as far as a record knows. */
export function ageMsOf({ run, records, startedAt, status }: Session, now: number): number | undefined {
  const isOver = status.value === "exited" || status.value === "stopped" || status.value === "purged" || status.value === "archived";
  if (!isOver || run?.liveness.value === "alive") return since(startedAt, now);
  const touched = records.flatMap(({ lastInteractionAt }) => lastInteractionAt ?? []);
  return since(touched.length > 0 ? Math.max(...touched) : startedAt, now);
}

function since(at: number | undefined, now: number): number | undefined {
  return at === undefined ? undefined : Math.max(0, now - at);
}
