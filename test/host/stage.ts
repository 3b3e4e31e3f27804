import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import type { Exports } from "../../src/extension.ts";
import type { Row } from "../../src/vscode/treeItems.ts";
import { makeStandInPrograms } from "../support/standIns/standIns.ts";
import type { StandInAgent, StandInMode, StandInPrograms } from "../support/standIns/standIns.ts";
import { until } from "./until.ts";

/** HOME is a private one here, within a folder that is removed afterwards: what starts the suite sees to that. Each file of tests has a folder of its own in it. */
export const scratch = mkdtempSync(join(dirname(homedir()), "stage-"));

export function theExtension(): vscode.Extension<Exports> {
  const found = vscode.extensions.getExtension<Exports>("session-warden.session-warden");
  assert.ok(found, "VS Code does not know the extension");
  return found;
}

export interface SeenRow extends Row {
  readonly group: string;
  readonly key: string;
}

/** The rows of sessions, each with the group it stands in. */
export function rows(): readonly SeenRow[] {
  return theExtension()
    .exports.rows()
    .flatMap(({ label, children }) => children.map((row) => ({ ...row, group: label, key: row.id.replace(/^session /, "") })));
}

export function rowsNamed(subject: string): readonly SeenRow[] {
  return rows().filter(({ label }) => label === subject);
}

/** Resolves once the one row of that name stands in that group. */
export async function untilIn(group: string, subject: string): Promise<SeenRow> {
  return await until(`${subject} is in ${group}; ${describe()}`, () => rowsNamed(subject).find((row) => row.group === group));
}

export interface OpenAgent {
  readonly terminal: vscode.Terminal;
  readonly subject: string;
  /** Signals and keys that have reached it. */
  reached(): readonly { readonly pid: number; readonly signal?: string; readonly key?: string; readonly ready?: string }[];
}

/** An agent as the program of a terminal of this window. */
export async function openAgent(agent: StandInAgent, subject: string, mode: StandInMode = "open"): Promise<OpenAgent> {
  const { argv, env, log } = commandFor(agent, subject, mode);
  const [shellPath, ...shellArgs] = argv;
  const terminal = vscode.window.createTerminal({ name: subject, shellPath, shellArgs, env, cwd: workspace() });
  return { terminal, subject, reached: () => readLog(log) };
}

export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
}

export function commandFor(agent: StandInAgent, subject: string, mode: StandInMode = "open"): AgentCommand {
  const log = join(scratch, `${subject}.jsonl`);
  return { ...programs().start(agent, { subject, mode, log }), log };
}

export function readLog(log: string): ReturnType<OpenAgent["reached"]> {
  try {
    const lines = readFileSync(log, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as ReturnType<OpenAgent["reached"]>[number]);
  } catch {
    return [];
  }
}

export function workspace(): string {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder, "no folder is open");
  return folder.uri.fsPath;
}

/** A folder with stand-ins under the names that a person types. */
export function programsOnPath(): string {
  return programs().bin;
}

let made: StandInPrograms | undefined;
function programs(): StandInPrograms {
  // Never this process's own program: on the desktop that is Electron.
  const node = process.env["SESSION_WARDEN_TESTS_NODE"];
  assert.ok(node, "what starts the suite has to name a Node");
  return (made ??= makeStandInPrograms(join(scratch, "programs"), node));
}

function describe(): string {
  return JSON.stringify(rows().map(({ group, label, description }) => [group, label, description]));
}
