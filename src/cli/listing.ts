import { familiesOf, groupSessions, isAutomation } from "../core/groups.ts";
import type { Snapshot } from "../core/roster.ts";
import { statusWords } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";

/** The tree in plain lines: groups in their one order, a row a session and below it what it has begun, then what could not be reached. */
export function listingOf({ sessions, unreachable, notices }: Snapshot): string {
  const families = familiesOf(sessions);
  const roots = [...families.keys()];
  const automation = roots.filter(isAutomation);
  const groups = groupSessions(
    roots.filter((session) => !isAutomation(session)),
    "status",
  );
  const rowsOf = (root: Session): readonly string[] => [`  ${rowOf(root)}`, ...(families.get(root) ?? []).map((below) => `    ${rowOf(below)}`)];
  const lines = [
    ...groups.flatMap((group) => [`${group.name}  ${group.sessions.length}`, ...group.sessions.flatMap(rowsOf)]),
    ...(automation.length > 0 ? [`Automation  ${automation.length}`] : []),
    ...(sessions.length === 0 ? ["No agent session was found: no living agent of yours, and none in the ledger."] : []),
    ...unreachable.map(({ place, reason }) => `! ${place}: ${reason}`),
    ...notices.map(({ sentence }) => `! ${sentence}`),
  ];
  return lines.map((line) => plain(line).replaceAll("\n", " ")).join("\n");
}

function rowOf({ key, title, agent, cwd, status }: Session): string {
  return [title, [agent, cwd?.split("/").at(-1)].filter(Boolean).join(" · "), `${statusWords[status.value]} (${status.seen})`, key].join("  ");
}

/** Titles are hostile text: no escapes and no changes of writing direction reach the terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, "");
}
