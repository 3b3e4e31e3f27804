import assert from "node:assert/strict";
import * as vscode from "vscode";
import { theExtension } from "./stage.ts";
import { until } from "./until.ts";

interface Manifest {
  readonly contributes: {
    readonly views: { readonly [container: string]: readonly { readonly id: string }[] };
    readonly commands?: readonly { readonly command: string }[];
  };
}

describe("the extension in VS Code", () => {
  it("activates by itself once VS Code has started", async () => {
    await until("the extension is active", () => theExtension().isActive);
  });

  it("contributes the view of sessions", async () => {
    const views = Object.values(manifest().contributes.views).flat();
    assert.deepEqual(
      views.map(({ id }) => id),
      ["sessionWarden.sessions"],
    );
    await vscode.commands.executeCommand("sessionWarden.sessions.focus");
  });

  it("registers every command that its manifest names", async () => {
    await theExtension().activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    const contributed = (manifest().contributes.commands ?? []).map(({ command }) => command);
    assert.deepEqual(
      contributed.filter((command) => !registered.has(command)),
      [],
    );
  });
});

function manifest(): Manifest {
  return theExtension().packageJSON as Manifest;
}
