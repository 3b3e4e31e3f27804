import { basename, dirname, join } from "node:path";
import type { Agent, Recognised, Told } from "../../core/agent.ts";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Activity, Conversation, Run } from "../../core/facet.ts";
import { readCommandLine } from "../commandLine.ts";
import { environmentFor } from "../elsewhere.ts";
import { lastIdOn, uuidPattern } from "../ids.ts";
import { installedAs } from "../installed.ts";
import type { Installed } from "../installed.ts";
import { hasChat } from "./chats.ts";
import { configHomeOf, defaultHome } from "./home.ts";

/** Gemini CLI, run here as 0.61.0. It writes down neither its pid nor what it does: only its title tells, and its arguments. */
export const gemini: Agent = {
  id: "gemini",
  program: "gemini",
  name: "Gemini CLI",
  idPattern: uuidPattern,
  // To the inner of its two processes: the outer ignores it, and closing the pane leaves both.
  ask: { escapeWhenBusy: true, signal: "SIGTERM", graceMs: 5_000 },
  recognise,
  // Seen within 1 s; a process's start is told by whole seconds.
  startsAnewWithinMs: 4_000,
  configHomeOf,
  async tellOf(run, census): Promise<Told> {
    const conversation = conversationOf(run, census);
    return conversation ? { conversation } : {};
  },
  activityOfTitle,
  captureId: async (run, census) => conversationOf(run, census),
  idFromLastWords: (screen) => lastIdOn(screen, /(?:gemini --resume|Session ID:)\s+/, uuidPattern),
  async canResume({ id, home = defaultHome() }, _, signal) {
    const isFound = uuidPattern.test(id) && (await hasChat(home, id, signal));
    return { value: isFound, seen: isFound ? "its transcript was found" : `no transcript of it was found in ${join(home, "tmp")}`, at: Date.now() };
  },
  async resumeCommand({ id, home }, cwd) {
    const value = home !== undefined && basename(home) === ".gemini" ? dirname(home) : undefined;
    const environment = await environmentFor(home, { configHomeOf, variable: "GEMINI_CLI_HOME", value });
    return { argv: ["gemini", "--resume", id], ...(cwd !== undefined && { cwd }), ...environment };
  },
  stores: async (of, signal) => (await import("../stores.ts")).geminiStores(of, signal),
  storesByHand: [
    "~/.gemini/tmp/<folder's name>/chats: session-<time>-<first 8 of the id>.jsonl where its first line names the id, and the folder <id>",
    "~/.gemini/tmp/<folder's name>: <id>, tool-outputs/session-<id> and logs/session-<id>.jsonl",
    "~/.gemini/tmp/<folder's name>/logs.json: the entries that name the id; shell_history beside it: its commands",
    "~/.gemini/tmp/<folder's name>/checkpoints, and checkpoint-<name>.json where the conversation was saved by a name",
    "~/.gemini/tmp/background-processes: what its background commands said",
    "~/.gemini/history/<folder's name>, which all conversations of a folder share",
    "/tmp/gemini-client-error-*.json: what was reported of a failed request, with the dialogue",
  ],
};

const installed: Installed = { packages: /^@google\/gemini-cli$/, script: /^(gemini|index)\.js$/ };

/** The outer process and the inner one look alike: which of them has the other as its child is for who sees the whole table. */
function recognise({ program }: ProcessEntry): Recognised | undefined {
  if (!program || !installedAs(program, installed)) return undefined;
  const line = readArguments(program.args);
  if (line.has("--acp", "--experimental-acp")) return { role: "daemon", runsIn: "panel" };
  if (subcommands.has(line.words[0] ?? "") || line.has("-l", "--list-extensions", "--list-sessions", "--delete-session", "-v", "--version", "-h", "--help")) {
    return { role: "command", runsIn: "terminal" };
  }
  return { role: "agent", runsIn: line.has("-p", "--prompt") ? "automation" : "terminal" };
}

const readArguments = (args: readonly string[]) => readCommandLine(args, withValue);
const subcommands = new Set(["mcp", "extensions", "extension", "skills", "skill", "hooks", "hook", "gemma"]);
const withValue = new Set(
  (
    "-m --model -p --prompt -i --prompt-interactive -w --worktree --approval-mode --policy --admin-policy --allowed-mcp-server-names --allowed-tools -e --extensions " +
    "-r --resume --session-file --session-id --delete-session --include-directories -o --output-format"
  ).split(" "),
);

/** `◇` is its prompt. A thought may follow `✦`, so only the sign counts. */
function activityOfTitle(title: string): Activity | undefined {
  if (title.startsWith("✦ ") || title.startsWith("⏲ ")) return "working";
  if (title.startsWith("✋ ")) return "needsInput";
  return title.startsWith("◇ ") ? "idle" : undefined;
}

/** The id that it was started with: nothing on disk names a process. */
function conversationOf({ host, configHome }: Run, { processes }: Census): Conversation | undefined {
  const entry = host.kind === "process" ? processes?.get(host.process.pid) : undefined;
  const id = readArguments(entry?.program?.args ?? []).valueOf("--session-id", "-r", "--resume");
  return id !== undefined && uuidPattern.test(id) ? { agent: "gemini", id, toldBy: "agent", home: configHome ?? defaultHome() } : undefined;
}
