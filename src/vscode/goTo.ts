import * as vscode from "vscode";
import type { Command } from "../core/agent.ts";
import type { Destination } from "../core/destinations.ts";
import type { ProcessIdentity } from "../core/process.ts";
import { nameOf, processWords } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import type { Face } from "./face.ts";
import { peek } from "./peek.ts";
import { signalOf } from "./perform.ts";
import { plain } from "./plainText.ts";
import { viewId } from "./tree.ts";

/** Takes a person to where the session is: the first place that this window can reach. */
export async function goTo(face: Face, session: Session): Promise<void> {
  if (!face.tree.offered(session).has("goTo")) return void tellNotRunning(face, session);
  await vscode.window.withProgress({ location: { viewId } }, async (_progress, token) => {
    const { signal, release } = signalOf(token);
    try {
      for (const destination of await face.lookout.warden.places.destinationsOf(session, signal)) {
        if (await reach(destination, session, face, signal)) return;
      }
      const where = `${plain(nameOf(session))} runs where no terminal of this editor leads: ${plain(processWords(session))}.`;
      void vscode.window.showInformationMessage(where);
    } finally {
      release();
    }
  });
}

async function reach(destination: Destination, session: Session, face: Face, signal: AbortSignal): Promise<boolean> {
  const { lookout, tree } = face;
  const { places } = lookout.warden;
  switch (destination.kind) {
    case "terminal": {
      const terminal = await findTerminal(destination.ancestors);
      terminal?.show();
      return terminal !== undefined;
    }
    case "attachedTmux": {
      const terminal = await findTerminal(destination.ancestors);
      if (!terminal) return false;
      await places.select(destination.pane, signal);
      terminal.show();
      return true;
    }
    case "detachedTmux":
      await places.select(destination.pane, signal);
      openTerminal(plain(session.title, 40), places.attachCommand(destination.pane)).show();
      return true;
    case "otherWindow":
      void vscode.window.showInformationMessage(`${plain(nameOf(session))} is in a terminal of another window: ${plain(destination.name)}.`);
      return true;
    case "server":
      return await attach(destination, session, face);
    case "peek":
      if (!tree.offered(session).has("peek")) return false;
      await peek(face, session.key);
      return true;
  }
}

/** Its password goes by the environment of that one terminal, which is not kept over a reload: an argument is read by everybody on the machine. */
async function attach(
  { command, origin, isRecognised }: Extract<Destination, { kind: "server" }>,
  { title }: Session,
  { lookout, passwords }: Face,
): Promise<boolean> {
  const installed = await lookout.warden.places.installedAgents();
  if (!installed.some(({ program }) => program === command.argv[0])) return false;
  const opened = vscode.window.terminals.find((terminal) => shows(command, terminal));
  if (opened) opened.show();
  if (opened) return true;
  const kept = isRecognised || passwords.isMeantFor(origin) ? await passwords.passwordOf(origin) : undefined;
  // What was found on our PATH has to be found there; a password that the editor was started with is of another server.
  const env = { PATH: process.env["PATH"], OPENCODE_SERVER_USERNAME: kept?.user, OPENCODE_SERVER_PASSWORD: kept?.password };
  openTerminal(plain(title, 40), { ...command, env }, { isTransient: true }).show();
  return true;
}

function shows({ argv: [program, ...args] }: Command, { creationOptions, exitStatus }: vscode.Terminal): boolean {
  if (exitStatus !== undefined || !("shellPath" in creationOptions) || creationOptions.shellPath !== program) return false;
  return JSON.stringify(creationOptions.shellArgs) === JSON.stringify(args);
}

/** Runs the program itself, not a shell that would have to be typed into. */
export function openTerminal(name: string, { argv: [shellPath, ...shellArgs], cwd, env }: Command, more: vscode.TerminalOptions = {}): vscode.Terminal {
  // An editor that was itself started in tmux hands its mark down: the program would think that it sits in that pane.
  const unmarked = { TMUX: null, TMUX_PANE: null };
  const asked = Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, value ?? null]));
  return vscode.window.createTerminal({ ...more, name, shellPath, shellArgs, env: { ...unmarked, ...asked }, ...(cwd !== undefined && { cwd }) });
}

/** The processes of this window's terminals. */
export async function terminalPids(): Promise<ReadonlyMap<number, vscode.Terminal>> {
  const pairs = await Promise.all(vscode.window.terminals.map(async (terminal) => [await pidOf(terminal), terminal] as const));
  return new Map(pairs.flatMap(([pid, terminal]) => (pid === undefined ? [] : [[pid, terminal]])));
}

async function findTerminal(ancestors: readonly ProcessIdentity[]): Promise<vscode.Terminal | undefined> {
  const terminals = await terminalPids();
  const above = ancestors.find(({ pid }) => terminals.has(pid));
  return above && terminals.get(above.pid);
}

/** A terminal that could not start its program never tells a pid. */
export async function pidOf(terminal: vscode.Terminal): Promise<number | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), toldWithinMs);
  try {
    return await Promise.race([terminal.processId, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
const toldWithinMs = 500;

async function tellNotRunning({ tree }: Face, session: Session): Promise<void> {
  const buttons = tree.offered(session).has("resume") ? ["Resume"] : [];
  const pressed = await vscode.window.showInformationMessage(`${plain(nameOf(session))} is not running: ${plain(session.status.seen)}.`, ...buttons);
  if (pressed !== undefined) await vscode.commands.executeCommand("sessionWarden.resume", session.key);
}
