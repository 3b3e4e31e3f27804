import { basename } from "node:path";
import * as vscode from "vscode";
import type { Agent, Command } from "../core/agent.ts";
import { newSession, sessionName, sessionToBe } from "../core/operations/newSession.ts";
import type { Wanted } from "../core/operations/newSession.ts";
import type { Refusal } from "../core/refusal.ts";
import { nameInRegistry } from "../core/session.ts";
import type { Handler, Hands } from "./commands.ts";
import type { Face } from "./face.ts";
import { openTerminal } from "./goTo.ts";
import { perform } from "./perform.ts";
import { plain } from "./plainText.ts";
import { tellReceipts } from "./tellReceipt.ts";

/** New Session…: which agent, where, and under which name; then it runs in tmux, and a terminal shows it. */
export function newSessionCommand({ face }: Hands): Readonly<{ [id in "sessionWarden.newSession"]: Handler }> {
  return {
    "sessionWarden.newSession": async () => {
      const wanted = await askWhat(face);
      if (!wanted) return;
      const outcomes = await perform(face, [sessionToBe(wanted, Date.now())], {
        doing: "Starting",
        act: (_session, context) => newSession(wanted, (command) => startInTmux(face, wanted.name, wanted.name, command, context.signal), context),
      });
      void tellReceipts(outcomes, () => void vscode.commands.executeCommand("sessionWarden.showJournal"));
    },
  };
}

/** In a pane of its own, with a terminal attached to it. */
export async function startInTmux({ lookout }: Face, name: string, title: string, command: Command, signal: AbortSignal): Promise<number | Refusal> {
  const { places } = lookout.warden;
  const started = await places.startInTmux(name, command, signal);
  if (started.kind === "refused") return started;
  openTerminal(plain(title, 40), places.attachCommand(started.pane)).show();
  return started.pid;
}

async function askWhat(face: Face): Promise<Wanted | undefined> {
  const agent = await askAgent(face);
  if (!agent) return undefined;
  const folder = await askFolder();
  if (folder === undefined) return undefined;
  const name = await askName(face, agent, folder);
  return name === undefined ? undefined : { agent, folder, name };
}

async function askAgent({ lookout }: Face): Promise<Agent | undefined> {
  const agents = await lookout.warden.places.installedAgents();
  if (agents.length === 0) {
    void vscode.window.showInformationMessage("No agent was found on PATH: install one, like claude or codex, and try again.");
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    agents.map((agent) => ({ label: agent.name, description: agent.program, agent })),
    { title: "New Session", placeHolder: "Which agent" },
  );
  return picked?.agent;
}

async function askFolder(): Promise<string | undefined> {
  const open = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const items = open.map(({ name, uri }) => ({ label: name, description: uri.fsPath, path: uri.fsPath as string | undefined }));
  const picked = await vscode.window.showQuickPick([...items, { label: "Other Folder…", description: "", path: undefined }], {
    title: "New Session",
    placeHolder: "In which folder",
  });
  if (!picked || picked.path !== undefined) return picked?.path;
  const [chosen] = (await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false, openLabel: "Start Here" })) ?? [];
  return chosen?.fsPath;
}

/** Its end names the agent, as the registry's own programs have it. */
async function askName({ lookout }: Face, agent: Agent, folder: string): Promise<string | undefined> {
  const taken = new Set(lookout.snapshot.sessions.flatMap((session) => [nameInRegistry(session), tmuxSessionOf(session)].flatMap((name) => name ?? [])));
  const base = basename(folder).replaceAll(/[^A-Za-z0-9_-]+/g, "-") || "session";
  const numbers = ["", ...Array.from({ length: 99 }, (_each, nth) => `-${nth + 2}`)];
  const value = numbers.map((number) => `${base}${number}-creator-${agent.id}`).find((name) => !taken.has(name)) ?? "";
  return vscode.window.showInputBox({
    title: "New Session",
    prompt: "The name of its tmux session.",
    value,
    validateInput: (name) =>
      !sessionName.test(name) ? "A name is made of letters, digits, _ and -." : taken.has(name) ? "A session of that name is there already." : undefined,
  });
}

function tmuxSessionOf({
  run,
}: {
  readonly run: { readonly host: { readonly kind: string; readonly pane?: { readonly sessionName: string } } } | undefined;
}): string | undefined {
  return run?.host.kind === "process" ? run.host.pane?.sessionName : undefined;
}
