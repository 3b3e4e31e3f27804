import type { ProcessEntry } from "./census.ts";

/** As it was typed, but for the folder of its program; a command line may be very long. */
export function commandOf({ argv, program }: ProcessEntry): string {
  const [first, ...rest] = argv;
  const words = [nameIn(first ?? program?.file) || "process", ...rest].join(" ").replaceAll(/\s+/g, " ");
  return words.length <= longestCommand ? words : `${words.slice(0, longestCommand - 1).toWellFormed()}…`;
}
const longestCommand = 100;

export function nameOfProcess({ program, argv }: ProcessEntry): string {
  return nameIn(program?.file ?? argv[0]) || "process";
}

export function nameIn(path: string | undefined): string {
  return (path ?? "").split("/").at(-1) ?? "";
}
