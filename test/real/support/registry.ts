import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { runPython } from "../../support/python.ts";
import type { Agent } from "./agents/agent.ts";
import { configureClaude, quietClaude } from "./agents/claude.ts";
import type { Lab } from "./lab.ts";
import { lastScreen, panePid } from "./panes.ts";
import type { Pane } from "./panes.ts";
import { identityOf, treeOf } from "./processes.ts";
import { until } from "./until.ts";

/** A lab whose product has a registry, of which the lab's other programs know nothing. */
export interface RegistryLab extends Lab {
  readonly registry: string;
  /** Its rows, as PyYAML reads them. */
  rows(): readonly Row[];
  /** As another program writes it. */
  write(...rows: readonly Row[]): void;
}

export interface Row {
  readonly name: string;
  readonly [key: string]: unknown;
}

/** The same lab with a registry of its own, which is not there yet. */
export function withRegistry(lab: Lab, name: string): RegistryLab {
  const registry = join(lab.folder(`registry of ${name}`), "agents.yaml");
  return {
    ...lab,
    env: { ...lab.env, AGENT_SESSIONS_YAML: registry },
    registry,
    rows: () => runPython("import json, sys, yaml; print(json.dumps(yaml.safe_load(open(json.load(sys.stdin)))['tmux_sessions']))", registry) as readonly Row[],
    write: (...rows) => {
      const script = "import json, sys, yaml; path, rows = json.load(sys.stdin); yaml.safe_dump({'tmux_sessions': rows}, open(path, 'w'), sort_keys=False)";
      runPython(script, [registry, rows]);
    },
  };
}

/** What the operation's receipt says; see `asEditor.ts`. */
export interface EditorReceipt {
  readonly result: { readonly kind: string };
  readonly captured?: { readonly id: string; readonly toldBy: string };
  readonly records: readonly { readonly record: string; readonly change: string; readonly outcome: { readonly kind: string } }[];
  readonly warnings: readonly string[];
}

/** An operation that only the editor offers, by a process of this lab: where HOME and the state folder lie is read once, as the product is loaded. */
export async function asEditor(lab: RegistryLab, ...args: readonly [verb: "newSession" | "track", ...rest: readonly string[]]): Promise<EditorReceipt> {
  const { stdout } = await execa(process.execPath, [script, ...args], { env: lab.env, extendEnv: false, cwd: lab.root, stdin: "ignore" });
  return JSON.parse(stdout) as EditorReceipt;
}
const script = fileURLToPath(new URL("asEditor.ts", import.meta.url));

/** New Session… with Claude Code. Nobody can give it variables there: the lab's tmux server has them. */
export async function newClaude(lab: RegistryLab, name: string, cwd: string): Promise<{ readonly agent: Agent; readonly receipt: EditorReceipt }> {
  configureClaude(lab);
  for (const [variable, value] of Object.entries(quietClaude)) lab.tmux("set-environment", "-g", variable, value);
  const receipt = await asEditor(lab, "newSession", name, "claude", cwd);
  return { agent: await claudeIn(lab, name, cwd), receipt };
}

/** The Claude Code that runs in the tmux session of that name. */
export async function claudeIn(lab: Lab, name: string, cwd: string): Promise<Agent> {
  const id = await until(() => paneOf(lab, name));
  const pane: Pane = { lab, id, session: name };
  const found = await until(
    () => treeOf(panePid(pane)).find(({ comm }) => comm === "claude"),
    30_000,
    () => `no Claude Code in ${name}:\n${lastScreen(pane)}`,
  );
  return { lab, pane, cwd, process: identityOf(found.pid) };
}

/** Of its only pane. */
function paneOf(lab: Lab, name: string): string | undefined {
  const panes = lab.tmux("list-panes", "-a", "-F", "#{session_name}\t#{pane_id}").trim().split("\n");
  const [only, ...others] = panes.map((line) => line.split("\t")).filter(([session]) => session === name);
  return others.length === 0 ? only?.[1] : undefined;
}
