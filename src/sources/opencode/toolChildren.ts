import { ancestorsOf, descendantsOf } from "../../core/census.ts";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Remnant } from "../../core/ladder.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Machine } from "../../system/machine.ts";
import type { RunningTool } from "./client.ts";
import type { ServerLook } from "./look.ts";

/** What a session's tools run. `left`: what carries the server's mark and has gone out of its tool's reach; it may be meant to stay. */
export interface ToolChildren {
  readonly own: readonly ProcessEntry[];
  readonly left: readonly ProcessEntry[];
}

/** What a turn is doing, as its messages tell it. */
export interface Doing {
  readonly tools: readonly RunningTool[];
  /** What others run at the same time on that server: of a command that both have, nobody can tell whose a process is. */
  readonly others: readonly RunningTool[];
  readonly since: number;
}

/** Of the sessions that are at work there: those of the family, and the rest. */
export async function doingOf(
  family: ReadonlySet<string>,
  atWork: readonly { readonly id: string; readonly directory: string }[],
  { server: { client } }: ServerLook,
  signal: AbortSignal,
): Promise<Doing> {
  const read = await Promise.all(atWork.map(async ({ id, directory }) => ({ id, directory, answer: await client.messages(id, directory, 4, signal) })));
  const open = read.flatMap(({ id, directory, answer }) =>
    (answer.kind === "ok" ? answer.value : []).filter(({ isFinished }) => !isFinished).map((message) => ({ id, directory, message })),
  );
  const toolsOf = (which: typeof open): readonly RunningTool[] =>
    which.flatMap(({ directory, message }) => message.runningTools.map(({ tool, input }) => ({ tool, input: { workdir: directory, ...input } })));
  const own = open.filter(({ id }) => family.has(id));
  const since = Math.min(...own.map(({ message }) => message.createdAt), Date.now());
  return { tools: toolsOf(own), others: toolsOf(open.filter(({ id }) => !family.has(id))), since };
}

/**
 * OpenCode 1.18.33 makes each command of a tool the leader of a session of its own, below the server, and marks it with OPENCODE_PID; the session that it is
 * for stands nowhere. So it is told by its command and folder: what could be another's is nobody's, and neither is a terminal that a person has opened there.
 */
export async function toolChildrenOf(
  server: ProcessIdentity,
  { tools, others, since }: Doing,
  machine: Machine,
  census: Pick<Census, "processes">,
): Promise<ToolChildren> {
  const own = tools.filter((tool) => !others.some((other) => isSameCommand(tool, other)));
  if (own.length === 0) return { own: [], left: [] };
  const uid = census.processes?.get(server.pid)?.uid;
  const began = [...(census.processes?.values() ?? [])].filter(
    (entry) => isLiving(entry) && entry.uid === uid && (entry.startedAt ?? since) >= since - clockGrainMs,
  );
  const marked = await only(began, async ({ identity }) => (await machine.environmentOf(identity)).get("OPENCODE_PID") === String(server.pid));
  const leaders = marked.filter(({ identity, sessionId, parentPid }) => sessionId === identity.pid && parentPid === server.pid);
  const tops = await only(leaders, async (entry) => isRunBy(entry, await machine.cwdOf(entry.identity), own));
  const below = descendantsOf(tops, census);
  const reached = new Set(tops.map(({ sessionId }) => sessionId));
  const gone = below.filter((entry) => isLiving(entry) && !reached.has(entry.sessionId));
  // What has left already is below nobody: only its command can tell whose it was.
  const orphans = marked.filter((entry) => entry.parentPid !== server.pid && !below.includes(entry) && isPartOf(entry, own));
  return { own: [...tops, ...below.filter(({ sessionId }) => reached.has(sessionId))], left: [...new Set([...gone, ...orphans])] };
}
/** A process's start is told in hundredths of a second, from when the machine was started, which is a whole one; a message's by another clock. */
const clockGrainMs = 1_500;

/** Whether this very program runs below a tool of that turn: who asks for an end would be cut off by it. */
export async function runsUs(server: ProcessIdentity, { tools }: Doing, machine: Machine, census: Pick<Census, "processes">): Promise<boolean> {
  const top = ancestorsOf(process.pid, census).find(({ parentPid }) => parentPid === server.pid);
  return top !== undefined && isRunBy(top, await machine.cwdOf(top.identity), tools);
}

function isRunBy({ argv }: ProcessEntry, cwd: string | undefined, tools: readonly RunningTool[]): boolean {
  return tools.some((tool) => {
    const { command, folder } = wordsOf(tool);
    // A simple command is what the process itself executes; others are a shell's argument.
    return command !== "" && cwd === folder && (bare(argv.join(" ")) === command || bare(argv.at(-1) ?? "") === command);
  });
}

function isPartOf({ argv }: ProcessEntry, tools: readonly RunningTool[]): boolean {
  const words = bare(argv.join(" "));
  return words !== "" && tools.some((tool) => wordsOf(tool).command.includes(words));
}

function isSameCommand(a: RunningTool, b: RunningTool): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  return one.folder === other.folder && one.command === other.command;
}

function wordsOf({ input }: RunningTool): { readonly command: string; readonly folder: unknown } {
  return { command: typeof input["command"] === "string" ? bare(input["command"]) : "", folder: input["workdir"] };
}

/** The shell takes the quotes off. */
function bare(words: string): string {
  return words.replaceAll(/["'\\]/g, "").trim();
}

async function only(entries: readonly ProcessEntry[], keep: (entry: ProcessEntry) => Promise<boolean>): Promise<readonly ProcessEntry[]> {
  const kept = await Promise.all(entries.map(async (entry) => ((await keep(entry)) ? [entry] : [])));
  return kept.flat();
}

function isLiving({ state }: ProcessEntry): boolean {
  return state !== "zombie";
}

export function remnantOf(entry: ProcessEntry, bond: "tree" | "environment"): Remnant {
  const name = (entry.program?.file ?? entry.argv[0] ?? "process").split("/").at(-1) || "process";
  return { kind: "process", process: entry.identity, name, bond };
}
