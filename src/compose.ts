import { homedir } from "node:os";
import { realpath } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agents } from "./agents/agents.ts";
import { opencode } from "./agents/opencode/opencode.ts";
import { destinationsOf, seatOf } from "./core/destinations.ts";
import { isAutomation } from "./core/groups.ts";
import { Roster } from "./core/roster.ts";
import type { Session } from "./core/session.ts";
import type { Source } from "./core/source.ts";
import type { Places, Warden } from "./core/warden.ts";
import type { Settings } from "./settings.ts";
import { createEntireSource } from "./sources/entire/entireSource.ts";
import { openRepositories } from "./sources/entire/repositories.ts";
import { openLedger } from "./sources/ledger/ledgerSource.ts";
import { delegateEvents } from "./sources/mux/delegateEvents.ts";
import type { Login } from "./sources/opencode/client.ts";
import { createOpencodeSource } from "./sources/opencode/opencodeSource.ts";
import { originIn } from "./sources/opencode/origin.ts";
import { openOrphanFinder } from "./sources/process/orphanFinder.ts";
import { createProcessSource } from "./sources/process/processSource.ts";
import { createTrackingSource } from "./sources/tracking/trackingSource.ts";
import { findOnPath } from "./system/findOnPath.ts";
import { openJournal } from "./system/journalFile.ts";
import { becomeLeader } from "./system/leader.ts";
import { openMachine } from "./system/machine.ts";
import type { Machine } from "./system/machine.ts";
import { spent } from "./system/spent.ts";
import { tryLock } from "./system/sessionLocks.ts";
import { attachCommand, clientsOf, handleOf } from "./system/tmux/pane.ts";
import { startInTmux } from "./system/tmux/startInTmux.ts";
import { announceWindow, otherWindows } from "./system/windows.ts";

/** Shared by every window and the command line of this user: two folders would be two sets of locks. */
export const stateFolder = stateFolderOf(process.env, homedir());

