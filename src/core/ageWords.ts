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

function measure(ageMs: number): { readonly count: number; readonly unit: "moment" | "minute" | "hour" | "day" } {
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 1) return { count: 0, unit: "moment" };
  if (minutes < 60) return { count: minutes, unit: "minute" };
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? { count: hours, unit: "hour" } : { count: Math.floor(hours / 24), unit: "day" };
}
