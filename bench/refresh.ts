import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { agents } from "../src/agents/agents.ts";
import { Roster } from "../src/core/roster.ts";
import { openLedger } from "../src/sources/ledger/ledgerSource.ts";
import { createProcessSource } from "../src/sources/process/processSource.ts";
import { openMachine } from "../src/system/machine.ts";
import { watchLoop } from "./loop.ts";
import { makeCrowd } from "./machine.ts";
import { inTurn, median } from "./statistics.ts";

export interface RefreshFigures {
  readonly subprocesses: number;
  readonly refreshMs: number;
  readonly bareMs: number;
  readonly longestBlockMs: number;
}

/** 300 tmux sessions and 1,000 sessions of the past: one refresh beside one bare `tmux list-panes -a`. */
export async function measureRefresh(): Promise<RefreshFigures> {
  using crowd = makeCrowd(300);
  writeFileSync(join(crowd.folder, "ledger.jsonl"), Array.from({ length: 1_000 }, (_, index) => `${pastSession(index)}\n`).join(""));
  const machine = await openMachine({ tmuxProgram: "tmux", tmuxSockets: [crowd.socket] });
  const roster = new Roster([createProcessSource(agents, machine, []), openLedger(crowd.folder)], (signal) => machine.census(signal));
  const { signal } = new AbortController();

  const started: ChildProcess[] = [];
  subscribe("child_process", (message) => started.push((message as { process: ChildProcess }).process));
  await roster.refresh(signal);
  started.length = 0;
  await roster.refresh(signal);
  // Whatever other tmux servers this machine has are asked too: one question each.
  const perRefresh = started.filter(({ spawnargs }) => !spawnargs.includes("-S") || spawnargs.includes(crowd.socket)).length;

  const bare = () => execa("tmux", ["-u", "-S", crowd.socket, "list-panes", "-a"]);
  const longestBlock = watchLoop();
  const times = await inTurn(15, () => roster.refresh(signal), bare);
  return { subprocesses: perRefresh, refreshMs: median(times.a), bareMs: median(times.b), longestBlockMs: longestBlock() };
}

function pastSession(index: number): string {
  const identity = { pid: 4_000_000 + index, start: { kind: "ticks", ticks: String(index) } };
  const conversation = { agent: "claude", id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`, toldBy: "agent" };
  return JSON.stringify({
    id: `past-${index}`,
    agent: "claude",
    process: identity,
    conversation,
    title: `session ${index}`,
    cwd: "/nowhere",
    seenAt: index,
    state: "ended",
  });
}
