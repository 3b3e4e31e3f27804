import type { Pane } from "../../../../src/core/census.ts";
import { readPanes } from "../../../../src/system/tmux/panes.ts";
import { tmuxProgram } from "../../../../src/system/tmux/tmuxProgram.ts";
import type { PrivateTmux } from "../../../support/tmux.ts";

/** A pane of a tmux session of its own, that runs this. */
export async function aPane(tmux: PrivateTmux, name: string, command = "exec sleep 60"): Promise<Pane> {
  const id = tmux.run("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "80", "-y", "24", "-s", name, command);
  const pane = (await readPanes([tmux.socket], tmuxProgram("tmux"), new AbortController().signal)).panes.find((each) => each.id === id);
  if (!pane) throw new Error(`${name} is not listed`);
  return pane;
}
