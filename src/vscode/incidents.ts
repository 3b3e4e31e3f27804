import { isAutomation, rootsOf } from "../core/groups.ts";
import type { Snapshot } from "../core/roster.ts";
import type { FacetKey } from "../core/facet.ts";
import type { Session } from "../core/session.ts";

/** Who has begun to wait for a person since the last look. Silent at the first: what waits then is on the screen, or was told by another window. */
export function createIncidents(): (snapshot: Snapshot) => readonly Session[] {
  let told: ReadonlySet<FacetKey> | undefined;
  return ({ sessions }) => {
    const waiting = rootsOf(sessions).filter((session) => session.status.value === "needsInput" && !isAutomation(session));
    const before = told;
    // A moment without an answer does not end an incident.
    const unclear = sessions.filter(({ key, status }) => status.value === "unknown" && before?.has(key));
    told = new Set([...waiting, ...unclear].map(({ key }) => key));
    return before ? waiting.filter(({ key }) => !before.has(key)) : [];
  };
}
