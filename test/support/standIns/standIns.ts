import { copyFileSync, cpSync, linkSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type StandInAgent = "claude" | "codex" | "cline" | "gemini";
/** `deaf` hears no polite request and has a child in a session of its own; `tellAtExit` has an id that nothing tells while it lives. */
export type StandInMode = "open" | "working" | "waiting" | "menu" | "deaf" | "tellAtExit";

export interface StandIn {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export interface StandInOptions {
  readonly mode?: StandInMode;
  /** The first prompt. Without one the session is blank and can't be resumed. */
  readonly subject?: string;
  /** The conversation to go on with, else a new one. */
  readonly id?: string;
  /** Each signal and key that reaches it, one JSON a line. */
  readonly log?: string;
  readonly exitMs?: number;
  /** Claude Code only: since when its file says that nothing has happened. */
  readonly idleSince?: number;
}

export interface StandInPrograms {
  /** A folder for PATH: `claude`, `codex`, `cline` and `gemini` as a person types them. */
  readonly bin: string;
  start(agent: StandInAgent, options?: StandInOptions): StandIn;
}

/** Lays the programs out as npm does, so that they are recognised by the same rule as the real ones. `node` must be a real Node, not an editor. */
export function makeStandInPrograms(folder: string, node: string = process.execPath): StandInPrograms {
  for (const agent of Object.keys(packages) as StandInAgent[]) {
    const { name, version, script } = packages[agent];
    const home = join(folder, "node_modules", name);
    cpSync(join(import.meta.dirname, "program"), join(home, dirname(script)), { recursive: true });
    copyFileSync(join(import.meta.dirname, "program/standIn.cjs"), join(home, script));
    writeFileSync(join(home, "package.json"), JSON.stringify({ name, version }));
    onPath(folder, agent, node);
  }
  nativeProgram(join(folder, "node_modules/cline/bin/.cline"), node);
  nativeProgram(join(folder, "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"), node);
  writeFileSync(
    join(folder, "node_modules/@openai/codex-linux-x64/package.json"),
    JSON.stringify({ name: "@openai/codex-linux-x64", version: packages.codex.version }),
  );

  return {
    bin: join(folder, "bin"),
    start(agent, { mode = "open", subject = "", id, log, exitMs, idleSince } = {}) {
      const words = id !== undefined ? resumeArguments[agent](id) : promptArguments(agent, subject);
      return {
        argv: [node, scriptOf(folder, agent), ...words],
        env: {
          STAND_IN_MODE: mode,
          STAND_IN_SUBJECT: subject,
          ...(log === undefined ? {} : { STAND_IN_LOG: log }),
          ...(exitMs === undefined ? {} : { STAND_IN_EXIT_MS: String(exitMs) }),
          ...(idleSince === undefined ? {} : { STAND_IN_IDLE_SINCE: String(idleSince) }),
        },
      };
    },
  };
}

const packages = {
  claude: { name: "@anthropic-ai/claude-code", version: "2.1.332", script: "dist/cli.js" },
  codex: { name: "@openai/codex", version: "0.171.0", script: "bin/codex.js" },
  cline: { name: "cline", version: "3.0.65", script: "bin/cline" },
  gemini: { name: "@google/gemini-cli", version: "0.61.0", script: "bundle/gemini.js" },
} as const;

const resumeArguments: Readonly<Record<StandInAgent, (id: string) => readonly string[]>> = {
  claude: (id) => ["--resume", id],
  codex: (id) => ["resume", id],
  cline: (id) => ["--id", id],
  gemini: (id) => ["--resume", id],
};

/** Cline answers a prompt and leaves, unless it is told to open its window. */
function promptArguments(agent: StandInAgent, subject: string): readonly string[] {
  if (subject === "") return [];
  return agent === "cline" ? [subject, "--tui"] : [subject];
}

function scriptOf(folder: string, agent: StandInAgent): string {
  return join(folder, "node_modules", packages[agent].name, packages[agent].script);
}

/** As npm's own links do, it says which script runs. */
function onPath(folder: string, agent: StandInAgent, node: string): void {
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "bin", agent), `#!/bin/sh\nexec '${node}' '${scriptOf(folder, agent)}' "$@"\n`, { mode: 0o755 });
}

/** By a link where that can be: the process's executable is then this very path. */
function nativeProgram(file: string, node: string): void {
  mkdirSync(dirname(file), { recursive: true });
  // One that is there already may be a link to the very program that a copy would be written over.
  rmSync(file, { force: true });
  try {
    linkSync(realpathSync(node), file);
  } catch {
    copyFileSync(realpathSync(node), file);
  }
}
