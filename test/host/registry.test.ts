import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import * as vscode from "vscode";
import { findProcess, kill } from "../../scripts/ownProcesses.ts";
import { runPython } from "../support/python.ts";
import type { SeenRow } from "./stage.ts";
import { commandFor, programsOnPath, readLog, rows, scratch, theExtension, untilIn, workspace } from "./stage.ts";
import { until } from "./until.ts";

interface RegistryRow {
  readonly name: string;
  readonly [key: string]: unknown;
}

const registry = join(scratch, "sessions.yaml");
const ownEnvironment = { ...process.env };

// The suite's TMUX_TMPDIR is a private one; what is begun in tmux here has the environment of this very process.
describe("with a registry named in the settings", () => {
  before(async () => {
    writeRows({ name: "long-ago-creator-claude", status: "stopped", pane: { cwd: workspace() }, mine: { kept: 12345 } });
    Object.assign(process.env, { PATH: [programsOnPath(), ownEnvironment["PATH"]].join(delimiter), STAND_IN_SUBJECT: "begun here" });
    await theExtension().activate();
    await nameRegistry(registry);
    await untilIn("Stopped", "long-ago-creator-claude");
  });
  after(async () => {
    // With its last session a server has left by itself.
    if (hasServer()) tmux("kill-server");
    process.env["PATH"] = ownEnvironment["PATH"];
    delete process.env["STAND_IN_SUBJECT"];
    await nameRegistry(undefined);
  });

  it("New Session… begins in tmux with a terminal attached, and is one row here and one there, with the agent's own id", async () => {
    const name = `${basename(workspace())}-creator-claude`;
    assert.match(name, /^[A-Za-z0-9_-]+$/);
    const terminals = vscode.window.terminals.length;
    const id = await begin(name);

    const [row] = rowsOf(id);
    assert.deepEqual([rowsOf(id).length, row?.group], [1, "Open"]);
    await until("a client is attached", () => clients(name) === 1);
    assert.equal(vscode.window.terminals.length, terminals + 1);
    assert.match(row?.description ?? "", new RegExp(`tmux ${name}`));
    assert.deepEqual([rowNamed(name)?.["status"], rowNamed(name)?.["agent"]], ["running", "claude"]);
    assert.deepEqual(rowNamed("long-ago-creator-claude")?.["mine"], { kept: 12345 });
  });

  it("a second one in that folder is proposed another name", async () => {
    const first = `${basename(workspace())}-creator-claude`;
    const second = `${basename(workspace())}-2-creator-claude`;
    const id = await begin(second);
    assert.notEqual(id, rowNamed(first)?.["claude_session_id_own"]);
    await act("stop", id, "Stopped");
    assert.equal(rowNamed(first)?.["status"], "running");
  });

  it("what was stopped is resumed in a tmux session of the row's name, and the row runs again with the same id", async () => {
    const name = `${basename(workspace())}-creator-claude`;
    const id = String(rowNamed(name)?.["claude_session_id_own"]);
    await act("stop", id, "Stopped");
    assert.deepEqual([rowNamed(name)?.["status"], rowNamed(name)?.["stop_reason"], hasSession(name)], ["stopped", "manual_stop", false]);

    await act("resume", id, "Open");
    assert.deepEqual([rowNamed(name)?.["status"], rowNamed(name)?.["claude_session_id_own"]], ["running", id]);
    assert.deepEqual([rowNamed(name)?.["stopped_at"], hasSession(name), rowsOf(id).length], [undefined, true, 1]);
    await until("a client is attached", () => clients(name) === 1);
  });

  it("Track enters what is in a pane under its tmux session's name", async () => {
    const log = startInPane("tracked", "to be tracked");
    const { key, contextValue } = await untilIn("Open", "to be tracked");
    assert.match(contextValue, /\bcanTrack\b/);
    await vscode.commands.executeCommand("sessionWarden.track", key);
    assert.equal(rowNamed("tracked")?.["claude_session_id_own"], readLog(log).find(({ ready }) => ready)?.ready);
    assert.doesNotMatch((await untilIn("Open", "to be tracked")).contextValue, /\bcanTrack\b/);
  });

  it("Archive, Unarchive and Forget are of the row, and a forget asks nothing and leaves the other rows", async () => {
    const id = String(rowNamed("tracked")?.["claude_session_id_own"]);
    await act("stop", id, "Stopped");
    await act("archive", id, "Archived");
    assert.equal(rowNamed("tracked")?.["status"], "archived");
    await act("unarchive", id, "Stopped");
    assert.equal(rowNamed("tracked")?.["status"], "stopped");
    const others = readRows().filter(({ name }) => name !== "tracked");

    await vscode.commands.executeCommand("sessionWarden.forget", theRowOf(id).key);
    await until("it is forgotten", () => rowsOf(id).length === 0);
    assert.deepEqual(readRows(), others);
  });

  it("Finalize Exited Sessions closes the row whose agent died, and no other", async () => {
    const log = startInPane("died", "about to die");
    const { key } = await untilIn("Open", "about to die");
    await vscode.commands.executeCommand("sessionWarden.track", key);
    const { pid, ready } = await until("it is ready", () => readLog(log).find((line) => line.ready));
    const agent = findProcess(pid);
    assert.ok(agent && ready);
    kill(agent);
    await until("it is exited", () => rowsOf(ready)[0]?.group === "Exited");
    assert.equal(rowNamed("died")?.["status"], "running");
    const others = readRows().filter(({ name }) => name !== "died");

    await vscode.commands.executeCommand("sessionWarden.finalizeAll");
    await until("it is stopped", () => rowsOf(ready)[0]?.group === "Stopped");
    const row = rowNamed("died");
    assert.deepEqual([row?.["status"], row?.["stop_reason"], row?.["claude_session_id_own"]], ["stopped", "agent_exited", ready]);
    assert.deepEqual(
      readRows().filter(({ name }) => name !== "died"),
      others,
    );
  });

  it("that can't be parsed is one notice, which opens the file, and the sessions stay", async () => {
    const id = String(rowNamed(`${basename(workspace())}-creator-claude`)?.["claude_session_id_own"]);
    const text = "tmux_sessions:\n- name: [x\n- name: b\n";
    writeFileSync(registry, text);
    const notice = await until("there is a notice", () =>
      theExtension()
        .exports.rows()
        .find(({ contextValue }) => contextValue === "notice openFile"),
    );
    assert.equal(notice.label, registry);
    assert.match(notice.description, /can't be read, and is not written: .*line \d+, column \d+/);
    assert.equal(theRowOf(id).group, "Open");

    await vscode.commands.executeCommand("sessionWarden.openNotice", { kind: "notice", place: notice.label, remedy: "openFile" });
    await until("the file is open", () => vscode.window.activeTextEditor?.document.fileName === registry);
    // What the registry said last still stands, and is not true any more.
    await act("stop", id, "Exited");
    assert.equal(vscode.window.activeTextEditor?.document.getText(), text);
  });
});

/** By the answers that stand there as the questions come up. Resolves with the id in its row, once that is in the tree. */
async function begin(name: string): Promise<string> {
  const done = vscode.commands.executeCommand("sessionWarden.newSession");
  await until(`${name} runs`, async () => {
    await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
    return hasSession(name);
  });
  await done;
  const id = rowNamed(name)?.["claude_session_id_own"];
  assert.equal(typeof id, "string");
  await until("it is in the tree", () => rowsOf(String(id)).find(({ group }) => group === "Open"));
  return String(id);
}

/** By its key, as from a menu. */
async function act(command: "stop" | "resume" | "archive" | "unarchive", id: string, into: string): Promise<void> {
  await vscode.commands.executeCommand(`sessionWarden.${command}`, theRowOf(id).key);
  await until(`after ${command} it is in ${into}`, () => rowsOf(id)[0]?.group === into);
}

function rowsOf(id: string): readonly SeenRow[] {
  return rows().filter(({ tooltip }) => tooltip.includes(id));
}

function theRowOf(id: string): SeenRow {
  const [row, ...others] = rowsOf(id);
  assert.ok(row && others.length === 0, `${others.length + 1} rows`);
  return row;
}

async function nameRegistry(file: string | undefined): Promise<void> {
  await vscode.workspace.getConfiguration("sessionWarden").update("mux.registry", file, vscode.ConfigurationTarget.Global);
}

/** As PyYAML reads it, which is how the registry's own programs do. */
function readRows(): readonly RegistryRow[] {
  return runPython(
    "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(json.load(sys.stdin)))['tmux_sessions'], default=str))",
    registry,
  ) as RegistryRow[];
}

function rowNamed(name: string): RegistryRow | undefined {
  return readRows().find((row) => row.name === name);
}

function writeRows(...written: readonly RegistryRow[]): void {
  runPython("import json, sys, yaml; path, rows = json.load(sys.stdin); yaml.safe_dump({'tmux_sessions': rows}, open(path, 'w'))", [registry, written]);
}

function startInPane(name: string, subject: string): string {
  const { argv, env, log } = commandFor("claude", subject);
  const variables = Object.entries(env).flatMap(([variable, value]) => ["-e", `${variable}=${value}`]);
  tmux("new-session", "-d", "-s", name, "-c", workspace(), ...variables, "--", ...argv);
  return log;
}

function hasServer(): boolean {
  return isAnswered("list-sessions");
}

function hasSession(name: string): boolean {
  return isAnswered("has-session", "-t", `=${name}`);
}

function isAnswered(...args: readonly string[]): boolean {
  try {
    tmux(...args);
    return true;
  } catch {
    return false;
  }
}

function clients(session: string): number {
  return tmux("list-clients", "-t", `=${session}`).split("\n").filter(Boolean).length;
}

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", ["-u", "-f", "/dev/null", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
