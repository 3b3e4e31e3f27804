import type { TmuxClient } from "../../core/destinations.ts";
import type { Pane } from "../../core/census.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { PanePlace } from "../../core/warden.ts";
import { isListening } from "../listening.ts";
import { refusedBy } from "./tmuxProgram.ts";
import type { Tmux } from "./tmuxProgram.ts";

/** A pane, as it was listed. Every change first compares the server's and the pane's pid in the same server-side step: pane ids start at 0 again with a new server. */
export interface PaneHandle {
  /** A pane that is gone already is closed. */
  close(): Promise<Refusal | undefined>;
  /** One Escape to the program, out of any mode of tmux's own. */
  pressEscape(): Promise<Refusal | undefined>;
  /** Keeps the pane when its program ends, so that its last words can be read; what is returned puts it back. */
  keepWhenDead(atMostS?: number): Promise<Refusal | (() => Promise<void>)>;
  /** Plain text of what it shows, and of the `above` lines over it. */
  screen(above: number, signal?: AbortSignal): Promise<string | undefined>;
  bringToFront(signal?: AbortSignal): Promise<void>;
}

export function handleOf(pane: Pane, tmux: Tmux): PaneHandle {
  const { server, id, pid } = pane;
  const same = `#{&&:#{==:#{pid},${server.pid}},#{==:#{pane_pid},${pid}}}`;

  /** `command` in tmux's own syntax: made of our words and of ids only. `gone`: there is no such pane any more. */
  const askIfSame = async (command: string): Promise<Refusal | "done" | "gone"> => {
    const answer = await tmux.ask(server.socket, ["if-shell", "-F", "-t", id, same, command, `display-message -p -t ${id} '#{pid} #{pane_id}'`]);
    const hasFailed = answer.kind !== "exited" || answer.code !== 0;
    if (hasFailed && answer.kind === "exited" && !(await isListening(server.socket))) return "gone";
    if (hasFailed) return refusedBy(answer, tmux);
    // Nothing is said where it was the same, and only its server's pid where the pane is gone. What is another's now is none of ours.
    if (answer.stdout.trim() === "") return "done";
    return answer.stdout.trim() === String(server.pid) ? "gone" : { kind: "refused", reason: "noLongerOneSession" };
  };
  const onlyIfSame = async (command: string): Promise<Refusal | undefined> => {
    const outcome = await askIfSame(command);
    if (outcome === "gone") return { kind: "refused", reason: "unreachable", detail: "its pane is gone" };
    return outcome === "done" ? undefined : outcome;
  };

  return {
    async close() {
      const outcome = await askIfSame(`kill-pane -t ${id}`);
      return typeof outcome === "string" ? undefined : outcome;
    },
    pressEscape: () => onlyIfSame(`copy-mode -q -t ${id} ; send-keys -t ${id} Escape`),
    async keepWhenDead(atMostS = keptForS) {
      const before = await tmux.ask(server.socket, ["show-options", "-p", "-v", "-t", id, "remain-on-exit"]);
      const own = before.kind === "exited" && before.code === 0 ? before.stdout.trim() : "";
      const refusal = await onlyIfSame(`set-option -p -t ${id} remain-on-exit on`);
      if (refusal) return refusal;
      // Should this program be killed before it puts the pane back, tmux itself closes it. Older ones than 3.2 can't, and do without.
      if (own !== "on")
        await onlyIfSame(`set-hook -p -t ${id} ${ourHook} "run-shell -d ${atMostS} -C \\"if-shell -F -t ${id} '##{pane_dead}' 'kill-pane -t ${id}'\\""`);
      return async () => {
        await onlyIfSame(`set-hook -p -u -t ${id} ${ourHook}`);
        await onlyIfSame(/^\w+$/.test(own) ? `set-option -p -t ${id} remain-on-exit ${own}` : `set-option -p -u -t ${id} remain-on-exit`);
      };
    },
    async screen(above, signal) {
      const answer = await tmux.ask(server.socket, ["if-shell", "-F", "-t", id, same, `capture-pane -p -J -t ${id} -S -${above}`], signal);
      return answer.kind === "exited" && answer.stdout !== "" ? answer.stdout.trimEnd() : undefined;
    },
    async bringToFront() {
      await onlyIfSame(`select-window -t '${windowIn(pane)}' ; select-pane -t ${id}`);
    },
  };
}

/** An index that nobody else takes: a person's own hooks of this kind stay. */
const ourHook = "pane-died[97]";
/** Longer than any wait between a request and the last words. */
const keptForS = 30;

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

/** For a terminal: attaches to the session that holds the pane, with its window in front; by id, since a name would also match as a prefix. */
export function attachCommand(pane: PanePlace, tmux: Tmux): readonly [string, ...string[]] {
  return [tmux.program, "-u", "-S", pane.server.socket, "attach-session", "-t", windowIn(pane)];
}

/** A window may be linked into several sessions: by its id alone tmux would take the one that was used last. */
function windowIn({ sessionId, windowId }: PanePlace): string {
  return `${sessionId}:${windowId}`;
}
