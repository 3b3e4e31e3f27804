import * as vscode from "vscode";

const scheme = "session-warden";

/** A read-only document of ours: plain text, asked for anew each time that it is shown. */
export interface Page {
  /** In the editor's tab. */
  readonly title: string;
  /** Tells it from others of that title. */
  readonly key: string;
  readonly text: () => string | Promise<string>;
}

/** Shows pages. They change nothing, and are no files. */
export class Pages implements vscode.TextDocumentContentProvider, Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #texts = new Map<string, Page["text"]>();
  readonly #registered: vscode.Disposable;

  constructor() {
    this.#registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  async show({ title, key, text }: Page, options: vscode.TextDocumentShowOptions = {}): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${title.replaceAll("/", "∕")}`, query: key });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true, ...options });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    // An editor that was restored from an earlier time: what it showed is not kept anywhere.
    return (await this.#texts.get(uri.toString())?.()) ?? "This page is no longer kept. Ask for it again.\n";
  }

  [Symbol.dispose](): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }
}
