import type { Agent, LiveEntry, Told } from "../../core/agent.ts";
import { ancestorsOf } from "../../core/census.ts";
import type { Census, Pane, ProcessEntry } from "../../core/census.ts";
import type { Evidence } from "../../core/evidence.ts";
import type { Activity, Liveness, Run } from "../../core/facet.ts";
import type { Unreachable } from "../../core/notice.ts";
import { isSameProcess, wordOf } from "../../core/process.ts";
import type { Machine } from "../../system/machine.ts";
import { gatherFaults } from "./faults.ts";
import type { Faults } from "./faults.ts";
import { agentProcesses, whyElsewhere } from "../recognised.ts";
import type { AgentProcess } from "../recognised.ts";

/** The place of everything that the process table tells: the unit that can fall silent. */
export const processTable = "process table";

export interface RunsReading {
  readonly runs: readonly Run[];
  /** By agent, the folders that were read for living sessions. */
  readonly homes: ReadonlyMap<Agent, readonly string[]>;
  /** By agent or run, what of it could not be read: its process is shown all the same. */
  readonly unreachable: readonly Unreachable[];
}

/** Every agent that executes here, once: what its own live registry says goes before what its process shows. */
export async function readRuns(
  census: Census,
  agents: readonly Agent[],
  machine: Machine,
  namedHomes: readonly string[],
  signal: AbortSignal,
): Promise<RunsReading> {
  const faults = gatherFaults(signal);
  const withHome = async (each: AgentProcess): Promise<Housed> => {
    const fault = { place: placeOf(each), what: "its environment can't be read" };
    const environment = await faults.orElse(() => machine.environmentOf(each.entry.identity), new Map<string, string>(), fault);
    return { ...each, configHome: each.agent.configHomeOf(environment), temporaryFolder: each.agent.temporaryFolderOf?.(environment) };
  };
  const recognised = await Promise.all(agentProcesses(census, agents).map(withHome));
  const homes = new Map(agents.map((agent) => [agent, homesOf(agent, namedHomes, recognised)] as const));
  const liveIn = (agent: Agent): Promise<readonly LiveEntry[]> =>
    faults.orElse(() => agent.readLive?.(homes.get(agent) ?? [], census, signal), [], {
      place: agent.name,
      what: "its list of living sessions can't be read",
    });
  const live = (await Promise.all(agents.map(liveIn))).flat();

  const isRecognised = (entry: LiveEntry): boolean => recognised.some((each) => isSameProcess(entry.process, each.entry.identity));
  const others = live.filter((entry) => entry.liveness.value !== "gone" && !isRecognised(entry));
  const vouchedFor = await Promise.all(others.flatMap((entry) => processOfEntry(entry, census, agents) ?? []).map(withHome));
  const elsewhere = others.filter((entry) => !processOfEntry(entry, census, agents));

  const liveOf = ({ entry }: AgentProcess): LiveEntry | undefined => live.find((each) => isSameProcess(each.process, entry.identity));
  const here = await Promise.all([...recognised, ...vouchedFor].map((each) => runOf(each, liveOf(each), { census, machine, faults, signal })));
  const runs = [...here.map((run) => withThoseBelow(run, here, census)), ...elsewhere.map((entry) => runElsewhere(entry, census))];
  return { runs, homes, unreachable: faults.unreachable };
}

interface Look {
  readonly census: Census;
  readonly machine: Machine;
  readonly faults: Faults;
  readonly signal: AbortSignal;
}

function placeOf({ agent, entry }: AgentProcess): string {
  return `${agent.name} (${entry.identity.pid})`;
}

/** An agent that another one started ends with it. */
function withThoseBelow(run: Run, all: readonly Run[], census: Census): Run {
  const alsoEnds = all.flatMap(({ agent, host }) => {
    const isBelow = host.kind === "process" && run.host.kind === "process" && isUnder(host.process.pid, run.host.process.pid, census);
    return isBelow ? [`${agent ?? "process"} (${host.process.pid})`] : [];
  });
  return alsoEnds.length > 0 ? { ...run, alsoEnds } : run;
}

function isUnder(pid: number, top: number, census: Census): boolean {
  return pid !== top && ancestorsOf(pid, census).some(({ identity }) => identity.pid === top);
}

interface Housed extends AgentProcess {
  readonly configHome: string | undefined;
  readonly temporaryFolder: string | undefined;
}

/** An executable that we don't recognise, but which the agent's own live file names with its start time. */
function processOfEntry(live: LiveEntry, census: Census, agents: readonly Agent[]): AgentProcess | undefined {
  const entry = live.liveness.value === "alive" ? census.processes?.get(live.process.pid) : undefined;
  const agent = agents.find(({ id }) => id === live.agent);
  return entry && agent && { entry, agent, as: { role: "agent", runsIn: live.runsIn } };
}

function homesOf(agent: Agent, named: readonly string[], found: readonly Housed[]): readonly string[] {
  const own = agent.configHomeOf(new Map(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))));
  const inUse = found.filter((each) => each.agent === agent).map(({ configHome }) => configHome);
  return [...new Set([own, ...named, ...inUse].flatMap((home) => home ?? []))];
}

