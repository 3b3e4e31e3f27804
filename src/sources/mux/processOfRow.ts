import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import type { Agent } from "../../core/agent.ts";
import { agentOf } from "../../core/agent.ts";
import { descendantsOf, livenessOf } from "../../core/census.ts";
import type { Census, Pane, ProcessEntry } from "../../core/census.ts";
import type { Evidence } from "../../core/evidence.ts";
import type { Liveness, SessionRecord } from "../../core/facet.ts";
import { wordOf } from "../../core/process.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { isShell, isStartedBare } from "../shells.ts";
import type { Places } from "./places.ts";
import { isPlainName, tmuxName } from "../../system/tmux/names.ts";
import type { Row } from "./row.ts";

export type Meeting = Pick<SessionRecord, "process" | "liveness" | "isByName" | "mayBe" | "doubt">;

/**
 * The process that a row means: the one it names; else the agent of its kind in the tmux session of its name, in its folder. So the roster needs no
 * rule of its own for tmux. That of several the one with the row's conversation is meant, the merge finds by `mayBe`.
 */
export async function processOfRow(row: Row, { census, panesOf, agentsIn, cwdOf }: Places, agents: readonly Agent[]): Promise<Meeting> {
  const told = (value: Liveness, seen: string): { readonly liveness: Evidence<Liveness> } => ({ liveness: { value, seen, at: census.at } });
  const named = row.process && livenessOf(row.process, census);
  if (row.process && named === "alive") return { process: row.process, ...told("alive", `process ${row.process.pid}`) };
  if (row.process && named === "unknown") return told("unknown", `process ${row.process.pid}${hostWords(row.process, census)} can't be seen from here`);
  if (!census.processes) return told(ifOpen(row), "the process table can't be read");

  const panes = panesOf(tmuxName(row.name));
  const byName = panes.flatMap((pane) => agentsIn(pane)).filter(({ agent }) => agent.id === row.agent);
  // What is closed is taken up again only where its conversation is: somebody else may live under its name.
  if (row.says !== "active") return { ...(byName.length > 0 && { mayBe: byName.map(({ entry }) => entry.identity) }), ...told("unseen", row.status) };

  const inFolder: ProcessEntry[] = [];
  for (const { entry } of byName) if (await isSameFolder(row.cwd, await cwdOf(entry.identity))) inFolder.push(entry);
  const [only, ...others] = inFolder;
  const mayBe = byName.length > 1 || (byName.length === 1 && !only) ? { mayBe: byName.map(({ entry }) => entry.identity) } : {};
  if (only && others.length === 0) return { process: only.identity, isByName: true, ...mayBe, ...told("alive", `process ${only.identity.pid}`) };
  if (byName.length > 1) {
    const why = `more than one ${nameOf(row, agents)} goes by its name: ${byName.map(({ entry, pane }) => `${entry.identity.pid} on ${pane.server.socket}`).join(", ")}`;
    return { ...mayBe, doubt: { why, candidates: byName.map(({ entry }) => `process:${wordOf(entry.identity)}` as const) }, ...told("unknown", why) };
  }

  if (byName.length === 1) return { ...mayBe, ...told("unknown", `${nameOf(row, agents)} in tmux session ${tmuxName(row.name)} works in another folder`) };
  const met = unmet(row, panes, census, agents);
  // It named a process, which is gone; somebody may have started another who did not write that down.
  return row.process && met.liveness.value === "unseen" ? told("gone", `process ${row.process.pid} is gone`) : { ...mayBe, ...met };
}

/** Nobody in its tmux session is known to be its agent. That it is gone needs a proof. */
function unmet(row: Row, panes: readonly Pane[], census: Census, agents: readonly Agent[]): { readonly liveness: Evidence<Liveness> } {
  const name = tmuxName(row.name);
  const told = (value: Liveness, seen: string): { readonly liveness: Evidence<Liveness> } => ({ liveness: { value, seen, at: census.at } });
  if (panes.length === 0) {
    if (!isPlainName(row.name)) return told("unknown", "tmux writes its name in a way of its own");
    const silent = census.unreachable.find(({ place }) => place === row.tmuxSocket || (row.tmuxSocket === undefined && place !== "process table"));
    return silent ? told("unknown", `tmux at ${silent.place} does not tell: ${silent.reason}`) : told("unseen", `there is no tmux session ${name}`);
  }
  const strangers = panes.flatMap((pane) => strangersIn(pane, census, agents));
  if (strangers.length > 0) return told("unknown", `tmux session ${name} runs ${strangers.join(", ")}, which is not known to be its agent`);
  return told("unseen", panes.every(({ state }) => state === "dead") ? `its pane is dead` : `tmux session ${name} holds only an idle shell`);
}

/** All that lives in a pane, unless it is a shell that waits for a person. */
function strangersIn(pane: Pane, census: Census, agents: readonly Agent[]): readonly string[] {
  if (pane.state === "dead") return [];
  const first = census.processes?.get(pane.pid);
  if (!first) return [`process ${pane.pid}`];
  const living = [first, ...descendantsOf([first], census)].filter(({ state }) => state !== "zombie");
  if (living.length === 1 && isShell(first) && isStartedBare(first)) return [];
  const top = living.slice(1).find((entry) => agentOf(entry, agents));
  const shown = top ?? living.find((entry) => !isShell(entry)) ?? first;
  return [`${basename(shown.program?.file ?? shown.argv[0] ?? "a process")} (${shown.identity.pid})`];
}

/** Of what is closed the book's word stands where nothing else is known. */
function ifOpen({ says }: Row): Liveness {
  return says === "active" ? "unknown" : "unseen";
}

function nameOf({ agent }: Row, agents: readonly Agent[]): string {
  return agents.find(({ id }) => id === agent)?.name ?? "agent";
}

function hostWords({ host }: ProcessIdentity, { here }: Census): string {
  return host !== undefined && host !== here.host ? ` on ${host}` : "";
}

async function isSameFolder(told: string | undefined, real: string | undefined): Promise<boolean> {
  if (told === undefined || real === undefined) return false;
  return told === real || (await realpath(told).catch(() => told)) === real;
}
