import * as vscode from "vscode";
import { offered } from "../core/lifecycle.ts";
import type { Operation } from "../core/lifecycle.ts";
import type { Session } from "../core/session.ts";
import { drawRow } from "./drawRow.ts";
import type { Lookout } from "./lookout.ts";
import { childrenOf, findParent, findSession, pictureOf } from "./picture.ts";
import type { Node, Picture, Wish } from "./picture.ts";
import { onDispose, together } from "./together.ts";
import { rowOf } from "./treeItems.ts";
import type { Row } from "./treeItems.ts";

export const viewId = "sessionWarden.sessions";

export interface DrawnRow extends Row {
  readonly children: readonly DrawnRow[];
}

/** The tree of sessions. It is drawn anew only when what it shows changed, and never under a hand that has just chosen a row. */
export class Tree implements vscode.TreeDataProvider<Node>, Disposable {
  readonly view: vscode.TreeView<Node>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #wished = new vscode.EventEmitter<void>();
  /** What is shown, and how, was chosen anew. */
  readonly onDidWish = this.#wished.event;
  readonly #lookout: Lookout;
  readonly #owned: Disposable;
  #wish: Wish = { by: "status", filter: "" };
  #picture: Picture;
  #drawn = "";
  #heldUntil = 0;
  #pending: NodeJS.Timeout | undefined;

  constructor(lookout: Lookout) {
    this.#lookout = lookout;
    this.#picture = pictureOf(lookout.snapshot, this.#wish);
    this.view = vscode.window.createTreeView(viewId, { treeDataProvider: this, canSelectMany: true, showCollapseAll: false });
    this.#owned = together(
      onDispose(() => this.view.dispose()),
      onDispose(() => clearTimeout(this.#pending)),
      lookout.onDidChange(() => this.#drawSoon()),
    );
    this.view.onDidChangeSelection(() => (this.#heldUntil = Date.now() + heldMs));
    this.view.onDidChangeVisibility(({ visible }) => visible && this.#drawSoon());
  }

  get wish(): Wish {
    return this.#wish;
  }

  get picture(): Picture {
    return this.#picture;
  }

  /** Asked for by a person, so it is drawn at once. */
  show(wish: Wish): void {
    this.#wish = wish;
    this.#heldUntil = 0;
    this.#draw();
    this.#wished.fire();
  }

  /** What a person did to the rows they chose is shown at once, unless they have chosen others meanwhile. */
  showDeed(begunAt: number): void {
    if (this.#heldUntil - heldMs > begunAt) return;
    this.#heldUntil = 0;
    this.#draw();
  }

  getChildren(node?: Node): Node[] {
    return [...(node ? childrenOf(node) : this.#picture.roots)];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return drawRow(this.rowOf(node), node);
  }

  getParent(node: Node): Node | undefined {
    return findParent(node, this.#picture);
  }

  rowOf(node: Node): Row {
    return rowOf(node, (session) => this.offered(session), Date.now());
  }

  /** All that is drawn, each row with those below it. */
  rows(nodes: readonly Node[] = this.#picture.roots): readonly DrawnRow[] {
    return nodes.map((node) => ({ ...this.rowOf(node), children: this.rows(childrenOf(node)) }));
  }

  offered(session: Session): ReadonlySet<Operation> {
    return offered(session, this.#lookout.warden.can);
  }

  /** Selects the session's row, without taking the keyboard. */
  async reveal(session: Session): Promise<void> {
    const node = findSession(session.key, this.#picture);
    if (node && this.view.visible) await this.view.reveal(node, { select: true, focus: false });
  }

  /** A moment later: several sources often have news at once. */
  #drawSoon(): void {
    this.#pending ??= setTimeout(() => this.#draw(), Math.max(batchMs, this.#heldUntil - Date.now()));
  }

  #draw(): void {
    clearTimeout(this.#pending);
    this.#pending = undefined;
    const stillHeldMs = this.#heldUntil - Date.now();
    if (stillHeldMs > 0) return this.#drawSoon();

    this.#picture = pictureOf(this.#lookout.snapshot, this.#wish);
    const { roots, shown, all } = this.#picture;
    // Where a message stands, VS Code leaves out the welcome text, which has a way back.
    const message = this.#wish.filter === "" || roots.length === 0 ? "" : `“${this.#wish.filter}”: ${shown} of ${all} shown`;
    const drawn = JSON.stringify([message, this.rows()]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.view.message = message;
    this.#changed.fire();
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
const batchMs = 100;
const heldMs = 2_000;
