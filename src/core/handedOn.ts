import type { Agent } from "./agent.ts";
import { descendantsOf } from "./census.ts";
import type { Census, ProcessEntry } from "./census.ts";
import { isEditor } from "./parentage.ts";
import { nameIn } from "./processWords.ts";
import { startOrder } from "./startOrder.ts";

/** The processes of a moment, with what their environments tell of who has started them. */
export interface Marked {
  readonly census: Census;
  readonly agents: readonly Agent[];
  /** Of what has no terminal. */
  readonly environmentOf: (process: ProcessEntry) => ReadonlyMap<string, string>;
}

/** The tmux server in which it was started, where that lives. */
export function findTmuxServer(environment: ReadonlyMap<string, string>, child: ProcessEntry, census: Census): ProcessEntry | undefined {
  return findOlder(/,(\d+),\d+$/.exec(environment.get("TMUX") ?? "")?.[1], child, census);
}

/** The multiplexer in which it was started, where its environment may not be read: it may be installed with more rights than its user's. */
export function findSilentServer(child: ProcessEntry, { census, environmentOf }: Marked): ProcessEntry | undefined {
  const environment = environmentOf(child);
  const screen = findOlder(/^(\d+)\./.exec(environment.get("STY") ?? "")?.[1], child, census);
  return [findTmuxServer(environment, child, census), screen].find((server) => server && environmentOf(server).size === 0);
}

function findOlder(pid: string | undefined, child: ProcessEntry, { processes }: Census): ProcessEntry | undefined {
  const entry = processes?.get(Number(pid));
  return entry && entry.state !== "zombie" && isOlder(entry, child) ? entry : undefined;
}

/** Another that lives, has been given the same mark, and hands it on to whatever a person starts in it: an editor, a terminal. A tmux server is told by its own variable. */
export function findOtherHeir(variable: string, value: string, child: ProcessEntry, { census, environmentOf }: Marked): ProcessEntry | undefined {
  return [...(census.processes?.values() ?? [])].find(
    (entry) => entry !== child && environmentOf(entry).get(variable) === value && entry.state !== "zombie" && handsOn(entry, census) && isOlder(entry, child),
  );
}

function isOlder(entry: ProcessEntry, child: ProcessEntry): boolean {
  return (startOrder(entry, child) ?? 0) <= 0;
}

function handsOn(entry: ProcessEntry, census: Census): boolean {
  const name = nameIn(entry.program?.file ?? entry.argv[0]).toLowerCase();
  if (name === "tmux") return false;
  const hasTerminal = descendantsOf([entry], census).some(({ tty }) => tty !== undefined);
  return hasTerminal || isEditor(entry) || starters.has(name) || /\bGod Daemon\b/.test(entry.argv[0] ?? "");
}
const starters = new Set(["screen", "zellij", "dbus-daemon"]);
