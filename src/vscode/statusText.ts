import { countByGroup } from "../core/groups.ts";
import type { Session } from "../core/session.ts";

export interface StatusText {
  readonly text: string;
  readonly spoken: string;
  readonly isWarning: boolean;
}

/** One short item. Undefined where no agent runs: then there is nothing to say. */
export function statusTextOf(sessions: readonly Session[]): StatusText | undefined {
  const counts = countByGroup(sessions);
  const needs = counts["Needs you"];
  const parts = [
    ...(counts.Working > 0 ? [{ icon: "record", words: `${counts.Working} working` }] : []),
    ...(needs > 0 ? [{ icon: "bell", words: needsWords(needs) }] : []),
  ];
  if (parts.length === 0 && counts.Open > 0) parts.push({ icon: "circle-outline", words: `${counts.Open} open` });
  if (parts.length === 0) return undefined;
  return {
    text: parts.map(({ icon, words }) => `$(${icon}) ${words}`).join(" · "),
    spoken: `Agent sessions: ${parts.map(({ words }) => words).join(", ")}`,
    isWarning: needs > 0,
  };
}

export function needsWords(count: number): string {
  return count === 1 ? "1 needs you" : `${count} need you`;
}
