import type { Run } from "../core/facet.ts";
import { sweep } from "../core/operations/finalize.ts";
import type { Snapshot } from "../core/roster.ts";
import type { Capabilities } from "../core/lifecycle.ts";
import { mayFinalizeUnasked } from "../core/lifecycle.ts";
import type { Lookout } from "./lookout.ts";
import { onDispose, together } from "./together.ts";

/** Closes, without being asked, the books that only our own ledger keeps; at most once a minute, since each is looked at again. */
export function sweepUnasked(lookout: Lookout, onFailure: (error: unknown) => void): Disposable {
  const cancelled = new AbortController();
  let lastAt = 0;

  const run = async ({ sessions }: Snapshot): Promise<void> => {
    const over = sessions.filter((session) => mayFinalizeUnasked(session, Date.now()));
    if (over.length === 0 || Date.now() - lastAt < everyMs) return;
    lastAt = Date.now();
    await sweep(
      over,
      lookout.warden.forOperation(cancelled.signal, () => undefined),
    );
    await lookout.refresh();
  };
  const listening = lookout.onDidChange((snapshot) => void run(snapshot).catch(onFailure));
  return together(
    listening,
    onDispose(() => cancelled.abort()),
  );
}
const everyMs = 60_000;

/** Of some agents no file tells what they do, be it that it stands in their pane's title alone: then somebody has to look. */
export function hasUnwatched({ sessions }: Snapshot, { agents }: Capabilities): boolean {
  return sessions.some(({ run }) => {
    if (!run || !isAtWork(run)) return false;
    const watched = run.agent && agents.get(run.agent)?.watchPathsOf?.(run);
    return !watched || watched.length === 0;
  });
}

function isAtWork({ host, liveness, runsIn }: Run): boolean {
  return host.kind === "process" && liveness.value === "alive" && runsIn === "terminal";
}
