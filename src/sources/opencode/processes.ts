import { realpath } from "node:fs/promises";
import { agentOf } from "../../core/agent.ts";
import type { Agent, Recognised } from "../../core/agent.ts";
import type { Census, ProcessEntry } from "../../core/census.ts";
import { wordOf } from "../../core/process.ts";
import type { Machine } from "../../system/machine.ts";
import type { ListeningPort } from "../../system/listeningPorts.ts";
import { whyElsewhere } from "../recognised.ts";

/** A process of this user's OpenCode, and where it listens. */
export interface OpencodeProcess {
  readonly entry: ProcessEntry;
  readonly role: Recognised["role"];
  /** Empty: it can't be asked, and what it runs is known to nobody else. */
  readonly ports: readonly ListeningPort[];
  readonly cwd: string | undefined;
  /** Its database: all that use one see the same sessions, and each runs its own. */
  readonly database: string | undefined;
}

export type FindProcesses = (census: Census, signal: AbortSignal) => Promise<readonly OpencodeProcess[]>;

/** What a process once listened on it still does; a young one may not have begun to. Each is read once, as long as it lives. */
export function openProcessFinder(agent: Agent, machine: Machine): FindProcesses {
  let known = new Map<string, OpencodeProcess>();

  return async (census, signal) => {
    const uid = process.getuid?.();
    const own = [...(census.processes?.values() ?? [])].filter((entry) => entry.uid === uid && whyElsewhere(entry, census) === undefined);
    const found = own.flatMap((entry) => {
      const role = agentOf(entry, [agent])?.as.role;
      return role === undefined || role === "launcher" || role === "command" ? [] : [{ entry, role }];
    });
    const read = await Promise.all(found.map(async ({ entry, role }) => known.get(wordOf(entry.identity)) ?? (await readOne(entry, role, signal))));
    const isSettled = ({ entry: { startedAt }, ports }: OpencodeProcess): boolean => ports.length > 0 || census.at - (startedAt ?? census.at) > listensWithinMs;
    known = new Map(read.filter(isSettled).map((each) => [wordOf(each.entry.identity), each]));
    return read;
  };

  async function readOne(entry: ProcessEntry, role: Recognised["role"], signal: AbortSignal): Promise<OpencodeProcess> {
    const { identity } = entry;
    const [ports, cwd, environment] = await Promise.all([machine.portsOf(identity, signal), machine.cwdOf(identity), machine.environmentOf(identity)]);
    return { entry, role, ports, cwd, database: await databaseOf(environment, agent, identity.pid) };
  }
}
const listensWithinMs = 15_000;

/** As 1.18.33 has it: `$OPENCODE_DB`, a path or a name in its folder, else `opencode.db` there. One in memory is nobody else's, and no file. */
export async function databaseOf(environment: ReadonlyMap<string, string>, agent: Agent, pid: number): Promise<string | undefined> {
  const folder = agent.configHomeOf(environment);
  const told = environment.get("OPENCODE_DB") || "opencode.db";
  if (told === ":memory:") return `the memory of ${pid}`;
  const path = told.startsWith("/") ? told : folder && `${folder}/${told}`;
  // One file has one name, however a home leads to it.
  return path && (await realpath(path).catch(() => path));
}
