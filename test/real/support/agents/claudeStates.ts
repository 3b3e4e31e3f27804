import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { key, paneSays, submit, type, untilScreen } from "../panes.ts";
import { treeOf } from "../processes.ts";
import { until } from "../until.ts";
import { ask, say, stream } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";
import { claudeFile, startClaude, untilClaude } from "./claude.ts";

/** The states in which a stop must do the same: nothing but end it. */
export const claudeStates = [
  "idle",
  "half-typed prompt",
  "streaming",
  "permission dialog",
  "tool running",
  "vim NORMAL with text",
  "copy mode",
  "inside a user's shell",
  "config dialog",
  "after clear",
] as const;

export type ClaudeState = (typeof claudeStates)[number];

export interface ClaudeInState {
  readonly agent: Agent;
  readonly state: ClaudeState;
  /** As Claude Code tells it in this state. */
  readonly conversationId: string;
  /** What a resumed conversation shows again. */
  readonly said: string;
  /** Made by a tool that is asked for or running, if it is let: it must not exist after a stop. */
  readonly marker: string;
}

/** Starts a Claude Code of its own in the lab, has one turn with it, and brings it into the state; resolves when it is surely there. */
export async function startClaudeIn(lab: Lab, state: ClaudeState, name: string = state.replaceAll(/\W+/g, "-")): Promise<ClaudeInState> {
  const cwd = lab.folder(name);
  const agent = await startClaude(lab, { name, cwd, ...startedWith[state] });
  const marker = join(cwd, "tool-ran");
  await say(agent, `hello ${name}`);
  await untilClaude(agent, "idle");
  await enter[state](agent, marker);
  const said = state === "after clear" ? saidAfterClear : `hello ${name}`;
  return { agent, state, conversationId: claudeFile(agent).sessionId, said, marker };
}

const startedWith: { readonly [state in ClaudeState]?: Partial<Start> } = {
  "tool running": { args: ["--allowedTools", "Bash"] },
  "vim NORMAL with text": { args: ["--settings", '{"editorMode":"vim"}'] },
  "inside a user's shell": { inShell: true },
};

const saidAfterClear = "hello again";

const enter: { readonly [state in ClaudeState]: (agent: Agent, marker: string) => Promise<void> } = {
  idle: stay,
  "inside a user's shell": stay,

  "half-typed prompt": async ({ pane }) => {
    type(pane, "touch nothing, and");
    await untilScreen(pane, "touch nothing, and");
  },

  streaming: async (agent) => {
    await stream(agent);
    await untilClaude(agent, "busy");
  },

  "permission dialog": async (agent, marker) => {
    await ask(agent, `BASH touch ${marker}`);
    await untilClaude(agent, "waiting", "permission prompt");
    await untilScreen(agent.pane, "1. Yes");
  },

  "tool running": async (agent, marker) => {
    // With --pid, tail ends with the shell even where nobody ends tail.
    await ask(agent, `BASH tail -f /dev/null --pid=$$; touch ${marker}`);
    await until(() => treeOf(agent.process.pid).some(({ comm }) => comm === "tail"));
    await untilClaude(agent, "busy");
  },

  "vim NORMAL with text": async ({ pane }) => {
    await untilScreen(pane, "INSERT");
    type(pane, "half typed");
    await untilScreen(pane, "half typed");
    key(pane, "Escape");
    await untilScreen(pane, /^(?![\s\S]*INSERT)/);
  },

  "copy mode": async ({ pane, lab }) => {
    lab.tmux("copy-mode", "-t", pane.id);
    await until(() => paneSays(pane, "#{pane_in_mode}") === "1");
  },

  "config dialog": async (agent) => {
    await submit(agent.pane, "/config");
    await untilClaude(agent, "waiting", "dialog open");
  },

  // A conversation has no transcript before its first prompt, so the new one gets a turn too.
  "after clear": async (agent) => {
    const before = claudeFile(agent).sessionId;
    await submit(agent.pane, "/clear");
    await until(() => claudeFile(agent).sessionId !== before);
    await say(agent, saidAfterClear);
    await untilClaude(agent, "idle");
  },
};

async function stay(): Promise<void> {}
