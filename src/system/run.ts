import { execa } from "execa";

export type RunOutcome =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "missing" | "timedOut" };

/** Runs a program to its end, never through a shell. What it says on the way out is an outcome; only a cancelled wait throws. */
export async function run(
  [file, ...args]: readonly [string, ...string[]],
  options: { readonly withinMs: number; readonly signal?: AbortSignal; readonly env?: Readonly<{ [name: string]: string }> },
): Promise<RunOutcome> {
  const { withinMs, signal, env } = options;
  const result = await execa(file, args, {
    reject: false,
    timeout: withinMs,
    // A client of a stopped server does not react to SIGTERM either.
    killSignal: "SIGKILL",
    stdin: "ignore",
    stripFinalNewline: false,
    ...(signal && { cancelSignal: signal }),
    ...(env && { env }),
  });
  signal?.throwIfAborted();
  if (result.timedOut) return { kind: "timedOut" };
  if (result.code === "ENOENT" || result.code === "EACCES") return { kind: "missing" };
  return { kind: "exited", code: result.exitCode ?? 1, stdout: result.stdout, stderr: result.stderr };
}
