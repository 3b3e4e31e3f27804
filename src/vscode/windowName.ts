import { hostname } from "node:os";
import * as vscode from "vscode";
import { terminalPids } from "./goTo.ts";
import type { Lookout } from "./lookout.ts";

/** Tells the other windows which terminals are this one's, so that they can say where a session is. */
export function announceTerminals(lookout: Lookout, onFailure: (error: unknown) => void): vscode.Disposable {
  const announce = (): void => {
    void terminalPids()
      .then((terminals) => lookout.warden.places.announceWindow(vscode.workspace.name ?? "a window without a folder", [...terminals.keys()]))
      .catch(onFailure);
  };
  announce();
  return vscode.Disposable.from(vscode.window.onDidOpenTerminal(announce), vscode.window.onDidCloseTerminal(announce));
}

/** Which machine the sessions are of, where that is not the one a person sits at. */
export function describeHost(): string | undefined {
  const { remoteName } = vscode.env;
  if (remoteName === undefined) return undefined;
  const kind = kinds.find(([name]) => name === remoteName)?.[1];
  return kind === undefined ? hostname() : `${hostname()} (${kind})`;
}

const kinds = [
  ["ssh-remote", "SSH"],
  ["wsl", "WSL"],
  ["dev-container", "Dev Container"],
  ["attached-container", "Container"],
  ["codespaces", "Codespaces"],
  ["tunnel", "Tunnel"],
] as const;
