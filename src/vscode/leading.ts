import { sweep } from "../core/operations/finalize.ts";
import type { Snapshot } from "../core/roster.ts";
import type { Session } from "../core/session.ts";
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

/** Some agents say what they do only in their pane's title, and no file changes with it: then somebody has to look. */
export function hasUnwatched({ sessions }: Snapshot, can: Capabilities): boolean {
  return sessions.some((session) => isAliveInPane(session) && tellsByTitle(session, can));
}

function isAliveInPane({ run }: Session): boolean {
  return run?.host.kind === "process" && run.host.pane !== undefined && run.liveness.value === "alive";
}

function tellsByTitle({ agent, run }: Session, { agents }: Capabilities): boolean {
  return agent !== undefined && run?.pidFile === undefined && agents.get(agent)?.activityOfTitle !== undefined;
}
