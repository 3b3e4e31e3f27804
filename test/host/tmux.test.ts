import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as vscode from "vscode";
import { commandFor, readLog, rowsNamed, theExtension, untilIn, workspace } from "./stage.ts";
import { until } from "./until.ts";

// The suite's TMUX_TMPDIR is a private one: the default server is this suite's own.
describe("an agent in tmux", () => {
  before(() => theExtension().activate());
  after(() => void tmux("kill-server"));

  it("is one row, not one of the process and one of the pane", async () => {
    start("one", "in a pane");
    await untilIn("Open", "in a pane");
    assert.equal(rowsNamed("in a pane").length, 1);
    assert.match(rowsNamed("in a pane")[0]?.description ?? "", /tmux one/);
  });

  it("is gone to by a terminal that attaches to it, and a second time by the same terminal", async () => {
    const { key } = await untilIn("Open", "in a pane");
    const before = vscode.window.terminals.length;
    await vscode.commands.executeCommand("sessionWarden.goTo", key);
    await until("a client is attached", () => clients("one") === 1);
    assert.equal(vscode.window.terminals.length, before + 1);

    const attached = vscode.window.activeTerminal;
    const other = vscode.window.createTerminal("in front");
    other.show();
    await until("another terminal is in front", () => vscode.window.activeTerminal === other);
    await vscode.commands.executeCommand("sessionWarden.goTo", key);
    await until("the attached terminal is in front again", () => vscode.window.activeTerminal === attached);
    assert.equal(clients("one"), 1);
    other.dispose();
    attached?.dispose();
  });

  it("is stopped with its own pane, and the session whose name begins alike stays", async () => {
    start("one-more", "beside it");
    await untilIn("Open", "beside it");
    const { key } = await untilIn("Open", "in a pane");

    await vscode.commands.executeCommand("sessionWarden.stop", key);

    await untilIn("Stopped", "in a pane");
    assert.equal(tmux("has-session", "-t", "=one-more"), "");
    await untilIn("Open", "beside it");
    const { log } = commandFor("claude", "beside it");
    assert.deepEqual(
      readLog(log).filter(({ signal, key }) => signal ?? key),
      [],
    );
  });
});

function start(name: string, subject: string): void {
  const { argv, env } = commandFor("claude", subject);
  const variables = Object.entries(env).flatMap(([variable, value]) => ["-e", `${variable}=${value}`]);
  tmux("new-session", "-d", "-s", name, "-c", workspace(), ...variables, "--", ...argv);
}

function clients(session: string): number {
  return tmux("list-clients", "-t", `=${session}`).split("\n").filter(Boolean).length;
}

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", ["-u", "-f", "/dev/null", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
