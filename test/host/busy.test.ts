import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import * as vscode from "vscode";
import { commandFor, readLog, theExtension, untilIn, workspace } from "./stage.ts";
import { until } from "./until.ts";

describe("a window and the command line at once", () => {
  before(() => theExtension().activate());

  it("one acts, and the other is told that somebody is at work", async () => {
    const { argv, env, log } = commandFor("claude", "slow to leave");
    const [shellPath, ...shellArgs] = argv;
    vscode.window.createTerminal({ name: "slow", shellPath, shellArgs, cwd: workspace(), env: { ...env, STAND_IN_EXIT_MS: "3000" } });
    const { key } = await untilIn("Open", "slow to leave");

    const stopping = vscode.commands.executeCommand("sessionWarden.stop", key);
    await until("it was asked to leave", () => readLog(log).some(({ signal }) => signal === "SIGTERM"));
    const { code, stdout } = await commandLine("stop", key, "--json");
    assert.equal(code, 1);
    assert.equal((JSON.parse(stdout) as { reason: string }).reason, "busy");

    await stopping;
    await untilIn("Stopped", "slow to leave");
    assert.equal(readLog(log).filter(({ signal }) => signal).length, 1);
  });
});

function commandLine(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
  const node = process.env["SESSION_WARDEN_TESTS_NODE"];
  assert.ok(node, "what starts the suite has to name a Node");
  return new Promise((settle) => {
    const child = execFile(node, [join(theExtension().extensionPath, "dist/cli.js"), ...args], (_error, stdout) =>
      settle({ code: child.exitCode ?? -1, stdout }),
    );
  });
}
