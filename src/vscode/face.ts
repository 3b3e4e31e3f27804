import type * as vscode from "vscode";
import type { Lookout } from "./lookout.ts";
import type { Pages } from "./pages.ts";
import type { Passwords } from "./passwords.ts";
import type { Tree } from "./tree.ts";

/** What the commands work with. */
export interface Face {
  readonly lookout: Lookout;
  readonly tree: Tree;
  readonly log: vscode.LogOutputChannel;
  readonly context: vscode.ExtensionContext;
  readonly passwords: Passwords;
  readonly pages: Pages;
}
