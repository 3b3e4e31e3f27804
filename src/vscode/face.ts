import type * as vscode from "vscode";
import type { Lookout } from "./lookout.ts";
import type { Passwords } from "./passwords.ts";
import type { Tree } from "./tree.ts";

/** What the commands work with. */
export interface Face {
  readonly lookout: Lookout;
  readonly tree: Tree;
  readonly log: vscode.LogOutputChannel;
  readonly context: vscode.ExtensionContext;
  readonly passwords: Passwords;
  /** Shows the last screen of a session as a read-only document. */
  /** Shows what is not as it should be, as a read-only document. */
  readonly report: { show(): Promise<void> };
  readonly peeks: { show(key: string): Promise<void> };
}
