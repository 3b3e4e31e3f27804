import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { Agent, Recognised, Told } from "../core/agent.ts";
import type { Census, ProcessEntry } from "../core/census.ts";
import type { Conversation, Run } from "../core/facet.ts";
import { readCommandLine } from "./commandLine.ts";
import { environmentFor } from "./elsewhere.ts";
import { lastIdOn } from "./ids.ts";

/** The second form is that of its gateway. */
const idPattern = /^(\d{8}_\d{6}_[0-9a-f]{6}|[0-9a-f]{8})$/;

/** Hermes, from public facts only: it was never run here. So it is recognised only where its installer puts it, and only signals are used. */
export const hermes: Agent = {
  id: "hermes",
  program: "hermes",
  name: "Hermes",
  idPattern,
  ask: { escapeWhenBusy: false, signal: "SIGTERM", graceMs: 5_000 },
  recognise,
  configHomeOf,
  async tellOf(run, census): Promise<Told> {
    const conversation = conversationOf(run, census);
    return conversation ? { conversation } : {};
  },
  captureId: async (run, census) => conversationOf(run, census),
  idFromLastWords: (screen) => lastIdOn(screen, /hermes --resume /, idPattern),
  /** Its database is not read here: an id is trusted that Hermes itself was started with, or named as it left. */
  async canResume({ id, toldBy }) {
    const isNamedByItself = idPattern.test(id) && (toldBy === "agent" || toldBy === "exit" || toldBy === "ledger");
    return { value: isNamedByItself, seen: isNamedByItself ? "Hermes itself named it" : "Hermes's database was not asked for it", at: Date.now() };
  },
  async resumeCommand({ id, home }, cwd) {
    const environment = await environmentFor(home, { configHomeOf, variable: "HERMES_HOME" });
    return { argv: ["hermes", "--resume", id], ...(cwd !== undefined && { cwd }), ...environment };
  },
  // In this order: by the database one finds the rest, and rows that another program deletes leave its search index broken.
  storesByHand: [
    "~/.hermes/state.db, first, and only by `hermes sessions delete <id> --yes` while no chat has it open, whose next save would bring it back; " +
      "the same for each part that a long conversation was split into, as the parent_session_id of its rows in sessions tells",
    "~/.hermes/sessions, then: session_<id>.json of earlier versions, which that leaves, and <id>.json, <id>.jsonl and request_dump_<id>_*.json, which it should not",
    "~/.hermes/terminal-sessions: the file that names the id, by which a terminal goes on with it",
    "~/.hermes/profiles/<name>: the same, for a session of a profile; $HERMES_HOME in place of ~/.hermes, where it is set",
  ],
};

/** A Python script: its interpreter is that of its own environment, as the script's first line names it. */
function recognise({ program, argv }: ProcessEntry): Recognised | undefined {
  const [interpreter = "", script = "", ...args] = argv;
  const isPython = program !== undefined && /^python(3(\.\d+)?)?$/.test(basename(program.file));
  if (!isPython || !/\/\.hermes\/hermes-agent\/\.?venv\/bin\/python(3(\.\d+)?)?$/.test(interpreter) || basename(script) !== "hermes") return undefined;
  const line = readArguments(args);
  const [word] = line.words;
  if (word === "gateway") return { role: "daemon", runsIn: "appServer" };
  if ((word !== undefined && word !== "chat") || line.has("--version", "-h", "--help")) return { role: "command", runsIn: "terminal" };
  return { role: "agent", runsIn: line.has("-q", "--query") ? "automation" : "terminal" };
}

const readArguments = (args: readonly string[]) =>
  readCommandLine(args, new Set(["--resume", "-r", "-q", "--query", "-m", "--model", "-p", "--profile", "--provider", "-t", "--toolsets"]));

/** The session that it was started with; it may also be a name there. */
function conversationOf({ host, configHome }: Run, { processes }: Census): Conversation | undefined {
  const entry = host.kind === "process" ? processes?.get(host.process.pid) : undefined;
  const id = readArguments((entry?.argv ?? []).slice(2)).valueOf("--resume", "-r");
  return id !== undefined && idPattern.test(id) ? { agent: "hermes", id, toldBy: "agent", home: configHome ?? join(homedir(), ".hermes") } : undefined;
}

function configHomeOf(environment: ReadonlyMap<string, string>): string | undefined {
  const home = environment.get("HOME");
  return environment.get("HERMES_HOME") || (home ? join(home, ".hermes") : undefined);
}
