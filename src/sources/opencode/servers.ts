import pLimit from "p-limit";
import type { Census } from "../../core/census.ts";
import type { Unreachable } from "../../core/notice.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { wordOf } from "../../core/process.ts";
import { originOf } from "../../system/listeningPorts.ts";
import { probe } from "./client.ts";
import type { Client, Login, Probed } from "./client.ts";
import { isOnThisMachine, originIn } from "./origin.ts";
import type { OpencodeProcess } from "./processes.ts";
import { findService } from "./service.ts";

/** A server that answers. */
export interface Server {
  readonly origin: string;
  readonly client: Client;
  readonly login: Login | undefined;
  /** Of this user, and recognised as OpenCode; undefined for what runs elsewhere. */
  readonly process: ProcessIdentity | undefined;
  readonly role: OpencodeProcess["role"] | undefined;
  readonly startedAt: number | undefined;
  readonly database: string | undefined;
}

export interface ServersFound {
  readonly servers: readonly Server[];
  readonly unreachable: readonly Unreachable[];
}

/** Where passwords are kept. One belongs to one origin. */
export interface Passwords {
  of(origin: string): Promise<Login | undefined>;
  /** A person has named this origin together with the password: it may go there, whoever listens. */
  isMeantFor(origin: string): boolean;
}

export type FindServers = (processes: readonly OpencodeProcess[], census: Census, signal: AbortSignal) => Promise<ServersFound>;

interface Found {
  readonly probed: Probed;
  /** That it asks for. */
  readonly login: Login | undefined;
}

interface Candidate {
  readonly origin: string;
  readonly process: OpencodeProcess | undefined;
  /** A person named it, or it is there for certain: that it does not answer is worth a word. */
  readonly isExpected: boolean;
  readonly login?: Login;
}

/** Those of the process table, of the settings, of port 4096, and the 2.x service. What was found behind an origin is remembered as long as its process lives, or for a while. */
export function openServerFinder(configured: readonly string[], passwords: Passwords): FindServers {
  let known = new Map<string, { readonly found: Found; readonly password: string | undefined; readonly at: number }>();
  const limit = pLimit(4);

  return async (processes, census, signal) => {
    const candidates = candidatesOf(processes, configured, await findService(processes));
    const probed = await Promise.all(candidates.map((candidate) => limit(() => look(candidate, census, signal))));
    // Who has just begun may be about to answer.
    const isBeginning = ({ process }: Candidate): boolean => process !== undefined && census.at - (process.entry.startedAt ?? 0) < beginsWithinMs;
    known = new Map(probed.flatMap(({ key, entry, candidate }) => (entry.found.probed.kind === "silent" && isBeginning(candidate) ? [] : [[key, entry]])));
    return {
      servers: probed.flatMap(({ candidate, entry }) => serverOf(candidate, entry.found) ?? []),
      unreachable: [
        ...probed.flatMap(({ candidate, entry }) => whyNot(candidate, entry.found) ?? []),
        ...configured
          .filter((told) => originIn(told) === undefined)
          .map((told): Unreachable => ({ place: told, reason: "is no address of a server, like http://127.0.0.1:4096", remedy: "openSettings" })),
      ],
    };
  };

  async function look(candidate: Candidate, { at }: Census, signal: AbortSignal) {
    const { origin, process } = candidate;
    const key = `${origin} ${process ? wordOf(process.entry.identity) : ""}`;
    const kept = await loginFor(candidate);
    const before = known.get(key);
    const isYoung = before && at - before.at < (before.found.probed.kind === "silent" ? silentMs : keptMs);
    const isLasting = process !== undefined && before?.found.probed.kind !== "silent";
    const isKept = before && before.password === kept?.password && (isLasting || isYoung);
    const entry = isKept ? before : { found: await probeWith(candidate, kept, signal), password: kept?.password, at };
    return { candidate, key, entry };
  }

  /** Without a password first: who needs none is sent none, now or later. */
  async function probeWith({ origin, process }: Candidate, login: Login | undefined, signal: AbortSignal): Promise<Found> {
    const open = await probe(origin, undefined, signal);
    const found = open.kind === "locked" && login ? { probed: await probe(origin, login, signal), login } : { probed: open, login: undefined };
    // A 2.x server tells its pid: another's, and something stands between us and the process that we know.
    const isAnother =
      found.probed.kind === "server" && found.probed.pid !== undefined && process !== undefined && found.probed.pid !== process.entry.identity.pid;
    return isAnother ? { probed: { kind: "notOpencode" }, login: undefined } : found;
  }

  /** Unasked only to a listener that is ours. On this machine anybody may sit on a port; a server elsewhere was named by a person. */
  async function loginFor({ origin, process, login }: Candidate): Promise<Login | undefined> {
    if (login) return login;
    return process || !isOnThisMachine(origin) || passwords.isMeantFor(origin) ? passwords.of(origin) : undefined;
  }
}
const keptMs = 30_000;
const silentMs = 10_000;
const beginsWithinMs = 15_000;

function candidatesOf(processes: readonly OpencodeProcess[], configured: readonly string[], service: Candidate | undefined): readonly Candidate[] {
  const byOrigin = new Map<string, Candidate>();
  const listeners = processes.flatMap((process) => process.ports.map((port) => ({ origin: originOf(port), process })));
  for (const { origin, process } of listeners) byOrigin.set(origin, { origin, process, isExpected: process.role === "server" });
  if (service) byOrigin.set(service.origin, service);
  for (const told of configured) {
    const origin = originIn(told);
    if (origin !== undefined) byOrigin.set(origin, { origin, process: byOrigin.get(origin)?.process, isExpected: true });
  }
  if (!byOrigin.has(usual)) byOrigin.set(usual, { origin: usual, process: undefined, isExpected: false });
  return [...byOrigin.values()];
}
const usual = "http://127.0.0.1:4096";

function serverOf({ origin, process }: Candidate, { probed, login }: Found): Server | undefined {
  if (probed.kind !== "server") return undefined;
  const { identity, startedAt } = process?.entry ?? {};
  return { origin, client: probed.client, login, process: identity, role: process?.role, startedAt, database: process?.database };
}

function whyNot({ origin, isExpected, process }: Candidate, { probed, login }: Found): Unreachable | undefined {
  switch (probed.kind) {
    case "server":
      return undefined;
    case "locked":
      // Others ask for passwords too: without a process that is known, or a person's word, it may be anybody.
      if (!isExpected && !process) return undefined;
      return { place: origin, reason: login ? "does not take the password that is kept for it" : "is locked by a password", remedy: "enterPassword" };
    case "notOpencode":
      return isExpected && !process ? { place: origin, reason: "is not OpenCode", remedy: "openSettings" } : undefined;
    case "silent":
      return isExpected ? { place: origin, reason: probed.reason } : undefined;
  }
}
