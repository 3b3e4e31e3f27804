import { descendantsOf } from "../../core/census.ts";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Remnant } from "../../core/ladder.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Machine } from "../../system/machine.ts";
import type { Message, RunningTool } from "./client.ts";
import type { ServerLook } from "./look.ts";

/** What a session's tools run. `left`: what carries the server's mark and has gone out of its tool's reach; it may be meant to stay. */
export interface ToolChildren {
  readonly own: readonly ProcessEntry[];
  readonly left: readonly ProcessEntry[];
}

/** What a turn is doing, as its messages tell it. */
export interface Doing {
  readonly tools: readonly RunningTool[];
  readonly since: number;
}

export async function doingOf(ids: Iterable<string>, directory: string, { server: { client } }: ServerLook, signal: AbortSignal): Promise<Doing> {
  const answers = await Promise.all([...ids].map((id) => client.messages(id, directory, 4, signal)));
  const last: readonly Message[] = answers.flatMap((answer) => (answer.kind === "ok" ? answer.value : [])).filter(({ isFinished }) => !isFinished);
  const tools = last.flatMap(({ runningTools }) => runningTools);
  return { tools, since: Math.min(...last.map(({ createdAt }) => createdAt), Date.now()) };
}

/**
 * OpenCode 1.18.33 makes each command of a tool the leader of a session of its own, below the server, and marks it with OPENCODE_PID; the session that it is
 * for stands nowhere. So it is told by its command and folder, or by being the only one at work (`isAlone`); what could be another's is nobody's.
 */
export async function toolChildrenOf(
  server: ProcessIdentity,
  { tools, since }: Doing,
  of: { readonly directory: string; readonly isAlone: boolean },
  machine: Machine,
  census: Pick<Census, "processes">,
): Promise<ToolChildren> {
  const serverEntry = census.processes?.get(server.pid);
  const began = [...(census.processes?.values() ?? [])].filter(
    (entry) => isLiving(entry) && entry.uid === serverEntry?.uid && (entry.startedAt ?? since) >= since - clockGrainMs,
  );
  const marked = await only(began, async ({ identity }) => (await machine.environmentOf(identity)).get("OPENCODE_PID") === String(server.pid));
  const leaders = marked.filter(({ identity, sessionId, parentPid }) => sessionId === identity.pid && parentPid === server.pid);
  const tops = of.isAlone ? leaders : await only(leaders, async (entry) => isRunBy(entry, await machine.cwdOf(entry.identity), tools, of.directory));
  const below = descendantsOf(tops, census);
  const reached = new Set(tops.map(({ sessionId }) => sessionId));
  const own = [...tops, ...below.filter(({ sessionId }) => reached.has(sessionId))];
  const gone = below.filter((entry) => isLiving(entry) && !reached.has(entry.sessionId));
  // What has left already is below nobody: only its command can tell whose it was.
  const orphans = marked.filter((entry) => entry.parentPid !== server.pid && !below.includes(entry) && isPartOf(entry, tools));
  return { own, left: [...new Set([...gone, ...orphans])] };
}
/** A process's start is told in hundredths of a second, a message's by another clock. */
const clockGrainMs = 1_000;

function isRunBy({ argv }: ProcessEntry, cwd: string | undefined, tools: readonly RunningTool[], directory: string): boolean {
  return tools.some(({ input }) => {
    const command = typeof input["command"] === "string" ? input["command"].trim() : undefined;
    const folder = typeof input["workdir"] === "string" ? input["workdir"] : directory;
    // A simple command is what the process itself executes; others are a shell's argument.
    return command !== undefined && command !== "" && cwd === folder && (argv.join(" ") === command || argv.at(-1)?.trim() === command);
  });
}

function isPartOf({ argv }: ProcessEntry, tools: readonly RunningTool[]): boolean {
  const words = argv.join(" ");
  return words !== "" && tools.some(({ input }) => typeof input["command"] === "string" && input["command"].includes(words));
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
