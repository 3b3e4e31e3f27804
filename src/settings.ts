import * as z from "zod";

// Without it zod looks at `navigator` to see whether it may compile, and the extension host reports each such look as a fault.
z.config({ jitless: true });

/** One schema for both faces. The keys are those of the editor's settings below `sessionWarden.`; the file in the state folder has them too. */
const Settings = z.object({
  "tmux.program": z.string().min(1).catch("tmux"),
  "tmux.sockets": z.array(z.string().min(1)).catch([]),
  configHomes: z.array(z.string().min(1)).catch([]),
  notify: z.boolean().catch(true),
  "mux.registry": z.string().catch(""),
  "mux.publishEvent": z.array(z.string()).catch([]),
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
  };
}

/** The settings file's text: what the command line reads when nothing nearer says otherwise. */
export function settingsFileText({ tmuxProgram, tmuxSockets, configHomes, notify, muxRegistry, muxPublishEvent }: Settings): string {
  const words = {
    "tmux.program": tmuxProgram,
    "tmux.sockets": tmuxSockets,
    configHomes,
    notify,
    "mux.registry": muxRegistry,
    "mux.publishEvent": muxPublishEvent,
  };
  return `${JSON.stringify(words, undefined, 2)}\n`;
}
