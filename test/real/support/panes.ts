import type { Lab } from "./lab.ts";
import { until } from "./until.ts";

/** One pane of a lab's tmux server; its id is never reused while that server lives. */
export interface Pane {
  readonly lab: Lab;
  /** Such as `%3`. */
  readonly id: string;
  /** The tmux session it was made in. */
  readonly session: string;
}

/** Starts a program in a tmux session of its own; without one, bash waits in it. */
export function openPane(lab: Lab, session: string, cwd: string, argv: readonly string[] = [], env: Lab["env"] = {}): Pane {
  endSession(lab, session);
  const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const program = argv.length === 0 ? [] : ["--", ...argv];
  const id = lab.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "140", "-y", "45", "-s", session, "-c", cwd, ...variables, ...program).trim();
  return { lab, id, session };
}

/** A test that is tried again finds what its first try has left. */
function endSession(lab: Lab, name: string): void {
  const sessions = lab.tmux("list-sessions", "-F", "#{session_id} #{session_name}").split("\n");
  const id = sessions.find((line) => line.slice(line.indexOf(" ") + 1) === name)?.split(" ")[0];
  if (id !== undefined) lab.tmux("kill-session", "-t", id);
}

/** Types the text as it is, without Enter. */
export function type(pane: Pane, text: string): void {
  // tmux takes a trailing semicolon for its own, even here.
  pane.lab.tmux("send-keys", "-t", pane.id, "-l", "--", text.replace(/;$/, "\\;"));
}

/** Presses keys by tmux's names: `key(pane, "Escape")`, `key(pane, "C-c")`. */
export function key(pane: Pane, ...names: readonly string[]): void {
  pane.lab.tmux("send-keys", "-t", pane.id, ...names);
}

export function screen(pane: Pane): string {
  return pane.lab.tmux("capture-pane", "-p", "-t", pane.id);
}

/** What tmux says of the pane, by its own format: `paneSays(pane, "#{pane_title}")`. */
export function paneSays(pane: Pane, format: string): string {
  return pane.lab.tmux("display-message", "-p", "-t", pane.id, format).trimEnd();
}

export function panePid(pane: Pane): number {
  return Number(paneSays(pane, "#{pane_pid}"));
}

export function isOpen(pane: Pane): boolean {
  try {
    return pane.lab.tmux("list-panes", "-a", "-F", "#{pane_id}").split("\n").includes(pane.id);
  } catch (thrown) {
    // So a server says that it has no pane at all.
    if (String(thrown).includes("no current target")) return false;
    throw thrown;
  }
}

/** Resolves when the screen shows it; rejects with what the screen shows instead. */
export async function untilScreen(pane: Pane, shows: string | RegExp, withinMs = 60_000): Promise<void> {
  await until(
    () => (typeof shows === "string" ? screen(pane).includes(shows) : shows.test(screen(pane))),
    withinMs,
    () => `${String(shows)} is not on the screen:\n${lastScreen(pane)}`,
  );
}

/** Types the text, waits until the program has taken it and is quiet, then presses Enter: in one burst some take it for a paste. */
export async function submit(pane: Pane, text: string): Promise<void> {
  type(pane, text);
  await untilQuiet(pane);
  key(pane, "Enter");
}

/** Resolves when the screen has not changed for `quietMs`. */
export async function untilQuiet(pane: Pane, quietMs = 350): Promise<void> {
  let shown = screen(pane);
  let since = Date.now();
  await until(
    () => {
      const now = screen(pane);
      if (now !== shown) since = Date.now();
      shown = now;
      return Date.now() - since >= quietMs;
    },
    60_000,
    () => `The screen does not come to rest:\n${lastScreen(pane)}`,
  );
}

/** For a failure's words: the screen, or why it can't be read. */
export function lastScreen(pane: Pane): string {
  try {
    return screen(pane).trimEnd();
  } catch (thrown) {
    return String(thrown);
  }
}
