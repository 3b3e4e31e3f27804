import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isOurLauncher, launcherText } from "../../../src/vscode/launcher.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "it's a launcher "));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("runs the command line on the given Node, with its arguments as they are", () => {
  const cli = join(folder, "cli.js");
  writeFileSync(cli, `console.log(JSON.stringify([process.env.ELECTRON_RUN_AS_NODE, ...process.argv.slice(2)]))`);
  const launcher = write(launcherText(process.execPath, cli, "/state"));
  expect(JSON.parse(execFileSync("sh", [launcher, "stop", "two words", "$HOME"], { encoding: "utf8" }))).toEqual(["1", "stop", "two words", "$HOME"]);
});

it("hands on the editor's own state folder, whatever the shell's profile says of it", () => {
  const cli = join(folder, "cli.js");
  writeFileSync(cli, `console.log(process.env.SESSION_WARDEN_STATE_FOLDER)`);
  const launcher = write(launcherText(process.execPath, cli, "/srv/it's state"));
  expect(execFileSync("sh", [launcher], { encoding: "utf8", env: { ...process.env, XDG_STATE_HOME: "/elsewhere" } })).toBe("/srv/it's state\n");
});

it("says what to do when an update has moved the extension", () => {
  const launcher = write(launcherText(process.execPath, join(folder, "gone.js"), "/state"));
  const { status, stderr } = spawnSync("sh", [launcher], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("Install Command Line Tool");
});

it("is told from another's file", () => {
  expect(isOurLauncher(launcherText("/node", "/cli.js", "/state"))).toBe(true);
  expect(isOurLauncher("#!/bin/sh\nexec something else\n")).toBe(false);
});

function write(text: string): string {
  const file = join(folder, "session-warden");
  writeFileSync(file, text);
  return file;
}
