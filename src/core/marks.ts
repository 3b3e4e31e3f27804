import { agentOf } from "./agent.ts";
import type { Agent } from "./agent.ts";
import type { Census, ProcessEntry } from "./census.ts";
import type { Run } from "./facet.ts";
import { findOtherHeir, findSilentServer, findTmuxServer } from "./handedOn.ts";
import type { Marked } from "./handedOn.ts";
import { nameOfProcess } from "./processWords.ts";
import { startOrder } from "./startOrder.ts";

/** What became of whoever a process was started by, as the marks in its environment tell it. `why` goes on from "it was": "left behind by OpenCode (4121), which is gone". */
export interface Fate {
  readonly kind: "gone" | "lives" | "unknown";
  /** Whose mark it is. A pane is a person's as well as an agent's. */
  readonly of: "agent" | "pane";
  readonly why: string;
  /** Where its pane is closed or dead: the server that goes on as the parent of what it ran there. */
  readonly tmuxPid?: number;
}

/** A variable that an agent gives to what it starts: it names the agent's own pid, or only the conversation. */
interface Mark {
  readonly agent: Agent;
  readonly variable: string;
  readonly names: "pid" | "conversation";
}

/**
 * Undefined: it carries no mark. An agent's mark goes before its pane's: one that lives outside the pane it was started in has not been left. A bare pid is
 * nobody's name: whoever has it now is the starter only if it is no younger than what was started, and looks like it.
 */
export function fateOf(entry: ProcessEntry, marked: Marked): Fate | undefined {
  const environment = marked.environmentOf(entry);
  const server = findTmuxServer(environment, entry, marked.census);
  const ofServer = server ? marked.environmentOf(server) : new Map<string, string>();
  const byAgents = marksOf(marked.agents).flatMap((mark) => {
    const value = environment.get(mark.variable);
    const fate = value ? fateOfMark(mark, value, entry, marked.census) : undefined;
    if (!value || fate?.kind !== "gone") return fate ?? [];
    // All that anybody starts in that server has it.
    if (ofServer.get(mark.variable) === value) return [];
    const why = whyAnybodys(mark, value, entry, marked);
    return why === undefined ? [fate] : [{ ...fate, kind: "unknown" as const, why }];
  });
  for (const kind of ["lives", "unknown", "gone"] as const) {
    const told = byAgents.find((fate) => fate.kind === kind);
    if (told) return told;
  }
  // A server that was started in a pane of another has that one's number.
  return ofServer.get("TMUX_PANE") === environment.get("TMUX_PANE") ? undefined : fateOfPane(environment, entry, marked.census);
}

function whyAnybodys({ agent, variable }: Mark, value: string, entry: ProcessEntry, marked: Marked): string | undefined {
  const silent = findSilentServer(entry, marked);
  const heir = silent ?? findOtherHeir(variable, value, entry, marked);
  const reason = silent ? "whose environment can't be read" : "which lives and has the same mark";
  return heir && `started by ${agent.name}, or by anybody in ${nameOfProcess(heir)} (${heir.identity.pid}), ${reason}`;
}

function marksOf(agents: readonly Agent[]): readonly Mark[] {
  return agents.flatMap((agent) =>
    Object.entries(agent.childMarks?.({ ...nobody, conversation: { agent: agent.id, id: "any", toldBy: "agent" } }, probe) ?? {}).map(([variable, value]) => ({
      agent,
      variable,
      names: value === String(probe) ? ("pid" as const) : ("conversation" as const),
    })),
  );
}
const probe = 4_194_305;
const nobody: Run = {
  kind: "run",
  key: "process:none",
  source: "process",
  place: "",
  liveness: { value: "unknown", seen: "", at: 0 },
  activity: { value: "silent", seen: "", at: 0 },
  runsIn: "terminal",
  host: { kind: "process", process: { pid: probe, start: { kind: "untold" } } },
};