async function runOf(each: Housed, live: LiveEntry | undefined, { census, machine, faults, signal }: Look): Promise<Run> {
  const { entry, agent, as, configHome, temporaryFolder } = each;
  const orElse = <T>(reading: () => Promise<T> | undefined, otherwise: T, what: string): Promise<T> =>
    faults.orElse(reading, otherwise, { place: placeOf(each), what });
  const pane = paneOf(entry, census);
  const cwd = live?.cwd ?? (await orElse(() => machine.cwdOf(entry.identity), undefined, "its folder can't be read"));
  const startedAt = live?.startedAt ?? entry.startedAt;
  const bare: Run = {
    ...frame(entry.identity, census),
    agent: agent.id,
    liveness: livenessOf(entry, census),
    activity: { value: "silent", seen: "nothing reports its activity", at: census.at },
    runsIn: as.runsIn === "automation" ? "automation" : (live?.runsIn ?? as.runsIn),
    host: { kind: "process", process: entry.identity, ...(pane && { pane }) },
    ...(cwd !== undefined && { cwd }),
    ...(startedAt !== undefined && { startedAt }),
    ...(configHome !== undefined && { configHome }),
  };
  const told: Told = live
    ? { ...live, pidFile: live.file }
    : await orElse(() => agent.tellOf?.(bare, census, signal), {}, "what it tells of itself can't be read");
  const conversation =
    told.conversation && (await orElse(() => withResumable(told.conversation, agent, cwd, signal), told.conversation, "its transcript can't be looked for"));
  const title = told.title ?? (pane && ownsTitle(pane, entry) ? agent.nameInTitle?.(pane.title) : undefined);
  const activity = activityOf(bare, entry, told, agent, pane);
  return {
    ...bare,
    activity,
    ...(told.idleSince !== undefined && activity.value === "idle" && { idleSince: told.idleSince }),
    ...(conversation && { conversation: { ...conversation, ...(temporaryFolder !== undefined && { temporaryFolder }) } }),
    ...(title !== undefined && { title: cut(title) }),
    ...(told.pidFile !== undefined && { pidFile: told.pidFile }),
  };
}

/** Named by the agent's own live file, and living where its pid means nothing here. */
function runElsewhere(live: LiveEntry, census: Census): Run {
  const { agent, liveness, conversation, activity, runsIn, title, cwd, startedAt } = live;
  return {
    ...frame(live.process, census),
    agent,
    liveness,
    conversation,
    activity,
    runsIn,
    host: { kind: "process", process: live.process },
    ...(title !== undefined && { title: cut(title) }),
    ...(cwd !== undefined && { cwd }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

function frame(identity: ProcessEntry["identity"], { here }: Census): Pick<Run, "kind" | "key" | "source" | "place"> {
  const elsewhere = identity.pidNamespace !== undefined && identity.pidNamespace !== here.pidNamespace ? `${identity.pidNamespace.replace(/\D/g, "")}-` : "";
  return { kind: "run", key: `process:${elsewhere}${wordOf(identity)}`, source: "process", place: processTable };
}

function livenessOf(entry: ProcessEntry, census: Census): Evidence<Liveness> {
  const elsewhere = whyElsewhere(entry, census);
  return { value: elsewhere === undefined ? "alive" : "unknown", seen: elsewhere ?? `process ${entry.identity.pid}`, at: census.at };
}

/** While the agent has the keyboard: what is there before and after it has titles too, and a killed one leaves its own. */
function ownsTitle(pane: Pane, entry: ProcessEntry): boolean {
  return pane.state === "alive" && entry.isForeground;
}

/** A title may be a whole prompt. */
function cut(title: string): string {
  return title.length <= longestTitle ? title.toWellFormed() : `${title.slice(0, longestTitle - 1).toWellFormed()}…`;
}
const longestTitle = 200;

/** The agent's own word first. */
function activityOf({ activity: silent }: Run, entry: ProcessEntry, told: Told, agent: Agent, pane: Pane | undefined): Evidence<Activity> {
  if (entry.state === "stopped") return { ...silent, seen: "suspended in its shell" };
  if (told.activity && told.activity.value !== "silent") return told.activity;
  const shown = pane && ownsTitle(pane, entry) ? agent.activityOfTitle?.(pane.title) : undefined;
  return shown === undefined
    ? (told.activity ?? silent)
    : { ...silent, value: shown, seen: shown === "needsInput" ? "its title asks for an answer" : "its title" };
}

async function withResumable(conversation: Told["conversation"], agent: Agent, cwd: string | undefined, signal: AbortSignal): Promise<Told["conversation"]> {
  if (!conversation || conversation.resumable) return conversation;
  return { ...conversation, resumable: await agent.canResume(conversation, cwd, signal) };
}

/** The pane whose process is above the agent, on the same terminal. Not by TMUX_PANE: every daemon that was started there inherits it. */
function paneOf(entry: ProcessEntry, census: Census): Pane | undefined {
  const above = ancestorsOf(entry.identity.pid, census);
  return census.panes.find(({ pid }) => above.some((ancestor) => ancestor.identity.pid === pid && ancestor.tty === entry.tty && entry.tty !== undefined));
}
