import type { Agent, Command } from "./agent.ts";
import type { Pane } from "./census.ts";
import type { Destination } from "./destinations.ts";
import type { Cost } from "./doctor.ts";
import type { Capabilities } from "./lifecycle.ts";
import type { ForOperation } from "./operations/operation.ts";
import type { OrphanFinder } from "./orphanFinder.ts";
import type { Refusal } from "./refusal.ts";
import type { Roster } from "./roster.ts";
import type { Session } from "./session.ts";

/** What both faces stand on; made by compose.ts. */
export interface Warden extends Disposable {
  readonly roster: Roster;
  readonly can: Capabilities;
  readonly forOperation: ForOperation;
  readonly places: Places;
  readonly orphans: OrphanFinder;
  readonly stateFolder: string;
  readonly journalFile: string;
  /** What looking has cost until now. */
  cost(): Cost;
  /** The last screen or message, as plain text. Undefined where there is none to be had. */
  peek(session: Session, signal: AbortSignal): Promise<string | undefined>;
  /** News from every source: debounced, and never more than a hint that reading again is worth it. */
  watch(onChange: () => void): Disposable;
  /** Of all windows of a user on a host one leads; `onElected` runs when this one does, and what it returns is disposed when it no longer does. */
  lead(onElected: () => Disposable): Disposable;
}

/** Where sessions are, and how to get there. Nothing of a session is changed. */
export interface Places {
  destinationsOf(session: Session, signal: AbortSignal): Promise<readonly Destination[]>;
  /** For a terminal: attaches to the pane's tmux session, with that pane in front. */
  attachCommand(pane: PanePlace): Command;
  /** Starts a command in tmux, in a pane of its own below that session name; nobody is attached to it yet. */
  startInTmux(name: string, command: Command, signal: AbortSignal): Promise<StartedInTmux | Refusal>;
  /** Those that a person could start here. */
  installedAgents(): Promise<readonly Agent[]>;
  /** Brings the pane to the front of its tmux session. */
  select(pane: Pane, signal: AbortSignal): Promise<void>;
  /** Tells the other windows this one's name and its terminals' processes, for as long as this process lives. */
  announceWindow(name: string, terminals: readonly number[]): Promise<void>;
}

/** Enough to attach to a pane's window. */
export type PanePlace = Pick<Pane, "server" | "sessionId" | "windowId">;

export interface StartedInTmux {
  readonly kind: "started";
  readonly pid: number;
  readonly pane: PanePlace;
}