function fateOfMark({ agent, names }: Mark, value: string, entry: ProcessEntry, census: Census): Fate | undefined {
  if (names === "conversation") return fateOfAny(agent, entry, census);
  const pid = Number(value);
  return Number.isInteger(pid) && pid > 0 ? fateOfAgent(pid, agent, entry, census) : undefined;
}

function fateOfAgent(pid: number, agent: Agent, child: ProcessEntry, census: Census): Fate {
  const who = `${agent.name} (${pid})`;
  const now = holderOf(pid, child, census);
  switch (now.kind) {
    case "nobody":
      return { kind: "gone", of: "agent", why: `left behind by ${who}, which is gone` };
    case "younger":
      return { kind: "gone", of: "agent", why: `left behind by ${who}, which is gone: that pid is by now another process's, which began later` };
    case "unclear":
      return { kind: "unknown", of: "agent", why: `started by ${who}, and whether that still lives can't be known` };
    case "older":
      return agentOf(now.entry, [agent])
        ? { kind: "lives", of: "agent", why: `started by ${who}, which lives` }
        : { kind: "unknown", of: "agent", why: `started by ${who}, and what has that pid now is not known to be it` };
  }
}

/** Where no pid is named: nobody who began later has started it. */
function fateOfAny(agent: Agent, child: ProcessEntry, { processes }: Census): Fate {
  const living = [...(processes?.values() ?? [])].find(
    (entry) => entry.identity.pid !== child.identity.pid && agentOf(entry, [agent]) !== undefined && (startOrder(entry, child) ?? 0) <= 0,
  );
  if (living || !processes) {
    const who = living ? `${agent.name} (${living.identity.pid}) lives, which may have` : "whether that lives can't be known";
    return { kind: "unknown", of: "agent", why: `started by ${agent.name}, and ${who}` };
  }
  return { kind: "gone", of: "agent", why: `left behind by ${agent.name}, which is gone: none that lives is old enough to have started it` };
}

/** tmux counts panes upward for as long as its server lives: what is not listed any more is closed. */
function fateOfPane(environment: ReadonlyMap<string, string>, child: ProcessEntry, census: Census): Fate | undefined {
  const id = environment.get("TMUX_PANE");
  const [, socket = "", serverPid = ""] = /^(.+),(\d+),\d+$/.exec(environment.get("TMUX") ?? "") ?? [];
  if (!id || !/^%\d+$/.test(id) || socket === "") return undefined;
  const where = `tmux pane ${id} of ${socket}`;
  const server = Number(serverPid);
  const now = holderOf(server, child, census);
  if (now.kind === "nobody" || now.kind === "younger") return { kind: "gone", of: "pane", why: `left behind in ${where}, whose server (${server}) is gone` };
  const panes = census.panes.filter((pane) => pane.server.pid === server);
  const pane = panes.find((each) => each.id === id);
  if (pane)
    return pane.state === "alive"
      ? { kind: "lives", of: "pane", why: `started in ${where}, which is open` }
      : { kind: "gone", of: "pane", why: `left behind in ${where}, which is dead`, tmuxPid: server };
  if (panes.length > 0) return { kind: "gone", of: "pane", why: `left behind in ${where}, which is closed`, tmuxPid: server };
  return { kind: "unknown", of: "pane", why: `started in ${where}, and that server's panes can't be listed` };
}

type Holder = { readonly kind: "nobody" | "younger" | "unclear" } | { readonly kind: "older"; readonly entry: ProcessEntry };

/** Who has that pid now. Whoever began after the child never started it. */
function holderOf(pid: number, child: ProcessEntry, { processes }: Census): Holder {
  const entry = processes?.get(pid);
  if (!processes) return { kind: "unclear" };
  if (!entry || entry.state === "zombie") return { kind: "nobody" };
  const order = startOrder(entry, child);
  if (order === undefined || entry.identity.pid === child.identity.pid) return { kind: "unclear" };
  return order > 0 ? { kind: "younger" } : { kind: "older", entry };
}
