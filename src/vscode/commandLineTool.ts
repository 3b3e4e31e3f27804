import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import * as vscode from "vscode";
import { isOurLauncher, launcherText } from "./launcher.ts";

/** Puts `session-warden` on PATH: a launcher, since the extension's own folder moves with each version. No terminal's environment is changed. */
export async function installCommandLineTool(context: vscode.ExtensionContext, stateFolder: string): Promise<void> {
  const there = await readText(launcherFile);
  if (there !== undefined && !isOurLauncher(there)) {
    const pressed = await vscode.window.showWarningMessage(
      `Replace ${launcherFile}?`,
      { modal: true, detail: "There is a file of that name already, and it was not put there by Session Warden." },
      "Replace",
    );
    if (pressed !== "Replace") return;
  }
  await writeLauncher(textFor(context, stateFolder));
  const isOnPath = (process.env["PATH"] ?? "").split(delimiter).includes(dirname(launcherFile));
  const next = isOnPath
    ? "Type session-warden list in any terminal."
    : `${dirname(launcherFile)} is not on PATH: add it in your shell's profile, as in export PATH="$HOME/.local/bin:$PATH".`;
  void vscode.window.showInformationMessage(`Installed ${launcherFile}. ${next}`);
}

/** After an update of the extension or the editor the launcher leads nowhere: ours is written anew, others' and none are left alone. */
export async function keepLauncherCurrent(context: vscode.ExtensionContext, stateFolder: string): Promise<void> {
  const there = await readText(launcherFile);
  const text = textFor(context, stateFolder);
  if (there !== undefined && isOurLauncher(there) && there !== text) await writeLauncher(text);
}

const launcherFile = join(homedir(), ".local/bin/session-warden");

async function writeLauncher(text: string): Promise<void> {
  await mkdir(dirname(launcherFile), { recursive: true });
  const fresh = `${launcherFile}.${randomUUID()}`;
  await writeFile(fresh, text, { flag: "wx" });
  await chmod(fresh, 0o755);
  await rename(fresh, launcherFile);
}

function textFor({ extensionPath }: vscode.ExtensionContext, stateFolder: string): string {
  return launcherText(process.execPath, join(extensionPath, "dist/cli.js"), stateFolder);
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}
