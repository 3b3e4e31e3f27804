import type { Agent, Recognised } from "../../src/core/agent.ts";
import type { Census, Pane, ProcessEntry } from "../../src/core/census.ts";
import { suspectsOf } from "../../src/core/orphans.ts";
import type { Seen } from "../../src/core/orphanProtection.ts";
import type { Suspect } from "../../src/core/orphans.ts";
import type { Session } from "../../src/core/session.ts";
import { aRun, aSession, anAgent, anEntry, censusOf, pid } from "./facets.ts";

export const ours = 500;
const us = anEntry(pid(ours, "500"), { parentPid: 499, argv: ["session-warden"] });

const roles: Readonly<Record<string, Recognised>> = {
  claude: { role: "agent", runsIn: "terminal" },
  "claude-daemon": { role: "daemon", runsIn: "automation" },
  opencode: { role: "server", runsIn: "appServer" },
};
const agents: readonly Agent[] = [
  anAgent({
    recognise: ({ argv: [name = ""] }) => (name.startsWith("claude") ? roles[name] : undefined),
    childMarks: (_run, of) => ({ CLAUDE_PID: String(of) }),
  }),
  anAgent({
    id: "opencode",
    name: "OpenCode",
    recognise: ({ argv: [name] }) => (name === "opencode" ? roles["opencode"] : undefined),
    childMarks: (_run, of) => ({ OPENCODE_PID: String(of) }),
  }),
  anAgent({
    id: "codex",
    name: "Codex",
    recognise: ({ argv: [name] }) => (name === "codex" ? { role: "agent", runsIn: "terminal" } : undefined),
    childMarks: ({ conversation }) => (conversation ? { CODEX_THREAD_ID: conversation.id } : {}),
  }),
];

/** What there is at a moment, beside this program. */
export interface Given {
  readonly entries: readonly ProcessEntry[];
  readonly marks?: Readonly<Record<number, Readonly<Record<string, string>>>>;
  readonly panes?: readonly Pane[];
  readonly sessions?: readonly Session[];
  readonly unreachable?: Seen["unreachable"];
}

export function suspects({ entries, marks = {}, panes = [], sessions = [], unreachable = [] }: Given): readonly Suspect[] {
  const census: Census = { ...censusOf(us, anEntry(pid(499, "2")), ...entries), panes };
  const environmentOf = ({ identity }: ProcessEntry) => new Map(Object.entries({ PATH: "/bin", ...marks[identity.pid] }));
  return suspectsOf({ census, sessions, unreachable, agents, environmentOf, ours });
}

export const told = (given: Given): readonly (readonly [pid: number, why: string, protection: string | undefined])[] =>
  suspects(given).map(({ process, why, protection }) => [process.pid, why, protection]);

export const child = anEntry(pid(70, "70"), { argv: ["/bin/sleep", "600"] });
export const marked = { 70: { OPENCODE_PID: "60" } };
export const tmux = { TMUX: "/tmp/t,5,0", TMUX_PANE: "%3" };
export const server = anEntry(pid(5, "5"), { argv: ["tmux"], parentPid: 499 });

export const lone = aSession(aRun());
export const agent = anEntry(pid(41), { argv: ["claude"] });
