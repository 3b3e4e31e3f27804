import type { ProcessEntry } from "./census.ts";

/** Positive: `a` began later; undefined where the two can't be told apart. */
export function startOrder(a: ProcessEntry, b: ProcessEntry): number | undefined {
  const [first, second] = [a.identity.start, b.identity.start];
  if (first.kind === "ticks" && second.kind === "ticks") return Number(first.ticks) - Number(second.ticks) || undefined;
  if (first.kind !== "utc" || second.kind !== "utc" || Math.abs(first.atMs - second.atMs) <= clockGrainMs) return undefined;
  return first.atMs - second.atMs;
}
const clockGrainMs = 2_000;
