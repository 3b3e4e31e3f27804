import type { Agent } from "../../core/agent.ts";
import type { Pane } from "../../core/census.ts";
import type { Machine } from "../../system/machine.ts";
import { handleOf } from "../../system/tmux/pane.ts";

/** A pane that is kept when its agent ends, for an agent that tells its id only as it leaves. */
export interface KeptPane {
  /** The id, if it stands there now and did not before the agent was asked: a conversation may show commands of others. */
  lastWords(): Promise<string | undefined>;
  /** Closed once its agent is gone, and left as it was where it lives on. Never throws: what was done is done. */
  close(): Promise<void>;
}

export async function keepPane(pane: Pane, agent: Agent, machine: Machine, signal: AbortSignal): Promise<KeptPane | undefined> {
  const handle = handleOf(pane, machine.tmux);
  const idOnScreen = async (): Promise<string | undefined> => agent.idFromLastWords?.((await handle.screen(readLines, signal)) ?? "");
  const before = await idOnScreen();
  const putBack = await handle.keepWhenDead();
  if (typeof putBack !== "function") return undefined;
  return {
    async lastWords() {
      const now = await idOnScreen();
      return now === before ? undefined : now;
    },
    async close() {
      const census = await machine.census(AbortSignal.timeout(closesWithinMs)).catch(() => undefined);
      const current = census?.panes.find(({ id, server }) => id === pane.id && server.pid === pane.server.pid);
      if (current?.state === "dead") await handle.close();
      else if (current) await putBack();
    },
  };
}
const readLines = 50;
const closesWithinMs = 5_000;
