import * as vscode from "vscode";
import { bookCommands } from "./bookCommands.ts";
import type { CommandId } from "./commandIds.ts";
import { commandIds } from "./commandIds.ts";
import { copyCommands } from "./copyCommands.ts";
import { endCommands } from "./endCommands.ts";
import type { Face } from "./face.ts";
import { FocusedRow } from "./focusedRow.ts";
import { goCommands } from "./goCommands.ts";
import { houseCommands } from "./houseCommands.ts";
import { newSessionCommand } from "./newSession.ts";
import { orphanCommands } from "./orphanCommands.ts";
import { passwordCommands } from "./passwordCommands.ts";
import { plain } from "./plainText.ts";
import { purgeCommands } from "./purgeCommands.ts";
import { reclaimCommand } from "./reclaimCommand.ts";
import { serverCommands } from "./serverCommands.ts";
import type { Choice, Purpose } from "./targets.ts";
import { sessionsFor } from "./targets.ts";
import type { Session } from "../core/session.ts";
import { viewCommands } from "./viewCommands.ts";

export type Handler = (choice: Choice) => Promise<void> | void;

/** What the handlers share beside the face. */
export interface Hands {
  readonly face: Face;
  readonly focusedRow: FocusedRow;
  /** Empty where there is nothing to do, which has been said then. */
  readonly choose: (purpose: Purpose, choice: Choice) => Promise<readonly Session[]>;
}

/** Registers every command. What goes wrong in one ends here: in the log, and in one sentence. */
export function registerCommands(face: Face): readonly vscode.Disposable[] {
  const focusedRow = new FocusedRow(face.tree);
  const hands: Hands = { face, focusedRow, choose: (purpose, choice) => sessionsFor(face, focusedRow, purpose, choice) };
  const handlers: Readonly<{ [id in CommandId]: Handler }> = {
    ...goCommands(hands),
    ...endCommands(hands),
    ...newSessionCommand(hands),
    ...serverCommands(hands),
    ...passwordCommands(hands),
    ...purgeCommands(hands),
    ...orphanCommands(hands),
    ...reclaimCommand(hands),
    ...bookCommands(hands),
    ...copyCommands(hands),
    ...viewCommands(hands),
    ...houseCommands(hands),
  };
  return commandIds.map((id) =>
    vscode.commands.registerCommand(id, (clicked: unknown, selected: unknown) => guarded(id, () => handlers[id]({ clicked, selected }), face)),
  );
}

async function guarded(id: CommandId, handle: () => Promise<void> | void, { log }: Face): Promise<void> {
  try {
    await handle();
  } catch (error) {
    log.error(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const said = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(`Something went wrong: ${plain(said)}.`, "Show Log").then((pressed) => pressed && log.show());
  }
}
