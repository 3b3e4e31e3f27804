import { setTimeout as sleep } from "node:timers/promises";
import type { Roster, Snapshot } from "../core/roster.ts";

/** Of what names no process, gone is what two looks did not find: who asks only once is told so all the same. */
export async function lookTwice(roster: Roster): Promise<Snapshot> {
  const { signal } = new AbortController();
  const once = await roster.refresh(signal);
  if (!once.sessions.some(({ status, records }) => status.value === "unknown" && records.some(({ liveness }) => liveness.value === "unseen"))) return once;
  await sleep(secondLookMs);
  return roster.refresh(signal);
}
const secondLookMs = 1_050;
