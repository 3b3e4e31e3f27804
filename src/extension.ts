import * as vscode from "vscode";
import { compose } from "./compose.ts";
import type { Warden } from "./core/warden.ts";
import { keepLauncherCurrent } from "./vscode/commandLineTool.ts";
import { registerCommands } from "./vscode/commands.ts";
import { contextsOf, createContextTeller } from "./vscode/contexts.ts";
import { hasUnwatched, sweepUnasked } from "./vscode/leading.ts";
import { Lookout } from "./vscode/lookout.ts";
import { notifyOfNeeds } from "./vscode/notify.ts";
import { createPace } from "./vscode/pace.ts";
import { Pages } from "./vscode/pages.ts";
import { passwordsIn } from "./vscode/passwords.ts";
import { looksInTheSamePlaces, openFolders, section, settingsOfEditor, writeSettings } from "./vscode/settingsOf.ts";
import { createStatusBar } from "./vscode/statusBar.ts";
import { onDispose, together } from "./vscode/together.ts";
import { Tree } from "./vscode/tree.ts";
import type { DrawnRow } from "./vscode/tree.ts";
import { groupedByKey } from "./vscode/viewCommands.ts";
import { announceTerminals, describeHost } from "./vscode/windowName.ts";

/** What the tree shows, for other extensions and for tests. */
export interface Exports {
  readonly rows: () => readonly DrawnRow[];
}

export async function activate(context: vscode.ExtensionContext): Promise<Exports> {
  const log = vscode.window.createOutputChannel("Session Warden", { log: true });
  const fail = (error: unknown): void => log.error(error instanceof Error ? error : String(error));
  let settings = settingsOfEditor();
  let isLeading = false;

  const passwords = passwordsIn(context.secrets);
  const lookout = new Lookout(await compose(settings, passwords, openFolders()), duties, fail);
  const tree = new Tree(lookout);
  const pages = new Pages();
  const pace = createPace({
    refresh: () => lookout.refresh(),
    isVisible: () => tree.view.visible,
    mustLookUnseen: () => isLeading && hasUnwatched(lookout.snapshot, lookout.warden.can),
  });
  own(context, pace, pages, tree, createStatusBar(lookout, tree), lookout);
  context.subscriptions.push(log, ...registerCommands({ lookout, tree, log, context, pages, passwords }), announceTerminals(lookout, fail));
  lookout.begin();

  const tell = createContextTeller();
  const tellContexts = (): void => tell(contextsOf(lookout.snapshot, tree.wish));
  own(context, lookout.onDidChange(tellContexts));
  tree.onDidWish(tellContexts);
  tree.view.description = describeHost() ?? "";
  tree.show({ ...tree.wish, by: context.workspaceState.get(groupedByKey) === "folder" ? "folder" : "status" });

  context.subscriptions.push(
    tree.view.onDidChangeVisibility(({ visible }) => visible && pace.now()),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && pace.hint()),
    vscode.window.onDidOpenTerminal(pace.hintTwice),
    vscode.window.onDidCloseTerminal(pace.hintTwice),
    vscode.window.onDidStartTerminalShellExecution(pace.hintTwice),
    vscode.window.onDidEndTerminalShellExecution(pace.hintTwice),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(section) && void takeSettings().catch(fail)),
    context.secrets.onDidChange(pace.hint),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void takeSettings().then(lookAnew).catch(fail)),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void lookAnew().catch(fail)),
  );
  pace.hint();
  void Promise.all([writeSettings(settings, lookout.warden.stateFolder), keepLauncherCurrent(context, lookout.warden.stateFolder)]).catch(fail);
  return { rows: () => tree.rows() };

  async function takeSettings(): Promise<void> {
    const before = settings;
    settings = settingsOfEditor();
    await writeSettings(settings, lookout.warden.stateFolder);
    if (looksInTheSamePlaces(before, settings)) return;
    await lookAnew();
  }

  async function lookAnew(): Promise<void> {
    lookout.replace(await compose(settings, passwords, openFolders()));
    pace.now();
  }

  /** For as long as a warden stands: its news, and what one window does for all. */
  function duties(warden: Warden): Disposable {
    return together(warden.watch(pace.hint), warden.lead(lead));
  }

  function lead(): Disposable {
    isLeading = true;
    const isSeen = (): boolean => vscode.window.state.focused && tree.view.visible;
    return together(
      onDispose(() => (isLeading = false)),
      notifyOfNeeds({ lookout, isWanted: () => settings.notify, isSeen }),
      sweepUnasked(lookout, fail),
    );
  }
}

function own({ subscriptions }: vscode.ExtensionContext, ...owned: readonly Disposable[]): void {
  subscriptions.push(...owned.map((one) => ({ dispose: () => one[Symbol.dispose]() })));
}
