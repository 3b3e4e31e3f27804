import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { OpenAgent } from "./stage.ts";
import { commandFor, openAgent, readLog, rowsNamed, theExtension, untilIn } from "./stage.ts";
import { until } from "./until.ts";

describe("an agent in a terminal of this window", () => {
  const opened: OpenAgent[] = [];
  const open = async (...args: Parameters<typeof openAgent>): Promise<OpenAgent> => {
    const agent = await openAgent(...args);
    opened.push(agent);
    return agent;
  };
  before(() => theExtension().activate());
  afterEach(() => opened.splice(0).forEach(({ terminal }) => terminal.dispose()));

  it("is one row, by nothing but its being there", async () => {
    await open("claude", "just opened");
    await untilIn("Open", "just opened");
    assert.equal(rowsNamed("just opened").length, 1);
  });

  it("needs you when it asks for a permission, and not when its own menu is open", async () => {
    await open("claude", "asks for a permission", "waiting");
    await open("claude", "shows its menu", "menu");
    await untilIn("Needs you", "asks for a permission");
    await untilIn("Open", "shows its menu");
  });

  it("is two sessions with two ids where two run in one folder", async () => {
    await open("claude", "first of two");
    await open("claude", "second of two");
    const [first, second] = [await untilIn("Open", "first of two"), await untilIn("Open", "second of two")];
    assert.notEqual(conversationOf(first.tooltip), conversationOf(second.tooltip));
  });

  it("is brought to the front by Go to", async () => {
    const agent = await open("claude", "far behind");
    const { key } = await untilIn("Open", "far behind");
    const other = vscode.window.createTerminal("in front");
    try {
      other.show();
      await until("the other terminal is in front", () => vscode.window.activeTerminal === other);
      await vscode.commands.executeCommand("sessionWarden.goTo", key);
      await until("the agent's terminal is in front", () => vscode.window.activeTerminal === agent.terminal);
    } finally {
      other.dispose();
    }
  });

  it("is stopped by Stop: asked by a signal, nothing typed, its id saved, the other one untouched", async () => {
    const agent = await open("claude", "to be stopped");
    const neighbour = await open("claude", "to be left alone");
    const { key, tooltip } = await untilIn("Open", "to be stopped");
    await untilIn("Open", "to be left alone");

    await vscode.commands.executeCommand("sessionWarden.stop", key);

    const stopped = await untilIn("Stopped", "to be stopped");
    assert.equal(conversationOf(stopped.tooltip), conversationOf(tooltip));
    assert.match(stopped.contextValue, /\bcanResume\b/);
    assert.deepEqual(heard(agent), ["SIGTERM"]);
    assert.deepEqual(heard(neighbour), []);
    await untilIn("Open", "to be left alone");
  });

  it("in a person's shell is stopped without the shell", async () => {
    const { argv, env, log } = commandFor("claude", "typed into a shell");
    const terminal = vscode.window.createTerminal({ name: "a shell", shellPath: "/bin/bash", shellArgs: ["--norc"], env });
    opened.push({ terminal, subject: "typed into a shell", reached: () => readLog(log) });
    terminal.sendText(argv.map((word) => `'${word}'`).join(" "));
    const { key } = await untilIn("Open", "typed into a shell");

    await vscode.commands.executeCommand("sessionWarden.stop", key);

    await untilIn("Stopped", "typed into a shell");
    assert.equal(terminal.exitStatus, undefined);
    const shell = await terminal.processId;
    assert.ok(shell && process.kill(shell, 0), "the shell has gone too");
  });

  it("that leaves by itself is exited or stopped by itself, without a command", async () => {
    const agent = await open("claude", "leaves by itself");
    await untilIn("Open", "leaves by itself");
    agent.terminal.sendText("exit");
    await until("it is past", () => rowsNamed("leaves by itself").find(({ group }) => group === "Exited" || group === "Stopped"));
  });

  it("of another make is told by its own book: a Cline at work is working", async () => {
    await open("cline", "a working cline", "working");
    await untilIn("Working", "a working cline");
  });
});

function heard(agent: OpenAgent): readonly unknown[] {
  return agent.reached().flatMap(({ signal, key }) => signal ?? key ?? []);
}

function conversationOf(tooltip: string): string {
  const [, id] = /^Conversation (\S+)$/m.exec(tooltip) ?? [];
  assert.ok(id, `no conversation is told: ${tooltip}`);
  return id;
}
