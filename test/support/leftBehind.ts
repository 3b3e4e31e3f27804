import { spawn } from "node:child_process";
import { once } from "node:events";
import { argvOf } from "../real/support/processes.ts";
import { until } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** As `orphans --json` tells it. */
export interface OrphanRow {
  readonly key: string;
  readonly pid: number;
  readonly what: string;
  readonly why: string;
  readonly protected: boolean;
  readonly protected_because: string | null;
  readonly agent: string | null;
  readonly cwd: string;
  readonly started_at: string;
  readonly memory_bytes: number;
  readonly cpu_now: number;
  readonly cpu_life: number;
  readonly processes: readonly number[];
}

/** Of this stage alone: the machine may have others. */
export async function orphansOf(stage: Stage): Promise<readonly OrphanRow[]> {
  const { stdout } = await stage.warden(["orphans", "--json"]);
  return (JSON.parse(stdout) as { readonly orphans: readonly OrphanRow[] }).orphans.filter(({ cwd }) => cwd?.startsWith(stage.folder));
}

export async function untilOrphan(stage: Stage, commandLine: string): Promise<OrphanRow> {
  return until(async () => (await orphansOf(stage)).find(({ pid }) => argvOf(pid).join(" ") === commandLine));
}

/** As a tool does that wants to outlive its agent: a session of its own, and a parent that is gone at once. */
export async function leave(stage: Stage, argv: readonly string[], marks: Readonly<Record<string, string>>): Promise<void> {
  await once(spawn("setsid", ["-f", ...argv], { env: { ...stage.env, ...marks }, cwd: stage.work, stdio: "ignore" }), "exit");
}

export async function pidOfTheGone(): Promise<number> {
  const child = spawn("true", [], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}
