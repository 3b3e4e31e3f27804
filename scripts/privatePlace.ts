import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A throw-away machine within this one: a HOME, tmux sockets and state of its own, so that nobody's real sessions are seen or touched. */
export interface PrivatePlace extends Disposable {
  readonly folder: string;
  readonly home: string;
  readonly workspace: string;
  /** Undefined unsets. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function makePrivatePlace(): PrivatePlace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "warden-")));
  const make = (name: string): string => {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    return join(folder, name);
  };
  const home = make("home");
  const env = {
    ...Object.fromEntries(foreign().map((name) => [name, undefined])),
    HOME: home,
    TMUX_TMPDIR: make("tmux"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
  };
  return { folder, home, workspace: make("workspace"), env, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** What names a place of the person's own, or says that this was started by an agent or in a pane. */
function foreign(): readonly string[] {
  return Object.keys(process.env).filter((name) => /^(TMUX|CLAUDE|AI_AGENT|CODEX|CLINE|GEMINI|COPILOT|OPENCODE|HERMES|AGENT_SESSIONS|VSCODE_IPC)/.test(name));
}
