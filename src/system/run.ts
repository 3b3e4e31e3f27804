import { spent } from "./spent.ts";

export type RunOutcome =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "missing" | "timedOut" };

/** Runs a program to its end, never through a shell. What it says on the way out is an outcome; only a cancelled wait throws. */
export async function run(
  [file, ...args]: readonly [string, ...string[]],
  options: { readonly withinMs: number; readonly signal?: AbortSignal; readonly env?: Readonly<{ [name: string]: string | undefined }>; readonly cwd?: string },
): Promise<RunOutcome> {
  // Only here: a window that starts no program does not wait for it.
  const { execa } = await import("execa");
  options.signal?.throwIfAborted();
  const { withinMs, signal, env, cwd } = options;
  const over = AbortSignal.any([AbortSignal.timeout(withinMs), ...(signal ? [signal] : [])]);
  const running = execa(file, args, {
    reject: false,
    cancelSignal: over,
    // A client of a stopped server does not react to SIGTERM either.
    killSignal: "SIGKILL",
    stdin: "ignore",
    stripFinalNewline: false,
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
  });
  // A child of it, or a stopped tmux server to which it has sent them, may hold its pipes open for ever.
  over.addEventListener("abort", () => {
    running.stdout.destroy();
    running.stderr.destroy();
  });
  const began = performance.now();
  const result = await running;
  spent.subprocesses++;
  spent.subprocessMs += performance.now() - began;
  signal?.throwIfAborted();
  if (result.isCanceled) return { kind: "timedOut" };
  if (result.code === "ENOENT" || result.code === "EACCES") return { kind: "missing" };
  if (result.exitCode !== undefined) return { kind: "exited", code: result.exitCode, stdout: result.stdout, stderr: result.stderr };
  // Killed, or not started for want of descriptors or memory: no 1, which is many a program's word for "there is none".
  return { kind: "exited", code: 255, stdout: result.stdout ?? "", stderr: result.stderr || (result.shortMessage ?? "") };
}
