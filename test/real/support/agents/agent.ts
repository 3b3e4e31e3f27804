import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Lab } from "../lab.ts";
import { turnsOf } from "../fakeModel/fakeModel.ts";
import { key, lastScreen, openPane, panePid, screen, submit, type, untilQuiet, untilScreen } from "../panes.ts";
import type { Pane } from "../panes.ts";
import { argvOf, identityOf, treeOf } from "../processes.ts";
import type { ProcessIdentity, SeenProcess } from "../processes.ts";
import { until } from "../until.ts";

/** A real agent in a pane, ready for its first prompt. */
export interface Agent {
  readonly lab: Lab;
  readonly pane: Pane;
  readonly cwd: string;
  /** The process that is the agent: not its launcher, not a shell around it, not a daemon of it. */
  readonly process: ProcessIdentity;
}

export interface Start {
  /** Also the tmux session's name. */
  readonly name: string;
  /** Else the lab's `work`. */
  readonly cwd?: string;
  readonly args?: readonly string[];
  readonly env?: Lab["env"];
  /** Typed as a command into a bash, as a person does; else the pane is made for the agent. */
  readonly inShell?: boolean;
}

/** Starts the program and resolves when a process of the pane's tree is the agent; it may not be ready yet. */
export async function launch(lab: Lab, program: string, start: Start, isAgent: (found: SeenProcess) => boolean): Promise<Agent> {
  const cwd = start.cwd ?? lab.work;
  const argv = [program, ...(start.args ?? [])];
  const pane = openPane(lab, start.name, cwd, start.inShell === true ? [] : argv, start.env);
  if (start.inShell === true) {
    await untilScreen(pane, /[$#]\s*$/);
    await typeCommand(pane, argv.map(quoted).join(" "));
  }
  const found = await until(
    () => treeOf(panePid(pane)).find(isAgent),
    60_000,
    () => `${program} did not start:\n${lastScreen(pane)}`,
  );
  return { lab, pane, cwd, process: identityOf(found.pid) };
}

/** Until it stands on the line: on a busy machine a shell that has just shown its prompt may still lose what is typed, and tmux may refuse to send it. */
async function typeCommand(pane: Pane, line: string): Promise<void> {
  const begin = line.slice(0, 12);
  let typedAt = 0;
  await until(() => {
    if (["$", "#"].some((prompt) => screen(pane).includes(`${prompt} ${begin}`))) return true;
    if (Date.now() - typedAt > 3_000) {
      typedAt = Date.now();
      type(pane, line);
    }
    return false;
  }, 30_000);
  await untilQuiet(pane);
  key(pane, "Enter");
}

/** Prompts an idle agent and resolves when the model has it. */
export async function ask(agent: Agent, text: string): Promise<void> {
  const { model } = agent.lab;
  const before = turnsOf(model).length;
  const has = () =>
    turnsOf(model)
      .slice(before)
      .some((turn) => turn.userText.includes(text));
  await submit(agent.pane, text);
  let pressedAt = Date.now();
  await until(
    () => {
      // Gemini takes an Enter that comes with other keys, as on a busy machine, for a line break of a paste.
      if (!has() && Date.now() - pressedAt > 5000) {
        key(agent.pane, "Enter");
        pressedAt = Date.now();
      }
      return has();
    },
    60_000,
    () => `The model was not asked ${text}:\n${lastScreen(agent.pane)}`,
  );
}

/** Has one turn with an idle agent, and resolves when the model's answer is on the screen. */
export async function say(agent: Agent, text: string): Promise<void> {
  await ask(agent, text);
  await untilScreen(agent.pane, `pong: ${text}`);
}

/** Lets the model stream for `seconds`, and resolves when its first words are on the screen. */
export async function stream(agent: Agent, seconds = 100): Promise<void> {
  await ask(agent, `SLOW ${seconds}`);
  await untilScreen(agent.pane, "word2");
}

/** Writes a file of configuration unless it is there: a lab's second agent finds the first one's. */
export function configure(path: string, content: string | object): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
}

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

export function hasArgument(found: SeenProcess, argument: string): boolean {
  return argvOf(found.pid).includes(argument);
}

function quoted(argument: string): string {
  return /^[\w./=:-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
