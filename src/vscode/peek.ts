import * as vscode from "vscode";
import type { Lookout } from "./lookout.ts";
import { peekText } from "./peekText.ts";
import { plain } from "./plainText.ts";

const scheme = "session-warden-peek";

/** The last screen or messages of a session as a read-only document. It changes nothing, and shows text only. */
export class Peeks implements vscode.TextDocumentContentProvider, Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #lookout: Lookout;
  readonly #registered: vscode.Disposable;

  constructor(lookout: Lookout) {
    this.#lookout = lookout;
    this.#registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  async show(key: string): Promise<void> {
    const session = this.#lookout.find(key);
    const name = plain(session?.title ?? key, 60).replaceAll("/", "∕");
    const uri = vscode.Uri.from({ scheme, path: `/${name}`, query: key });
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true, preserveFocus: true });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const session = this.#lookout.find(uri.query);
    if (!session) return "This session is no longer in the list.\n";
    const screen = await this.#lookout.warden.peek(session, AbortSignal.timeout(withinMs));
    return peekText(session, screen, new Date());
  }

  [Symbol.dispose](): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }
}
const withinMs = 5_000;
