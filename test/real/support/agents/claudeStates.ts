import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { openTurns } from "../fakeModel/fakeModel.ts";
import { key, paneSays, submit, type, untilScreen } from "../panes.ts";
import { treeOf } from "../processes.ts";
import { until } from "../until.ts";
import { say, stream } from "./agent.ts";
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
export async function startClaudeIn(lab: Lab, state: ClaudeState, name = state.replaceAll(/\W+/g, "-")): Promise<ClaudeInState> {
  const cwd = lab.folder(name);
  const agent = await startClaude(lab, { name, cwd, ...startFor(state) });
  const marker = join(cwd, "tool-ran");
  await say(agent, `hello ${name}`);
  await untilClaude(agent, "idle");
  const said = await enter(agent, state, marker, `hello ${name}`);
  return { agent, state, conversationId: claudeFile(agent).sessionId, said, marker };
}

function startFor(state: ClaudeState): Partial<Start> {
  switch (state) {
    case "tool running":
      return { args: ["--allowedTools", "Bash"] };
    case "vim NORMAL with text":
      return { args: ["--settings", '{"editorMode":"vim"}'] };
    case "inside a user's shell":
      return { inShell: true };
    case "idle":
    case "half-typed prompt":
    case "streaming":
    case "permission dialog":
    case "copy mode":
    case "config dialog":
    case "after clear":
      return {};
  }
}

async function enter(agent: Agent, state: ClaudeState, marker: string, said: string): Promise<string> {
  const { pane, lab } = agent;
  switch (state) {
    case "idle":
    case "inside a user's shell":
      return said;
    case "half-typed prompt":
      type(pane, "touch nothing, and");
      await untilScreen(pane, "touch nothing, and");
      return said;
    case "streaming":
      await stream(agent);
      await untilClaude(agent, "busy");
      await until(() => openTurns(lab.model).some((turn) => turn.plan.kind === "stream"));
      return said;
    case "permission dialog":
      await submit(pane, `BASH touch ${marker}`);
      await untilClaude(agent, "waiting", "permission prompt");
      await untilScreen(pane, "1. Yes");
      return said;
    case "tool running":
      await submit(pane, `BASH tail -f /dev/null --pid=$$; touch ${marker}`);
      await until(() => treeOf(agent.process.pid).some(({ comm }) => comm === "tail"));
      await untilClaude(agent, "busy");
      return said;
    case "vim NORMAL with text":
      await untilScreen(pane, "INSERT");
      type(pane, "half typed");
      await untilScreen(pane, "half typed");
      key(pane, "Escape");
      await untilScreen(pane, /^(?![\s\S]*INSERT)/);
      return said;
    case "copy mode":
      lab.tmux("copy-mode", "-t", pane.id);
      await until(() => paneSays(pane, "#{pane_in_mode}") === "1");
      return said;
    case "config dialog":
      await submit(pane, "/config");
      await untilClaude(agent, "waiting", "dialog open");
      return said;
    case "after clear":
      return await clear(agent, said);
  }
}

/** A conversation has no transcript before its first prompt, so the new one gets a turn too. */
async function clear(agent: Agent, said: string): Promise<string> {
  const before = claudeFile(agent).sessionId;
  await submit(agent.pane, "/clear");
  await until(() => claudeFile(agent).sessionId !== before);
  await say(agent, `again ${said}`);
  await untilClaude(agent, "idle");
  return `again ${said}`;
}
