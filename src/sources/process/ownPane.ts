import { ancestorsOf, descendantsOf } from "../../core/census.ts";
import type { Census, Pane, ProcessEntry } from "../../core/census.ts";
import { isSameProcess } from "../../core/process.ts";
import { isShell, isStartedBare } from "../shells.ts";

/** Whether the pane was made for the agent, still holds some of it, and holds nothing else: only then may it be closed with it. */
export function isMadeFor(pane: Pane, tree: readonly ProcessEntry[], census: Pick<Census, "processes">): boolean {
  const first = census.processes?.get(pane.pid);
  if (!pane.hasStartCommand || !first) return false;
  const inPane = [first, ...descendantsOf([first], census)].filter(({ state }) => state !== "zombie");
  const itsOwn = inPane.filter((entry) => tree.some(({ identity }) => isSameProcess(identity, entry.identity)));
  // The pane's command may go on to something of the person's when the agent has ended: a tree that is gone owns nothing.
  const above = new Map(itsOwn.flatMap((own) => ancestorsOf(own.identity.pid, census).map((ancestor) => [ancestor, own] as const)));
  return itsOwn.length > 0 && inPane.every((entry) => itsOwn.includes(entry) || isWrapper(entry, above.get(entry)));
}

/** What only waits for the agent below it. A shell that puts it into a job of its own is a person's, and so is one without a command. */
function isWrapper(entry: ProcessEntry, below: ProcessEntry | undefined): boolean {
  if (!below) return false;
  return !isShell(entry) || (entry.groupId === below.groupId && !isStartedBare(entry));
}
