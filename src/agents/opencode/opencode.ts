import type { Agent, Recognised, Told } from "../../core/agent.ts";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Conversation, Run } from "../../core/facet.ts";
import { readCommandLine } from "../commandLine.ts";
import { lastIdOn } from "../ids.ts";
import { installedAs } from "../installed.ts";
import type { Installed } from "../installed.ts";
import { configHomeOf, defaultHome, environmentIn, idPattern } from "./home.ts";

/** OpenCode's own window, run here as 1.18.33. It tells its session only as it leaves; what runs in its servers is for who asks the servers. */
export const opencode: Agent = {
  id: "opencode",
  program: "opencode",
  name: "OpenCode",
  idPattern,
  // One Escape does not end its turn, two do.
  childMarks: (_run, pid) => ({ OPENCODE_PID: String(pid) }),
  ask: { escapeWhenBusy: false, signal: "SIGTERM", graceMs: 5_000 },
  recognise,
  configHomeOf,
  async tellOf(run, census): Promise<Told> {
    const conversation = conversationOf(run, census);
    return conversation ? { conversation } : {};
  },
  nameInTitle: (title) => /^OC \| (.+)$/.exec(title)?.[1],
  captureId: async (run, census) => conversationOf(run, census),
  // It prints this when it is ended by a signal too.
  idFromLastWords: (screen) => lastIdOn(screen, /opencode -s /, idPattern),
  /** Its database is not read here: an id is trusted that OpenCode itself was started with, or named as it left. */
  async canResume({ id, toldBy }) {
    const isNamedByItself = idPattern.test(id) && (toldBy === "agent" || toldBy === "exit" || toldBy === "ledger");
    return { value: isNamedByItself, seen: isNamedByItself ? "OpenCode itself named it" : "OpenCode's database was not asked for it", at: Date.now() };
  },
  async resumeCommand({ id, home }, cwd) {
    return { argv: ["opencode", "-s", id], ...(cwd !== undefined && { cwd }), ...(await environmentIn(home)) };
  },
  stores: async (of, signal) => (await import("../stores.ts")).opencodeStores(of, signal),
  storesByHand: [
    "~/.local/share/opencode/opencode.db: the rows that name the id, or `opencode session delete <id>`",
    "~/.local/share/opencode/storage: the files that name the id",
    "~/.local/share/opencode/log",
  ],
};

const installed: Installed = {
  packages: /^opencode-(ai|linux|darwin|windows)(-|$)/,
  native: /^opencode(\.exe)?$/,
  script: /^opencode$/,
  paths: /\/\.opencode\/bin\/opencode$/,
};

function recognise({ program }: ProcessEntry): Recognised | undefined {
  const kind = program && installedAs(program, installed);
  if (!program || !kind) return undefined;
  if (kind === "script") return { role: "launcher", runsIn: "terminal" };
  const line = readArguments(program.args);
  const [word = ""] = line.words;
  if (word === "serve" || word === "web") return { role: "server", runsIn: "appServer" };
  if (word === "acp") return { role: "daemon", runsIn: "panel" };
  // `attach` is a window on a session that lives in a server.
  if (subcommands.has(word) || line.has("-v", "--version", "-h", "--help")) return { role: "command", runsIn: "terminal" };
  return { role: "agent", runsIn: word === "run" ? "automation" : "terminal" };
}

const readArguments = (args: readonly string[]) => readCommandLine(args, withValue);
const subcommands = new Set(
  "agent attach auth completion db debug export github import mcp models plug plugin pr providers session stats uninstall upgrade".split(" "),
);
const withValue = new Set("--log-level --port --hostname --mdns-domain --cors -m --model -s --session --prompt --agent --replay-limit".split(" "));

/** The session that it was started with; a fork of it gets another id. */
function conversationOf({ host, configHome }: Run, { processes }: Census): Conversation | undefined {
  const entry = host.kind === "process" ? processes?.get(host.process.pid) : undefined;
  const line = readArguments(entry?.program?.args ?? []);
  const id = line.has("--fork") ? undefined : line.valueOf("-s", "--session");
  return id !== undefined && idPattern.test(id) ? { agent: "opencode", id, toldBy: "agent", home: configHome ?? defaultHome() } : undefined;
}
