import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { endMarked, markName } from "../../scripts/ownProcesses.ts";
import type { ProcessIdentity } from "../../src/core/process.ts";
import { findProcess } from "../real/support/processes.ts";
import { until } from "../real/support/until.ts";

export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  /** As /proc tells it now, read past the product. */
  readonly identity: ProcessIdentity;
  /** What it has said so far. */
  readonly said: () => string;
  /** "SIGTERM", or its exit code. */
  readonly ended: Promise<NodeJS.Signals | number | null>;
}

/** A real child of this test; it and all that comes of it have ended when the test has. */
export async function startChild(argv: readonly [string, ...string[]], options: SpawnOptions = {}): Promise<Child> {
  const mark = crypto.randomUUID();
  onTestFinished(() => endMarked(mark, { graceMs: 0 }));
  const [file, ...args] = argv;
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"], ...options, env: { ...process.env, ...options.env, [markName]: mark } });
  const ended = once(child, "exit").then(([code, signal]: (NodeJS.Signals | number | null)[]) => signal ?? code ?? null);
  await once(child, "spawn");
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
  const { pid = 0 } = child;
  return { pid, process: child, identity: identityOf(pid), said: () => said, ended };
}

/** A program that says "ready" when it is, and then each signal that it hears; it goes on after all but SIGKILL. */
export async function startDeaf(): Promise<Child> {
  const program = `for (const name of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(name, () => console.log(name));
    setInterval(() => {}, 60_000); console.log("ready");`;
  const child = await startChild([process.execPath, "-e", program]);
  await until(() => child.said().includes("ready"));
  return child;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, start: { kind: "ticks", ticks: findProcess(pid)?.startTicks ?? "" } };
}
