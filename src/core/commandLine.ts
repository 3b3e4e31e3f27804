import type { Command } from "./agent.ts";

/** For a person to read, copy and paste into a POSIX shell; we never give it to one. */
export function commandLineOf({ argv, cwd, env }: Command): string {
  const assignments = Object.entries(env ?? {}).map(([name, value]) => `${name}=${quoted(value)}`);
  const change = cwd === undefined ? [] : ["cd", "--", quoted(cwd), "&&"];
  return [...change, ...assignments, ...argv.map(quoted)].join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
