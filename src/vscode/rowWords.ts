import type { Session } from "../core/session.ts";
import { shortAge } from "../core/ageWords.ts";
import { ageMsOf } from "./ages.ts";
import { plain } from "./plainText.ts";

/** "claude · app · 4m", and after a gap why it is what it is, and where. */
export function describe(session: Session, now: number): string {
  const { agent, cwd } = session;
  const age = ageMsOf(session, now);
  const who = [agent, cwd && plain(folderName(cwd)), age !== undefined && shortAge(age)].filter(Boolean).join(" · ");
  return [who, plain(whyOf(session)), whereOf(session)].filter((words) => words !== "").join("   ");
}

/** Where a status by itself says all, nothing is added. */
function whyOf({ status, doubt, run }: Session): string {
  if (doubt) return doubt.why;
  // The agent has left, and something of it lives on.
  if (run?.source === "ledger") return status.seen;
  switch (status.value) {
    case "idle":
    case "open":
    case "working":
      return "";
    case "needsInput":
    case "stuck":
    case "unknown":
    case "exited":
    case "stopped":
    case "purged":
    case "archived":
      return status.seen;
  }
}

export function whereOf({ run }: Session): string {
  if (run?.runsIn === "panel") return "in an editor's panel";
  if (run?.runsIn === "appServer") return "in an app server";
  const pane = run?.host.kind === "process" ? run.host.pane : undefined;
  return pane ? `tmux ${plain(pane.sessionName)}:${pane.windowIndex}` : "";
}

/** "On http://127.0.0.1:4096", where a server runs it. */
export function serverOf({ run }: Session): string {
  return run?.host.kind === "server" ? `On ${plain(run.host.url)}` : "";
}

export function folderName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}
