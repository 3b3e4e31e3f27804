import * as vscode from "vscode";
import { countByGroup } from "../core/groups.ts";
import type { Snapshot } from "../core/roster.ts";
import type { Wish } from "./picture.ts";

/** What the manifest's `when` clauses ask for. */
export interface Contexts {
  /** The sessions were read at least once: an empty tree means that there are none. */
  readonly "sessionWarden.looked": boolean;
  readonly "sessionWarden.filtered": boolean;
  readonly "sessionWarden.groupedBy": Wish["by"];
  readonly "sessionWarden.needsYou": boolean;
  readonly "sessionWarden.hasExited": boolean;
}

export function contextsOf(snapshot: Snapshot, { by, filter }: Wish): Contexts {
  const counts = countByGroup(snapshot.sessions);
  return {
    "sessionWarden.looked": snapshot.at > 0,
    "sessionWarden.filtered": filter !== "",
    "sessionWarden.groupedBy": by,
    "sessionWarden.needsYou": counts["Needs you"] > 0,
    "sessionWarden.hasExited": counts.Exited > 0,
  };
}

/** Tells VS Code only of what changed. */
export function createContextTeller(): (contexts: Contexts) => void {
  const told = new Map<string, unknown>();
  return (contexts) => {
    for (const [key, value] of Object.entries(contexts)) {
      if (told.get(key) === value) continue;
      told.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  };
}
