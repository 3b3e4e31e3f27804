import * as vscode from "vscode";
import { examine, reportOf } from "../core/doctor.ts";
import type { Lookout } from "./lookout.ts";
import { plainLines } from "./plainText.ts";

const scheme = "session-warden-doctor";
const uri = vscode.Uri.from({ scheme, path: "/Doctor" });

/** What is not as it should be, as a read-only document. It changes nothing. */
export class Report implements vscode.TextDocumentContentProvider, Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #lookout: Lookout;
  readonly #registered: vscode.Disposable;

  constructor(lookout: Lookout) {
    this.#lookout = lookout;
    this.#registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  async show(): Promise<void> {
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  provideTextDocumentContent(): string {
    const { snapshot, warden } = this.#lookout;
    return `${plainLines(reportOf(examine(snapshot, warden.can), warden.cost()).join("\n"))}\n`;
  }

  [Symbol.dispose](): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }
}
