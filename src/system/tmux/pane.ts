import type { TmuxClient } from "../../core/destinations.ts";
import type { Pane } from "../../core/census.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Tmux } from "./tmuxProgram.ts";

/** A pane, as it was listed. Every change first compares the server's and the pane's pid in the same server-side step: pane ids start at 0 again with a new server. */
export interface PaneHandle {
  close(): Promise<Refusal | undefined>;
  /** One Escape to the program, out of any mode of tmux's own. */
  pressEscape(): Promise<Refusal | undefined>;
  /** Keeps the pane when its program ends, so that its last words can be read; what is returned puts it back. */
  keepWhenDead(): Promise<Refusal | (() => Promise<void>)>;
  /** Plain text of what it shows, and of the `above` lines over it. */
  screen(above: number, signal?: AbortSignal): Promise<string | undefined>;
  bringToFront(signal?: AbortSignal): Promise<void>;
}

export function handleOf(pane: Pane, tmux: Tmux): PaneHandle {
  const { server, id, pid } = pane;
  const same = `#{&&:#{==:#{pid},${server.pid}},#{==:#{pane_pid},${pid}}}`;

  /** `command` in tmux's own syntax: made of our words and of ids only. */
  const onlyIfSame = async (command: string): Promise<Refusal | undefined> => {
    const answer = await tmux.ask(server.socket, ["if-shell", "-F", "-t", id, same, command, `display-message -p -t ${id} '#{pid} #{pane_id}'`]);
    switch (answer.kind) {
      case "missing":
        return { kind: "refused", reason: "unreachable", detail: `${tmux.program} was not found` };
      case "timedOut":
        return { kind: "refused", reason: "unreachable", detail: "its tmux server does not answer" };
      case "exited":
        // Nothing is said where it was the same, and only its server's pid where the pane is gone: that needs no closing. What is another's now is none of ours.
        return ["", String(server.pid)].includes(answer.stdout.trim()) ? undefined : { kind: "refused", reason: "noLongerOneSession" };
    }
  };

  return {
    close: () => onlyIfSame(`kill-pane -t ${id}`),
    pressEscape: () => onlyIfSame(`copy-mode -q -t ${id} ; send-keys -t ${id} Escape`),
    async keepWhenDead() {
      const before = await tmux.ask(server.socket, ["show-options", "-p", "-v", "-t", id, "remain-on-exit"]);
      const own = before.kind === "exited" && before.code === 0 ? before.stdout.trim() : "";
      const refusal = await onlyIfSame(`set-option -p -t ${id} remain-on-exit on`);
      if (refusal) return refusal;
      return async () =>
        void (await onlyIfSame(/^\w+$/.test(own) ? `set-option -p -t ${id} remain-on-exit ${own}` : `set-option -p -u -t ${id} remain-on-exit`));
    },
    async screen(above, signal) {
      const answer = await tmux.ask(server.socket, ["if-shell", "-F", "-t", id, same, `capture-pane -p -J -t ${id} -S -${above}`], signal);
      return answer.kind === "exited" && answer.stdout !== "" ? answer.stdout.trimEnd() : undefined;
    },
    async bringToFront() {
      await onlyIfSame(`select-window -t ${pane.windowId} ; select-pane -t ${id}`);
    },
  };
}

/** Who looks at a server's sessions. */
export async function clientsOf(socket: string, tmux: Tmux, signal: AbortSignal): Promise<readonly TmuxClient[]> {
  const answer = await tmux.ask(socket, ["list-clients", "-F", "#{client_pid}\t#{client_tty}\t#{session_name}"], signal);
  if (answer.kind !== "exited" || answer.code !== 0) return [];
  return answer.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [pid, tty = "", ...sessionName] = line.split("\t");
      return { pid: Number(pid), tty, sessionName: sessionName.join("\t") };
    });
}

/** For a terminal: attaches to the session that holds the pane; by id, since a name would also match as a prefix. */
export function attachCommand(pane: Pane, tmux: Tmux): readonly [string, ...string[]] {
  return [tmux.program, "-u", "-S", pane.server.socket, "attach-session", "-t", pane.sessionId];
}
