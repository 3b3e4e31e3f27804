import type { Command } from "../core/agent.ts";

/** A line that a person can paste into a shell. For the clipboard only: no process is ever started from it. */
export function shellLine({ argv, cwd, env = {} }: Command): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const line = [...variables, ...argv.map(quoted)].join(" ");
  return cwd === undefined ? line : `cd -- ${quoted(cwd)} && ${line}`;
}

function quoted(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
