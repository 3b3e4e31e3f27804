import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { agents } from "../src/agents/agents.ts";
import { Roster } from "../src/core/roster.ts";
import { createMuxSource } from "../src/sources/mux/muxSource.ts";
import { createProcessSource } from "../src/sources/process/processSource.ts";
import { openMachine } from "../src/system/machine.ts";
import { runPython } from "../test/support/python.ts";
import { longestBlockOf } from "./loop.ts";
import { makeCrowd } from "./machine.ts";
import { inTurn, median } from "./statistics.ts";

export interface RegistryFigures {
  readonly rows: number;
  readonly subprocesses: number;
  readonly refreshMs: number;
  readonly bareMs: number;
  /** The first read of a fresh process: with all that has to be loaded for it. */
  readonly firstReadBlockMs: number;
  readonly refreshBlockMs: number;
  /** Of refreshes before each of which somebody else has written to the registry. */
  readonly rereadBlockMs: number;
}

type Kind = "twin" | "yaml";

/** 300 tmux sessions and 1,000 rows, of which they are the open ones: in a process of its own, since only the first read is the first. */
export async function measureRegistry(kind: Kind): Promise<RegistryFigures> {
  const { stdout } = await execa(process.execPath, [fileURLToPath(import.meta.url), kind], { stderr: "inherit" });
  return JSON.parse(stdout) as RegistryFigures;
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await measure(process.argv[2] === "twin" ? "twin" : "yaml")));
  process.exit();
}

async function measure(kind: Kind): Promise<RegistryFigures> {
  using crowd = makeCrowd(300);
  const registry = join(crowd.folder, "agents.yaml");
  const file = writeRegistry(registry, kind);
  const machine = await openMachine({ tmuxProgram: "tmux", tmuxSockets: [crowd.socket] });
  const mux = createMuxSource(registry, agents, machine);
  const roster = new Roster([createProcessSource(agents, machine, []), mux], (signal) => machine.census(signal));
  const { signal } = new AbortController();

  const census = await machine.census(signal);
  const firstReadBlockMs = await longestBlockOf(() => mux.read(census, signal));
  await roster.refresh(signal);
  const subprocesses = await countStarted(crowd.socket, () => roster.refresh(signal));

  const bare = () => execa("tmux", ["-u", "-S", crowd.socket, "list-panes", "-a"]);
  let times = { a: [] as readonly number[], b: [] as readonly number[] };
  const refreshBlockMs = await longestBlockOf(async () => {
    times = await inTurn(15, () => roster.refresh(signal), bare);
  });
  const rereadBlockMs = await longestBlockOf(async () => {
    for (let written = 1; written <= 15; written++) {
      utimesSync(file, new Date(written * 1_000), new Date(written * 1_000));
      await roster.refresh(signal);
    }
  });
  const rows = roster.snapshot.sessions.filter(({ records }) => records.some(({ source }) => source === "mux")).length;
  return { rows, subprocesses, refreshMs: median(times.a), bareMs: median(times.b), firstReadBlockMs, refreshBlockMs, rereadBlockMs };
}

/** Whatever other tmux servers this machine has are asked too: one question each. */
async function countStarted(socket: string, work: () => Promise<unknown>): Promise<number> {
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => void started.push((message as { process: ChildProcess }).process);
  subscribe("child_process", note);
  await work();
  unsubscribe("child_process", note);
  return started.filter(({ spawnargs }) => !spawnargs.includes("-S") || spawnargs.includes(socket)).length;
}

/** As the registry's own program leaves it. Tells the file that is read. */
function writeRegistry(registry: string, kind: Kind): string {
  const twin = registry.replace(/yaml$/, "db");
  const script = `import json, sqlite3, sys, yaml
path, twin, rows = json.load(sys.stdin)
with open(path, "w") as f: yaml.safe_dump({"tmux_sessions": rows, "agent_identities": {"claude": {"project_cwd": "/nowhere/1", "session_id": "cached"}}}, f, sort_keys=False)
c = sqlite3.connect(twin)
c.execute("PRAGMA journal_mode = WAL")
c.execute("CREATE TABLE sessions (name TEXT PRIMARY KEY, data TEXT)")
c.executemany("INSERT INTO sessions VALUES (?, ?)", [(row["name"], json.dumps(row)) for row in rows])
c.commit(); c.close()`;
  runPython(script, [registry, twin, Array.from({ length: 1_000 }, (_each, index) => aRow(index))]);
  if (kind === "yaml") rmSync(twin);
  return kind === "yaml" ? registry : twin;
}

/** 300 open ones by the names of the crowd's sessions, every second without an id of its own; the others were stopped. */
function aRow(index: number): object {
  const agent = index % 3 === 0 ? "codex" : "claude";
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
  const isOpen = index < 300;
  return {
    name: `session ${index}`,
    status: isOpen ? "running" : "stopped",
    agent,
    pane: { cwd: `/nowhere/${index % 40}` },
    delegate_job_id: index % 5 === 0 ? `job-${index}` : null,
    created_at: "2026-01-02T03:04:05Z",
    created_at_epoch: 1_767_323_045 + index,
    ...(!isOpen && {
      stopped_at: "2026-01-02T04:04:05Z",
      stopped_at_epoch: 1_767_326_645 + index,
      stop_reason: "manual_stop",
      termination_mode: "graceful",
      last_visible_status_at_termination: "what was last on its screen ".repeat(15).trim(),
    }),
    ...((!isOpen || index % 2 === 0) && { [agent === "claude" ? "claude_session_id_own" : "codex_conversation_id_own"]: id, resumable: true }),
  };
}
