import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { parseSettings, settingsFileText } from "../settings.ts";
import type { Settings } from "../settings.ts";

export const section = "sessionWarden";

/** The settings in effect. VS Code itself leaves out what an untrusted folder may not say. */
export function settingsOfEditor(): Settings {
  const asked = vscode.workspace.getConfiguration(section);
  return parseSettings({
    "tmux.program": asked.get("tmux.program"),
    "tmux.sockets": asked.get("tmux.sockets"),
    configHomes: asked.get("configHomes"),
    notify: asked.get("notify"),
    "mux.registry": asked.get("mux.registry") || process.env["AGENT_SESSIONS_YAML"],
    "mux.publishEvent": asked.get("mux.publishEvent"),
    "opencode.servers": asked.get("opencode.servers"),
    "entire.repositories": asked.get("entire.repositories"),
    "tracking.env": asked.get("tracking.env"),
    "tracking.details": asked.get("tracking.details"),
  });
}

/** Folders that are open here, on this machine. Of one that is not trusted nothing is read. */
export function openFolders(): readonly string[] {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  return folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}

/** Where the sessions are looked for with the new settings as with the old, nothing has to be set up again. */
export function looksInTheSamePlaces(a: Settings, b: Settings): boolean {
  return JSON.stringify({ ...a, notify: true }) === JSON.stringify({ ...b, notify: true });
}

/** For the command line, which has no editor to ask. An untrusted folder writes nothing. */
export async function writeSettings(settings: Settings, stateFolder: string): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  const file = join(stateFolder, "settings.json");
  const text = settingsFileText(settings);
  if ((await readFile(file, "utf8").catch(() => "")) === text) return;
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, text, { flag: "wx", mode: 0o600 });
  await rename(fresh, file);
}
