import * as vscode from "vscode";
import { finalize } from "../core/operations/finalize.ts";
import type { OperationContext } from "../core/operations/operation.ts";
import { resume } from "../core/operations/resume.ts";
import type { Start } from "../core/operations/resume.ts";
import { stop } from "../core/operations/stop.ts";
import type { StopOptions } from "../core/operations/stop.ts";
import { terminate } from "../core/operations/terminate.ts";
import type { Receipt } from "../core/receipt.ts";
import { nameInRegistry } from "../core/session.ts";
import type { Session } from "../core/session.ts";
import type { Next } from "./answer.ts";
import { chosenKeys } from "./chosen.ts";
import type { Handler, Hands } from "./commands.ts";
import { confirm } from "./confirm.ts";
import type { Face } from "./face.ts";
import { openTerminal, pidOf } from "./goTo.ts";
import { startInTmux } from "./newSession.ts";
import { perform } from "./perform.ts";
import type { Deed } from "./perform.ts";
import { plain } from "./plainText.ts";
import { tellReceipts } from "./tellReceipt.ts";

type EndId = "sessionWarden.stop" | "sessionWarden.terminate" | "sessionWarden.finalize" | "sessionWarden.finalizeAll" | "sessionWarden.resume";

export function endCommands({ face, choose }: Hands): Readonly<{ [id in EndId]: Handler }> {
  const { tree, lookout } = face;

  async function end(operation: "stop" | "terminate", sessions: readonly Session[]): Promise<void> {
    if (sessions.length > 0 && (await confirm(operation, sessions))) await run(sessions, deeds[operation]);
  }

  async function run(sessions: readonly Session[], deed: Deed): Promise<void> {
    void tellReceipts(await perform(face, sessions, deed), goOn);
  }

  function goOn({ does, sessions: [first, ...others] }: Next): void {
    if (does === "Show Journal") return void vscode.commands.executeCommand("sessionWarden.showJournal");
    if (!first) return;
    if (does === "Resume") return void vscode.commands.executeCommand("sessionWarden.resume", first.key);
    const keys = [first, ...others].map(({ key }) => key);
    void vscode.commands.executeCommand("sessionWarden.terminate", keys);
  }

  return {
    "sessionWarden.stop": async (choice) => end("stop", await choose({ verb: "stop", fits: (session) => tree.offered(session).has("stop") }, choice)),
    "sessionWarden.terminate": async (choice) =>
      end("terminate", await choose({ verb: "force-terminate", fits: (session) => tree.offered(session).has("terminate") }, choice)),
    "sessionWarden.finalize": async (choice) =>
      run(await choose({ verb: "finalize", fits: (session) => tree.offered(session).has("finalize") }, choice), deeds.finalize),
    // On the group's row it means what is shown there, which a filter may have narrowed.
    "sessionWarden.finalizeAll": async ({ clicked }) => {
      const shown = chosenKeys(clicked, undefined);
      const all = lookout.snapshot.sessions.filter((session) => tree.offered(session).has("finalize"));
      await run(shown.length > 0 ? all.filter(({ key }) => shown.includes(key)) : all, deeds.finalize);
    },
    "sessionWarden.resume": async (choice) =>
      run((await choose({ verb: "resume", fits: (session) => tree.offered(session).has("resume") }, choice)).slice(0, 1), {
        doing: "Resuming",
        act: (session, context) => resumeInTerminal(face, session, context),
      }),
  };
}

const deeds = {
  stop: { doing: "Stopping", act: (session, context) => stop(session, optionsFor(session), context) },
  terminate: { doing: "Force-terminating", act: (session, context) => terminate(session, optionsFor(session), context), isLong: true },
  finalize: { doing: "Finalizing", act: finalize },
} as const satisfies { readonly [name: string]: Deed };

/** By here a person has named its process: by choosing its row, or in the question that listed it. */
function optionsFor({ run }: Session): StopOptions {
  const named = run?.host.kind === "process" ? { named: run.host.process } : {};
  return { reason: "manual_stop", reach: "session", ...named };
}

function resumeInTerminal(face: Face, session: Session, context: OperationContext): Promise<Receipt> {
  const name = nameInRegistry(session);
  const start: Start = async (command) => {
    // Where the registry and its other programs look for it.
    if (name !== undefined) return startInTmux(face, name, session.title, command, context.signal);
    const terminal = openTerminal(plain(session.title, 40), command);
    terminal.show();
    return pidOf(terminal);
  };
  return resume(session, start, context);
}
