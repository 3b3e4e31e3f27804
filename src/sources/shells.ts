import { basename } from "node:path";
import type { ProcessEntry } from "../core/census.ts";

export function isShell({ program }: ProcessEntry): boolean {
  return shells.has(basename(program?.file ?? ""));
}
const shells = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "nu", "elvish", "xonsh", "pwsh"]);

/** A shell for a person, not one that runs a script: `tmux new-session zsh` has a start command too. */
export function isStartedBare({ argv }: ProcessEntry): boolean {
  return argv.slice(1).every((argument) => argument.startsWith("-") && !/^-\w*c$/.test(argument));
}
