import * as z from "zod";

// Without it zod looks at `navigator` to see whether it may compile, and the extension host reports each such look as a fault.
z.config({ jitless: true });

/** Where the scripts that begin sessions in the background write them down. */
const defaultTracking = { env: "/tmp/async-sessions.env", details: "/tmp/async-sessions-details.json" };

/** One schema for both faces. The keys are those of the editor's settings below `sessionWarden.`; the file in the state folder has them too. */
const Settings = z.object({
  "tmux.program": z.string().min(1).catch("tmux"),
  "tmux.sockets": z.array(z.string().min(1)).catch([]),
  configHomes: z.array(z.string().min(1)).catch([]),
  notify: z.boolean().catch(true),
  "mux.registry": z.string().catch(""),
  "mux.publishEvent": z.array(z.string()).catch([]),
  "opencode.servers": z.array(z.string().min(1)).catch([]),
  "entire.repositories": z.array(z.string().min(1)).catch([]),
  "tracking.env": z.string().catch(defaultTracking.env),
  "tracking.details": z.string().catch(defaultTracking.details),
});

export interface Settings {
  /** The tmux program: a name on PATH, or a path. */
  readonly tmuxProgram: string;
  /** Sockets beside those that are found: `TMUX_TMPDIR`'s and the user's own folder. */
  readonly tmuxSockets: readonly string[];
  /** Config homes of agents beside the usual ones and those of living agents. */
  readonly configHomes: readonly string[];
  /** Whether the editor says so once when an agent begins to wait for an answer. */
  readonly notify: boolean;
  /** The registry's YAML file; empty: there is none. */
  readonly muxRegistry: string;
  /** A program and its first arguments, told when a row's job ends; empty: nobody is told. */
  readonly muxPublishEvent: readonly string[];
  /** Addresses of OpenCode servers beside those that are found. */
  readonly opencodeServers: readonly string[];
  /** The list of sessions begun in the background, `NAME=SESSION_ID` a line. Empty: there is none. */
  readonly trackingEnv: string;
  /** The same in detail, as JSON. Empty: there is none. */
  readonly trackingDetails: string;
  /** Folders of repositories that Entire tracks, beside those that are open. */
  readonly entireRepositories: readonly string[];
}

/** Each value that can't be used is replaced by its default; nothing is refused as a whole. */
export function parseSettings(value: unknown): Settings {
  const asked = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const parsed = Settings.parse(asked);
  return {
    tmuxProgram: parsed["tmux.program"],
    tmuxSockets: parsed["tmux.sockets"],
    configHomes: parsed.configHomes,
    notify: parsed.notify,
    muxRegistry: parsed["mux.registry"],
    muxPublishEvent: parsed["mux.publishEvent"],
    opencodeServers: parsed["opencode.servers"],
    trackingEnv: parsed["tracking.env"],
    trackingDetails: parsed["tracking.details"],
    entireRepositories: parsed["entire.repositories"],
  };
}

/** The settings file's text: what the command line reads when nothing nearer says otherwise. */
export function settingsFileText(settings: Settings): string {
  const words = {
    "tmux.program": settings.tmuxProgram,
    "tmux.sockets": settings.tmuxSockets,
    configHomes: settings.configHomes,
    notify: settings.notify,
    "mux.registry": settings.muxRegistry,
    "mux.publishEvent": settings.muxPublishEvent,
    "opencode.servers": settings.opencodeServers,
    "tracking.env": settings.trackingEnv,
    "tracking.details": settings.trackingDetails,
    "entire.repositories": settings.entireRepositories,
  };
  return `${JSON.stringify(words, undefined, 2)}\n`;
}
