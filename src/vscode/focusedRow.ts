import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import type { FacetKey } from "../core/facet.ts";
import { chosenKeys } from "./chosen.ts";
import type { Tree } from "./tree.ts";

/** A key acts on the row that has the focus, and VS Code tells only the selection: so the focused row is selected first. */
export class FocusedRow {
  #openedByKeyUntil = 0;
  readonly #tree: Tree;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** All that is selected, where the focused row is one of it. */
  async choose(): Promise<readonly FacetKey[]> {
    const before = this.#selectedKeys();
    this.#openedByKeyUntil = Date.now() + openingMs;
    await vscode.commands.executeCommand("list.selectAndPreserveFocus");
    const [focused] = await this.#keysOnceDrawn();
    if (focused === undefined) return [];
    return before.length > 1 && before.includes(focused) ? before : [focused];
  }

  #selectedKeys(): readonly FacetKey[] {
    return this.#tree.view.selection.filter(({ kind }) => kind === "session").flatMap((node) => chosenKeys(node, undefined));
  }

  /** While VS Code draws the tree anew, nothing counts as selected. */
  async #keysOnceDrawn(): Promise<readonly FacetKey[]> {
    const deadline = Date.now() + drawnWithinMs;
    while (this.#selectedKeys().length === 0 && Date.now() < deadline) await delay(20);
    return this.#selectedKeys();
  }

  /** VS Code also opens what that command selects; asked once for each, so that a key does not go to the row as well. */
  wasOpenedByKey(): boolean {
    const isByKey = Date.now() < this.#openedByKeyUntil;
    this.#openedByKeyUntil = 0;
    return isByKey;
  }
}
const openingMs = 1_000;
const drawnWithinMs = 1_000;
