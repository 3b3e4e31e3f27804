import { join } from "node:path";
import { listIfPresent } from "../../system/files.ts";

/** The full ids of conversations on disk that begin like this, by the names of their files. */
export async function findRollouts(home: string, idPrefix: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const folder of daysOf(idPrefix)) {
    for (const name of await listIfPresent(join(home, "sessions", folder))) {
      const id = /^rollout-.*-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/.exec(name)?.[1];
      if (id?.startsWith(idPrefix)) found.add(id);
    }
  }
  return [...found];
}

/** A conversation's file lies under the day it began, in local time; its id, a UUID of version 7, begins with that moment. */
function daysOf(id: string): readonly string[] {
  const beganAt = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  return [-1, 0, 1].map((offset) => new Date(beganAt + offset * dayMs).toISOString().slice(0, 10).replaceAll("-", "/"));
}
const dayMs = 24 * 60 * 60 * 1000;
