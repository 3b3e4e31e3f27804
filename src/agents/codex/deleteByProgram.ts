import { findOnPath } from "../../system/findOnPath.ts";
import { run } from "../../system/run.ts";

/**
 * Codex's own deletion of a conversation and of its sub-agents, which its background server does where one runs, so that it lets go of it as well; none is
 * started. Resolves with why it did not happen.
 */
export async function deleteByProgram(id: string, home: string, signal: AbortSignal): Promise<string | undefined> {
  const program = await findOnPath("codex");
  if (program === undefined) return noProgram(id, home);
  const outcome = await run([program, "delete", id, "--force"], { withinMs, signal, env: { CODEX_HOME: home }, cwd: home });
  switch (outcome.kind) {
    case "missing":
      return noProgram(id, home);
    case "timedOut":
      return `\`codex delete\` did not end within ${withinMs / 1_000} s`;
    case "exited":
      return outcome.code === 0 ? undefined : `\`codex delete\` refused it${wordsOf(outcome.stderr)}`;
  }
}
const withinMs = 30_000;

/** Of a conversation that can only be deleted by hand. */
export function noProgram(id: string, home: string): string {
  return `codex is not on PATH, and only it gets its background server to let go: run \`codex delete ${id}\` where it is, with CODEX_HOME set to ${home}`;
}

/** Its first line; what follows is a trace of its stack. */
function wordsOf(stderr: string): string {
  const said = /^(?:Error: )?([\x20-\x7e]{1,200})$/m.exec(stderr)?.[1];
  return said === undefined ? "" : `: ${said}`;
}
