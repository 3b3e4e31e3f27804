import type { Agent } from "../../core/agent.ts";
import { descendantsOf } from "../../core/census.ts";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Run } from "../../core/facet.ts";
import type { Remnant } from "../../core/ladder.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { nameOfProcess } from "../../core/processWords.ts";
import type { Machine } from "../../system/machine.ts";

/** What carries the agent's mark in its environment and stands outside its tree: a child that left it, or a daemon that others share. Reported only. */
export async function markedRemnants(
  run: Run,
  root: ProcessEntry,
  tree: readonly ProcessEntry[],
  { agent, machine }: { readonly agent: Agent; readonly machine: Machine },
  census: Pick<Census, "processes">,
): Promise<readonly Remnant[]> {
  const pane = run.host.kind === "process" ? run.host.pane : undefined;
  const marks = Object.entries(agent.childMarks?.(run, root.identity.pid) ?? {});
  const paneProcess = pane && census.processes?.get(pane.pid);
  const near = new Set([
    process.pid,
    ...tree.map(({ identity }) => identity.pid),
    ...(paneProcess ? [paneProcess, ...descendantsOf([paneProcess], census)] : []).map(({ identity }) => identity.pid),
  ]);
  const candidates = [...(census.processes?.values() ?? [])].filter(
    (entry) => entry.state !== "zombie" && entry.uid === root.uid && !near.has(entry.identity.pid) && beganAfter(root, entry),
  );
  const marked = await Promise.all(candidates.map(async (entry) => ((await carriesMark(entry.identity)) ? [entry] : [])));
  return marked.flat().map((entry) => ({ kind: "process", process: entry.identity, name: nameOfProcess(entry), bond: "environment" }));

  async function carriesMark(identity: ProcessIdentity): Promise<boolean> {
    const environment = await machine.environmentOf(identity);
    const isOfPane =
      pane !== undefined &&
      environment.get("TMUX_PANE") === pane.id &&
      environment.get("TMUX")?.startsWith(`${pane.server.socket},${pane.server.pid},`) === true;
    return isOfPane || marks.some(([variable, value]) => environment.get(variable) === value);
  }
}

/** A neighbour that was there before carries the pane's mark by right. */
function beganAfter({ startedAt: root }: ProcessEntry, { startedAt }: ProcessEntry): boolean {
  return root === undefined || startedAt === undefined || startedAt >= root;
}
