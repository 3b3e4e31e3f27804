import * as vscode from "vscode";
import type { Node } from "./picture.ts";
import type { Tree } from "./tree.ts";

/** A key acts on the row that has the focus, and VS Code tells only the selection: so the focused row is selected first. */
export class FocusedRow {
  #openedByKeyUntil = 0;
  readonly #tree: Tree;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** All that is selected, where the focused row is one of it. */
  async choose(): Promise<readonly Node[]> {
    const before = this.#tree.view.selection;
    this.#openedByKeyUntil = Date.now() + openingMs;
    await vscode.commands.executeCommand("list.selectAndPreserveFocus");
    const [focused] = this.#tree.view.selection;
    if (!focused) return [];
    return before.length > 1 && before.includes(focused) ? before : [focused];
  }

  /** VS Code also opens what that command selects; asked once for each, so that a key does not go to the row as well. */
  wasOpenedByKey(): boolean {
    const isByKey = Date.now() < this.#openedByKeyUntil;
    this.#openedByKeyUntil = 0;
    return isByKey;
  }
}
const openingMs = 1_000;