/** `$XDG_STATE_HOME/session-warden`, but for what the editor's launcher hands on: a shell's profile may say what the editor never heard. Relative paths are invalid, as XDG says. */
export function stateFolderOf(environment: Readonly<{ [name: string]: string | undefined }>, home: string): string {
  const told = environment["SESSION_WARDEN_STATE_FOLDER"] ?? "";
  if (isAbsolute(told)) return told;
  const shared = environment["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(shared) ? shared : join(home, ".local", "state"), "session-warden");
}

/** `~` is the home folder, as a person types it into a setting; nothing is no file. */
function fileOf(told: string, home: string): string {
  return told === "" ? "" : resolve(told.replace(/^~(?=\/)/, home));
}

/** What a person lets out of the editor's or the environment's keeping. */
export interface Secrets {
  /** For one OpenCode server. */
  readonly passwordOf: (origin: string) => Promise<Login | undefined>;
  /** A person has named the server together with its password. */
  readonly isMeantFor?: (origin: string) => boolean;
}

/** `folders`: those that are open, or where the command line is. */
export async function compose(settings: Settings, secrets: Secrets = noSecrets, folders: readonly string[] = []): Promise<Warden> {
  const began = performance.now();
  const machine = await openMachine(settings);
  const ledger = openLedger(stateFolder, machine);
  const registry = settings.muxRegistry === "" ? undefined : fileOf(settings.muxRegistry, homedir());
  const sources: readonly Source[] = [
    createProcessSource(agents, machine, settings.configHomes),
    ledger,
    createOpencodeSource({
      agent: opencode,
      machine,
      servers: settings.opencodeServers,
      passwords: { of: secrets.passwordOf, isMeantFor: secrets.isMeantFor ?? (() => false) },
    }),
    createEntireSource({ repositories: [...folders, ...settings.entireRepositories.map((folder) => fileOf(folder, homedir()))], agents }),
    ...(settings.trackingEnv === ""
      ? []
      : [createTrackingSource({ env: fileOf(settings.trackingEnv, homedir()), details: fileOf(settings.trackingDetails, homedir()) })]),
    ...(registry === undefined ? [] : [await muxSource(registry, machine)]),
  ];
  const can = { sources: new Map(sources.map((source) => [source.id, source])), agents: new Map(agents.map((agent) => [agent.id, agent])) };
  const journalFile = join(stateFolder, "journal.jsonl");
  const journal = openJournal(journalFile);
  const roster = new Roster(sources, (signal) => machine.census(signal));
  // What is seen alive is noted; the ledger reads it back as what was. What scripts start by the dozen is nobody's to take up again.
  const noting = roster.onDidChange(({ sessions }) => {
    void ledger.noteAll(sessions.filter((session) => isAliveHere(session) && !isAutomation(session)));
  });

  return {
    roster,
    can,
    stateFolder,
    journalFile,
    places: placesOf(machine),
    orphans: openOrphanFinder(agents, machine, roster),
    forOperation(signal, tell) {
      const publish = delegateEvents(settings.muxPublishEvent);
      return {
        ...can,
        ledger,
        journal,
        configHomes: settings.configHomes,
        ours: process.pid,
        environmentOf: (identity) => machine.environmentOf(identity),
        realPath: (path) => realpath(path).catch(() => undefined),
        takeCensus: (cancelled) => machine.census(cancelled),
        tryLock: (keys) => tryLock(stateFolder, keys),
        pause: (forMs, cancelled) => sleep(forMs, undefined, { signal: cancelled }),
        now: Date.now,
        tell(event) {
          publish(event);
          tell(event);
        },
        signal,
      };
    },
    cost: () => ({ ...spent, sinceMs: performance.now() - began }),
    peek: async ({ run }, signal) => run && can.sources.get(run.source)?.peek?.(run, signal),
    watch(onChange) {
      const all = sources.map((source) => source.watch(onChange));
      return { [Symbol.dispose]: () => all.forEach((each) => each[Symbol.dispose]()) };
    },
    lead: (onElected) => becomeLeader(stateFolder, onElected),
    [Symbol.dispose]: () => noting[Symbol.dispose](),
  };
}

/** The password that OpenCode itself would take from the environment: for the one server that was named beside it, and for no other. */
export function secretsOfEnvironment(serverUrl: string | undefined, environment: Readonly<{ [name: string]: string | undefined }> = process.env): Secrets {
  const named = serverUrl === undefined ? undefined : originIn(serverUrl);
  const password = environment["OPENCODE_SERVER_PASSWORD"] ?? "";
  const isMeantFor = (origin: string): boolean => named !== undefined && origin === named;
  const login = password === "" ? undefined : { user: environment["OPENCODE_SERVER_USERNAME"] || "opencode", password };
  return { passwordOf: async (origin) => (isMeantFor(origin) ? login : undefined), isMeantFor };
}

/** As git has it; one that git may not look at is none. */
export async function isInRepository(folder: string): Promise<boolean> {
  return (await openRepositories([folder]).find(AbortSignal.timeout(20_000))).commons.length > 0;
}

const noSecrets: Secrets = { passwordOf: async () => undefined };

/** Loaded only where there is a registry: reading YAML takes a large library. */
async function muxSource(registry: string, machine: Machine): Promise<Source> {
  const { createMuxSource } = await import("./sources/mux/muxSource.ts");
  return createMuxSource(registry, agents, machine);
}

function placesOf(machine: Machine): Places {
  return {
    async destinationsOf(session, signal) {
      const census = await machine.census(signal);
      const pane = session.run && seatOf(session.run, census)?.pane;
      const [clients, windows] = await Promise.all([pane ? clientsOf(pane.server.socket, machine.tmux, signal) : [], otherWindows(stateFolder, census)]);
      return destinationsOf(session, census, clients, windows);
    },
    attachCommand: (pane) => ({ argv: attachCommand(pane, machine.tmux) }),
    async startInTmux(name, command, signal) {
      const { panes } = await machine.census(signal);
      return startInTmux(name, command, panes, machine.tmux, signal);
    },
    async installedAgents() {
      const found = await Promise.all(agents.map(async (agent) => ((await findOnPath(agent.program)) === undefined ? [] : [agent])));
      return found.flat();
    },
    select: (pane) => handleOf(pane, machine.tmux).bringToFront(),
    announceWindow: (name, terminals) => announceWindow(stateFolder, name, terminals),
  };
}

function isAliveHere({ run }: Session): boolean {
  return run?.host.kind === "process" && run.liveness.value === "alive" && run.source !== "ledger";
}
