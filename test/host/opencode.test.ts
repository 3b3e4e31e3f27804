import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as vscode from "vscode";
import type { DrawnRow } from "../../src/vscode/tree.ts";
import type { FakeOpencode } from "../support/fakeOpencode.ts";
import { startFakeOpencode } from "../support/fakeOpencode.ts";
import { scratch, theExtension, workspace } from "./stage.ts";
import { until } from "./until.ts";

const bin = join(scratch, "opencode-bin");
const log = join(scratch, "opencode-attach.log");
/** The clock's look is 5 s after the last. */
const soonMs = 3_000;
const ownPath = process.env["PATH"];

describe("with an OpenCode server that is locked", () => {
  let server: FakeOpencode;
  const { showInputBox } = vscode.window;
  before(async () => {
    server = await startFakeOpencode(workspace(), { password: "pass: word" });
    server.add({ id: "ses_root", title: "migrate the schema", isBusy: true });
    server.add({ id: "ses_child", title: "write its tests", parent: "ses_root", isBusy: true });
    await theExtension().activate();
    await set("sessionWarden.opencode.servers", [server.origin]);
  });
  after(async () => {
    Object.assign(vscode.window, { showInputBox });
    process.env["PATH"] = ownPath;
    await set("sessionWarden.opencode.servers", undefined);
    await server[Symbol.asyncDispose]();
  });

  it("its notice asks for the password, and once it is entered its sessions are there, sub-agents below their own", async () => {
    await until("the notice is there", () => all().find(({ contextValue, label }) => contextValue === "notice enterPassword" && label === server.origin));
    let asked: vscode.InputBoxOptions | undefined;
    Object.assign(vscode.window, {
      showInputBox: async (options: vscode.InputBoxOptions) => {
        asked = options;
        return "pass: word";
      },
    });
    await vscode.commands.executeCommand("sessionWarden.enterPassword", server.origin);
    assert.equal(asked?.password, true);
    assert.match(asked?.title ?? "", new RegExp(server.origin));

    const root = await until("the session is there", () => all().find(({ label }) => label === "migrate the schema"));
    assert.deepEqual(
      root.children.map(({ label }) => label),
      ["write its tests"],
    );
    assert.equal(root.fold, "open");
    assert.match(root.tooltip, new RegExp(`On ${server.origin}`));
  });

  it("what it tells is in the tree before any clock looks", async () => {
    server.asks("ses_child", { id: "per_1", tool: "bash", command: "make" });
    await until("it needs you", () => inGroup("Needs you").includes("migrate the schema"), soonMs);
    server.turn("ses_child", false);
    await until("it works", () => inGroup("Working").includes("migrate the schema"), soonMs);
  });

  it("without the program, Go to shows the last messages", async () => {
    process.env["PATH"] = "/nowhere";
    await vscode.commands.executeCommand("sessionWarden.goTo", "opencode:ses_root");
    const shown = await until("a document is shown", () => vscode.window.activeTextEditor?.document);
    assert.match(shown.getText(), /“migrate the schema”[^]*hello from ses_root/);
  });

  it("with it, Go to opens a client on the session, once, its password in no argument", async () => {
    layProgram();
    process.env["PATH"] = [bin, ownPath].join(delimiter);
    const before = vscode.window.terminals.length;
    await vscode.commands.executeCommand("sessionWarden.goTo", "opencode:ses_root");
    await until("the client has begun", () => existsSync(log));
    assert.deepEqual(readFileSync(log, "utf8").split("\n"), [
      "opencode:pass: word",
      "attach",
      server.origin,
      "--session",
      "ses_root",
      "--dir",
      workspace(),
      "",
    ]);
    assert.equal(vscode.window.terminals.length, before + 1);
    const [opened] = vscode.window.terminals.slice(-1);
    assert.ok(opened);
    assert.equal((opened.creationOptions as vscode.TerminalOptions).isTransient, true);

    await vscode.commands.executeCommand("sessionWarden.goTo", "opencode:ses_root");
    await until("it is in front", () => vscode.window.activeTerminal === opened);
    assert.equal(vscode.window.terminals.length, before + 1);
    opened.dispose();
  });
});

function all(rows: readonly DrawnRow[] = theExtension().exports.rows()): readonly DrawnRow[] {
  return rows.flatMap((row) => [row, ...all(row.children)]);
}

function inGroup(name: string): readonly string[] {
  const group = theExtension()
    .exports.rows()
    .find(({ label }) => label === name);
  return group?.children.map(({ label }) => label) ?? [];
}

/** Writes down how it was begun, in one step, and stays. */
function layProgram(): void {
  mkdirSync(bin, { recursive: true });
  const program = join(bin, "opencode");
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$OPENCODE_SERVER_USERNAME:$OPENCODE_SERVER_PASSWORD" "$@" > '${log}.new'\nmv '${log}.new' '${log}'\nexec sleep 600\n`,
  );
  chmodSync(program, 0o755);
}

async function set(key: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
}
