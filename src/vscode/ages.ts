import type { Session } from "../core/session.ts";

/** How long it has been there; of what is over, how long ago it ended, as far as a record knows. */
export function ageMsOf({ run, records, startedAt, status }: Session, now: number): number | undefined {
  const isOver = status.value === "exited" || status.value === "stopped" || status.value === "purged" || status.value === "archived";
  if (!isOver || run?.liveness.value === "alive") return since(startedAt, now);
  const touched = records.flatMap(({ lastInteractionAt }) => lastInteractionAt ?? []);
  return since(touched.length > 0 ? Math.max(...touched) : startedAt, now);
}

/** "4m", for a row. */
export function shortAge(ageMs: number): string {
  const { count, unit } = measure(ageMs);
  return unit === "moment" ? "now" : `${count}${unit.charAt(0)}`;
}

/** "4 minutes", for a screen reader. */
export function spokenAge(ageMs: number): string {
  const { count, unit } = measure(ageMs);
  return unit === "moment" ? "less than a minute" : `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function since(at: number | undefined, now: number): number | undefined {
  return at === undefined ? undefined : Math.max(0, now - at);
}

function measure(ageMs: number): { readonly count: number; readonly unit: "moment" | "minute" | "hour" | "day" } {
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 1) return { count: 0, unit: "moment" };
  if (minutes < 60) return { count: minutes, unit: "minute" };
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? { count: hours, unit: "hour" } : { count: Math.floor(hours / 24), unit: "day" };
}
