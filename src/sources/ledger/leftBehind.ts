import { livenessOf } from "../../core/census.ts";
import type { Census } from "../../core/census.ts";
import type { Run } from "../../core/facet.ts";
import type { Ladder, Remnant, Rung, Taken } from "../../core/ladder.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { isSameProcess, wordOf } from "../../core/process.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Survivor } from "../../core/source.ts";
import { growTree } from "../../core/tree.ts";
import type { Machine, Signal } from "../../system/machine.ts";
import { whyProtected } from "../../system/protectedProcess.ts";
import type { Entry } from "./entry.ts";

/** What lives on of a session whose agent has left: it is alive, and can be ended, though no agent is there to be recognised. */
export function livingRest(entry: Entry, census: Census): readonly Survivor[] {
  if (livenessOf(entry.process, census) !== "gone") return [];
  return (entry.left ?? []).filter(({ process }) => livenessOf(process, census) === "alive");
}

export function runOfRest(entry: Entry, place: string, census: Census): Run | undefined {
  const rest = livingRest(entry, census);
  const [first] = rest;
  if (!first) return undefined;
  const seen = restWords(rest);
  return {
    kind: "run",
    key: `ledger:${entry.id}/${wordOf(first.process)}`,
    source: "ledger",
    place,
    liveness: { value: "alive", seen, at: census.at },
    activity: { value: "silent", seen, at: census.at },
    runsIn: "terminal",
    host: { kind: "process", process: first.process },
    ...(entry.conversation && { conversation: { ...entry.conversation, toldBy: "ledger" } }),
    ...(entry.cwd !== undefined && { cwd: entry.cwd }),
    ...(entry.startedAt !== undefined && { startedAt: entry.startedAt }),
  };
}

export function restWords(rest: readonly Survivor[]): string {
  return `its agent has left, ${rest.map(({ name, process }) => `${name} (${process.pid})`).join(", ")} lives on`;
}

/** ask: SIGTERM to each, kill: SIGKILL; with what stands below them by then. */
export async function withRestLadder<T>(
  entry: Entry,
  census: Census,
  machine: Machine,
  climb: (ladder: Ladder) => Promise<T>,
  signal: AbortSignal,
): Promise<T | Refusal> {
  const rest = livingRest(entry, census);
  const why = rest.map(({ process }) => whyProtected(process, census)).find((words) => words !== undefined);
  if (why !== undefined) return { kind: "refused", reason: "protected", detail: why };
  const tree = growTree(
    rest.map(({ process }) => process),
    census,
    () => false,
  );
  const remains = async (withinMs: number): Promise<readonly Remnant[]> => {
    const left = await machine.exited(
      tree.members.map(({ identity }) => identity),
      withinMs,
      signal,
    );
    return left.map((process) => ({ kind: "process", process, name: nameOf(process), bond: "tree" }));
  };
  const rung = (step: Rung["step"], which: Signal, graceMs: number): Rung => ({
    step,
    reach: "session",
    does: `${which} to what lives on`,
    graceMs,
    async take(): Promise<Taken> {
      tree.collect(await machine.processes(signal));
      const reached: string[] = [];
      for (const { identity } of tree.members) if (await machine.signal(identity, which)) reached.push(`${nameOf(identity)} (${identity.pid})`);
      return { kind: "taken", did: `${which} to ${reached.join(", ") || "nobody: all had ended"}` };
    },
  });
  return climb({ ends: "session", rungs: [rung("ask", "SIGTERM", 2_000), rung("kill", "SIGKILL", 2_000)], remains: () => remains(0), settled: remains });

  function nameOf(process: ProcessIdentity): string {
    const known = rest.find((survivor) => isSameProcess(survivor.process, process))?.name;
    const entryOf = tree.members.find(({ identity }) => isSameProcess(identity, process));
    return known ?? entryOf?.program?.file.split("/").at(-1) ?? entryOf?.argv[0] ?? "process";
  }
}
