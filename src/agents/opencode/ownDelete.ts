import { basename } from "node:path";
import { findOnPath } from "../../system/findOnPath.ts";
import { run } from "../../system/run.ts";
import { environmentIn } from "./home.ts";

/**
 * OpenCode's own deletion of a session and of its sub-agents' sessions, for where no server does it. It starts as in a folder of its own that is nobody's
 * project, without plugins, without a project's settings, and asks nobody outside. Resolves with why it did not happen.
 */
export async function deleteByOpencode(id: string, home: string, signal: AbortSignal): Promise<string | undefined> {
  const program = await findOnPath("opencode");
  if (program === undefined) return `opencode is not on PATH: ${byHand(id, home)}`;
  if (basename(home) !== "opencode") return `OpenCode can't be led to ${home}: ${byHand(id, home)}`;
  const { env } = await environmentIn(home);
  const outcome = await run([program, "session", "delete", "--pure", "--log-level", "ERROR", id], {
    withinMs,
    signal,
    cwd: home,
    env: { ...env, ...alone },
  });
  switch (outcome.kind) {
    case "missing":
      return `opencode can't be run: ${byHand(id, home)}`;
    case "timedOut":
      return `\`opencode session delete\` did not end within ${withinMs / 1_000} s`;
    case "exited":
      return outcome.code === 0 ? undefined : `\`opencode session delete\` refused it${wordsOf(outcome.stderr)}; ${byHand(id, home)}`;
  }
}
const withinMs = 30_000;
const alone = { OPENCODE_PURE: "1", OPENCODE_DISABLE_PROJECT_CONFIG: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };

export function byHand(id: string, home: string): string {
  return `run \`opencode session delete ${id}\` where it is, in an empty folder and with XDG_DATA_HOME set to the folder of ${home}`;
}

/** Its first line, without its colours. */
function wordsOf(stderr: string): string {
  // oxlint-disable-next-line no-control-regex
  const said = /^(?:Error: )?([\x20-\x7e]{1,200})$/m.exec(stderr.replaceAll(/\u001B\[[0-9;]*m/g, ""))?.[1];
  return said === undefined ? "" : `: ${said}`;
}
