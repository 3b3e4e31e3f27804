import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Agent, Recognised, Told } from "../core/agent.ts";
import type { Census, ProcessEntry } from "../core/census.ts";
import type { Conversation, Run } from "../core/facet.ts";
import { readCommandLine } from "./commandLine.ts";
import { uuidPattern } from "./ids.ts";
import { installedAs } from "./installed.ts";
import type { Installed } from "./installed.ts";

/** Antigravity CLI, from public facts only: it was never run here. So it is recognised only where its installer puts it, and only signals are used. */
export const agy: Agent = {
  id: "agy",
  program: "agy",
  name: "Antigravity",
  idPattern: uuidPattern,
  ask: { escapeWhenBusy: false, signal: "SIGTERM", graceMs: 5_000 },
  recognise,
  configHomeOf: (environment) => below(environment.get("HOME")),
  async tellOf(run, census): Promise<Told> {
    const conversation = conversationOf(run, census);
    return conversation ? { conversation } : {};
  },
  captureId: async (run, census) => conversationOf(run, census),
  async canResume({ id, home = join(homedir(), folder) }) {
    const paths = uuidPattern.test(id) ? ["db", "pb"].map((ending) => join(home, "conversations", `${id}.${ending}`)) : [];
    const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
    const isFound = found.some((each) => each?.isFile());
    return { value: isFound, seen: isFound ? "its transcript was found" : `no transcript of it was found in ${join(home, "conversations")}`, at: Date.now() };
  },
  resumeCommand: ({ id }, cwd) => ({ argv: ["agy", "--conversation", id], ...(cwd !== undefined && { cwd }) }),
  storesByHand: [
    "~/.gemini/antigravity-cli/conversations: <id>.db with <id>.db-wal and <id>.db-shm, and <id>.pb of earlier versions",
    "~/.gemini/antigravity-cli/brain/<id>: tasks, steps and the transcripts in .system_generated/logs",
    "~/.gemini/antigravity-cli/conversation_summaries.db: the row of conversation_summaries whose conversation_id is the id, and those whose parent_conversation_id is, " +
      "which have all of this by their own ids",
    "~/.gemini/antigravity-cli/history.jsonl: the lines whose conversationId is the id",
    "~/.gemini/antigravity-cli/cache/last_conversations.json: the entry of the workspace that leads to the id",
    "~/.gemini/antigravity-cli/log/cli-*.log: the lines that name the id (all of this once it has ended, by /quit: no command of its own is known that deletes one)",
  ],
};

const folder = ".gemini/antigravity-cli";
const installed: Installed = { paths: /\/\.local\/bin\/agy$/ };

function recognise({ program }: ProcessEntry): Recognised | undefined {
  if (!program || !installedAs(program, installed)) return undefined;
  const line = readArguments(program.args);
  if (line.has("-p", "--print", "--prompt")) return { role: "agent", runsIn: "automation" };
  return { role: line.words.length === 0 && !line.has("--version", "-h", "--help") ? "agent" : "command", runsIn: "terminal" };
}

const readArguments = (args: readonly string[]) =>
  readCommandLine(args, new Set(["--conversation", "-p", "--print", "--prompt", "-i", "--prompt-interactive", "--model", "--add-dir"]));

/** The conversation that it was started with. */
function conversationOf({ host, configHome }: Run, { processes }: Census): Conversation | undefined {
  const entry = host.kind === "process" ? processes?.get(host.process.pid) : undefined;
  const id = readArguments(entry?.program?.args ?? []).valueOf("--conversation");
  return id !== undefined && uuidPattern.test(id) ? { agent: "agy", id, toldBy: "agent", home: configHome ?? join(homedir(), folder) } : undefined;
}

function below(home: string | undefined): string | undefined {
  return home ? join(home, folder) : undefined;
}
