import type { Command } from "./agent.ts";

/** For a person to read, copy and paste into a POSIX shell; we never give it to one. */
export function commandLineOf({ argv, cwd, env }: Command): string {
  const variables = Object.entries(env ?? {});
  const unset = variables.flatMap(([name, value]) => (value === undefined ? ["-u", name] : []));
  const assignments = variables.flatMap(([name, value]) => (value === undefined ? [] : `${name}=${quoted(value)}`));
  const change = cwd === undefined ? [] : ["cd", "--", quoted(cwd), "&&"];
  return [...change, ...(unset.length > 0 ? ["env", ...unset] : []), ...assignments, ...argv.map(quoted)].join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
