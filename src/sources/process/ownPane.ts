import { basename } from "node:path";
import { ancestorsOf, descendantsOf } from "../../core/census.ts";
import type { Census, Pane, ProcessEntry } from "../../core/census.ts";

/** Whether the pane was made for the agent and holds nothing else: only then may it be closed with it. */
export function isMadeFor(pane: Pane, tree: readonly ProcessEntry[], census: Pick<Census, "processes">): boolean {
  const first = census.processes?.get(pane.pid);
  if (!pane.hasStartCommand || pane.state === "dead") return pane.hasStartCommand;
  // Its program has ended, or the agent has and the pane's command goes on: a tree that is gone owns nothing.
  if (!first) return false;
  const inTree = new Set(tree.map(({ identity }) => identity.pid));
  const above = new Set(tree.flatMap(({ identity }) => ancestorsOf(identity.pid, census)));
  return [first, ...descendantsOf([first], census)].every(
    (entry) => entry.state === "zombie" || inTree.has(entry.identity.pid) || (above.has(entry) && !isShellOfAPerson(entry)),
  );
}

/** A shell without a command of its own: `tmux new-session zsh` has a start command too. */
export function isShellOfAPerson({ program, argv }: ProcessEntry): boolean {
  return (
    shells.has(basename(program?.file ?? "")) &&
    !argv.slice(1).some((argument) => /^-\w*c$/.test(argument)) &&
    argv.slice(1).every((argument) => argument.startsWith("-"))
  );
}
const shells = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "nu", "elvish", "xonsh", "pwsh"]);
