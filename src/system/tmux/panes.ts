import type { Pane } from "../../core/census.ts";
import type { Unreachable } from "../../core/notice.ts";
import { isListening } from "../listening.ts";
import type { Tmux } from "./tmuxProgram.ts";

export interface PanesReading {
  readonly panes: readonly Pane[];
  readonly unreachable: readonly Unreachable[];
}

/** One `list-panes -a` per server that lives. A socket without a server is nothing; a server without an answer is unreachable. */
export async function readPanes(sockets: readonly string[], tmux: Tmux, signal: AbortSignal): Promise<PanesReading> {
  const answers = await Promise.all(sockets.map((socket) => askServer(socket, tmux, signal)));
  return { panes: answers.flatMap(({ panes }) => panes), unreachable: answers.flatMap(({ unreachable }) => unreachable) };
}

async function askServer(socket: string, tmux: Tmux, signal: AbortSignal): Promise<PanesReading> {
  if (!(await isListening(socket))) return nothing;
  const answer = await tmux.ask(socket, ["list-panes", "-a", "-F", format], signal);
  switch (answer.kind) {
    case "missing":
      return { panes: [], unreachable: [{ place: socket, reason: `${tmux.program} was not found, so its panes can't be listed`, remedy: "openSettings" }] };
    case "timedOut":
      return { panes: [], unreachable: [{ place: socket, reason: "this tmux server does not answer" }] };
    case "exited":
      if (answer.code === 0) return { panes: parsePanes(answer.stdout, socket), unreachable: [] };
      // It has no session, or ended between our two questions.
      if (/^(no server running|error connecting|lost server|server exited|no sessions|no current target)/m.test(answer.stderr) || !(await isListening(socket)))
        return nothing;
      return { panes: [], unreachable: [{ place: socket, reason: `tmux said: ${answer.stderr.trim().slice(0, 200)}` }] };
  }
}
const nothing: PanesReading = { panes: [], unreachable: [] };

/** Free text comes last. Titles and names can't hold a tab (tmux writes it as `\t`), a folder's name can: what is left over belongs to it. */
const fixedFields = [
  "pid",
  "pane_id",
  "session_id",
  "window_id",
  "window_index",
  "pane_pid",
  "pane_dead",
  "session_attached",
  "pane_input_off",
  "pane_synchronized",
] as const;
const format = [
  ...fixedFields.map((field) => `#{${field}}`),
  "#{?#{==:#{pane_start_command},},0,1}",
  "#{session_name}",
  "#{pane_title}",
  "#{pane_current_path}",
].join("\t");

/** A pane of several sessions (grouped, or its window linked) is one pane: shown by the session that somebody looks at. */
export function parsePanes(output: string, socket: string): readonly Pane[] {
  const panes = new Map<string, Pane>();
  for (const line of output.split(/\n(?=\d+\t%\d+\t)/)) {
    const pane = parsePane(line.replace(/\n$/, ""), socket);
    if (pane && !panes.get(pane.id)?.isAttached) panes.set(pane.id, pane);
  }
  return [...panes.values()];
}

function parsePane(line: string, socket: string): Pane | undefined {
  const [serverPid, id, sessionId, windowId, windowIndex, pid, dead, attached, inputOff, synchronized, wasMadeForCommand, sessionName, title, ...path] =
    line.split("\t");
  if (serverPid === undefined || id === undefined || sessionId === undefined || windowId === undefined || sessionName === undefined || title === undefined)
    return undefined;
  return {
    server: { socket, pid: Number(serverPid) },
    id,
    sessionId,
    sessionName,
    windowId,
    windowIndex: Number(windowIndex),
    pid: Number(pid),
    state: dead === "1" ? "dead" : "alive",
    title,
    cwd: path.join("\t"),
    hasStartCommand: wasMadeForCommand === "1",
    isAttached: attached !== "0",
    takesKeys: inputOff !== "1" && synchronized !== "1",
  };
}
