import { setTimeout as sleep } from "node:timers/promises";
import type { Looked } from "./look.ts";
import type { Server } from "./servers.ts";

/** Looks at a server, and waits for it no longer than the others' sessions can: `everywhere` means an operation, which needs the answer. */
export type Patient = (server: Server, look: () => Promise<Looked>, where: "everywhere" | "whereThereIsNews") => Promise<Looked>;

/** What comes too late for one reading is the next one's answer; meanwhile it is not asked again. One that was late is waited for less. */
export function openPatience(waitsMs = 3_000, againWaitsMs = 300): Patient {
  const late = new WeakMap<Server["client"], Promise<Looked>>();

  return async ({ client }, look, where) => {
    if (where === "everywhere") return look();
    const before = late.get(client);
    const asked = before ?? look();
    // Nobody may be waiting any more when it fails.
    asked.catch(() => late.delete(client));
    const enough = new AbortController();
    const timer = sleep(before ? againWaitsMs : waitsMs, undefined, { signal: enough.signal, ref: false }).catch(() => undefined);
    try {
      const answer = await Promise.race([asked, timer]);
      if (answer) late.delete(client);
      else late.set(client, asked);
      return answer ?? { kind: "silent", reason: "has not answered yet", isLocked: false };
    } finally {
      enough.abort();
    }
  };
}
