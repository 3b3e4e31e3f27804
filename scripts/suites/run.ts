import { fileURLToPath } from "node:url";
import { execa } from "execa";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs one of the project's own programs in front of the person: its output is shown as it comes. Resolves with the exit code, never throws. */
export async function run([program, ...args]: readonly [string, ...string[]], env: Readonly<Record<string, string | undefined>> = {}): Promise<number> {
  const { exitCode, failed, shortMessage } = await execa(program, args, {
    cwd: root,
    env,
    preferLocal: true,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    reject: false,
  });
  if (failed && exitCode === undefined) console.error(shortMessage);
  return exitCode ?? 1;
}
