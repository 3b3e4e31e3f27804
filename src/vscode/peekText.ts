import { nameOf } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import { permissionLines } from "./permission.ts";
import { plain, plainLines } from "./plainText.ts";
import { describe } from "./rowWords.ts";

/** What is peeked at, as a document: who it is, its last screen or messages, and what it asks for, whole. */
export function peekText(session: Session, screen: string | undefined, at: Date): string {
  const { run } = session;
  const line = "─".repeat(72);
  const asked = run?.asks && screen?.includes(run.asks.input) !== true ? [line, ...permissionLines(run.asks)] : [];
  const shown = screen === undefined ? nothingOf(session) : plainLines(screen).trimEnd();
  const head = [
    `${plain(nameOf(session))}   ${plain(describe(session, at.getTime()))}`,
    `Read only, as it was at ${at.toLocaleTimeString()}. Peek again to read it anew.`,
  ];
  return [...head, line, shown, ...asked, ""].join("\n");
}

function nothingOf({ run }: Session): string {
  return run?.host.kind === "server"
    ? "There is nothing to be had: its server gave no message of it."
    : "There is no screen to be had: it runs in no tmux pane.";
}
