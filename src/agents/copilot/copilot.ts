import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { Agent, Recognised, Told } from "../../core/agent.ts";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Activity, Run } from "../../core/facet.ts";
import { listIfPresent, readIfPresent } from "../../system/files.ts";
import { readCommandLine } from "../commandLine.ts";
import { environmentFor } from "../elsewhere.ts";
import { uuidPattern } from "../ids.ts";
import { installedAs } from "../installed.ts";
import type { Installed } from "../installed.ts";
import { parseJsonLines } from "../jsonText.ts";
import { findOpenFiles } from "../openFiles.ts";
import { createTailReader } from "../tails.ts";
import { asTitle } from "../titles.ts";
import { configHomeOf, defaultHome } from "./home.ts";

/** Copilot CLI, run here as 1.0.102. Each session's folder holds a lock with the pid of its process, and what happened as events. */
export const copilot: Agent = {
  id: "copilot",
  program: "copilot",
  name: "Copilot CLI",
  idPattern: uuidPattern,
  // One Escape does not end its turn, two do; the signal does in 0.1 s.
  ask: { escapeWhenBusy: false, signal: "SIGTERM", graceMs: 5_000 },
  recognise,
  configHomeOf,
  async tellOf(run, census): Promise<Told> {
    const lock = await findLock(run, census);
    const entry = entryOf(run, census);
    if (!lock || !entry) return {};
    const folder = join(lock.home, "session-state", lock.id);
    const events = (await readEvents(join(folder, "events.jsonl"))) ?? [];
    const name = /^name: (.+)$/m.exec((await readIfPresent(join(folder, "workspace.yaml"), 64 * 1024)) ?? "")?.[1];
    return {
      conversation: { agent: "copilot", id: lock.id, toldBy: "agent", home: lock.home },
      activity: { ...activityAfter(entry, events), at: census.at },
      ...lastOf(events),
      pidFile: lock.file,
      ...(name !== undefined && { title: asTitle(name.replace(/^(["'])(.*)\1$/, "$2")) }),
    };
  },
  nameInTitle: (title) => /^(.+) - GitHub Copilot$/.exec(title)?.[1],
  async captureId(run, census) {
    const lock = await findLock(run, census);
    return lock && { agent: "copilot", id: lock.id, toldBy: "agent", home: lock.home };
  },
  async canResume({ id, home = defaultHome() }) {
    const events = join(home, "session-state", id, "events.jsonl");
    const isFound = uuidPattern.test(id) && (await stat(events).catch(() => undefined)) !== undefined;
    return { value: isFound, seen: isFound ? "its transcript was found" : `no transcript of it was found in ${join(home, "session-state")}`, at: Date.now() };
  },
  async resumeCommand({ id, home }, cwd) {
    const environment = await environmentFor(home, { configHomeOf, variable: "COPILOT_HOME" });
    return { argv: ["copilot", `--resume=${id}`], ...(cwd !== undefined && { cwd }), ...environment };
  },
  watchPaths: (configHome) => [join(configHome, "session-state")],
  watchPathsOf: ({ pidFile }) => (pidFile !== undefined ? [join(dirname(pidFile), "events.jsonl")] : []),
  stores: async (of, signal) => (await import("../stores.ts")).copilotStores(of, signal),
  storesByHand: [
    "~/.copilot/session-state/<id>, last of all",
    "~/.copilot/session-state/.session-operation-locks/<id>.lock",
    "~/.copilot/session-store.db: the rows that name the id, the search index with the whole text",
    "~/.copilot/open-sessions-state.json and sidebar-sessions-state/*.json: the entries that are the id",
    "~/.copilot/command-history-state.json: what was typed, which names no conversation",
    "~/.copilot/logs: process-<time>-<pid>.log where it names the id; /tmp/<time>-copilot-tool-output-<pid>-*.txt of the same process",
    "~/.copilot/history-session-state: session_<id>_*.json, of earlier versions",
  ],
};

const installed: Installed = { packages: /^@github\/copilot(-|$)/, native: /^copilot(\.exe)?$/, script: /^npm-loader\.js$/ };

function recognise({ program }: ProcessEntry): Recognised | undefined {
  const kind = program && installedAs(program, installed);
  if (!program || !kind) return undefined;
  if (kind === "script") return { role: "launcher", runsIn: "terminal" };
  const line = readCommandLine(program.args, withValue);
  if (line.has("--acp", "--server", "--headless", "--environment-host")) return { role: "daemon", runsIn: "panel" };
  if (subcommands.has(line.words[0] ?? "") || line.has("-v", "--version", "-h", "--help")) return { role: "command", runsIn: "terminal" };
  return { role: "agent", runsIn: line.has("-p", "--prompt") ? "automation" : "terminal" };
}

const subcommands = new Set(
  "app login help init config update version workflow sessions memories plugin mcp skill instruction lsp sandbox completion".split(" "),
);
const withValue = new Set(
  (
    "-i --interactive -p --prompt --model --reasoning-effort --context --auto-tier --agent -r --resume -n --name --session-id --connect -C --log-dir --extension-sdk-path " +
    "--log-level --stream --output-format --share --add-dir --attachment --disable-mcp-server --add-github-mcp-toolset --add-github-mcp-tool --plugin-dir " +
    "--additional-mcp-config --mcp-github-auth --allow-tool --deny-tool --available-tools --excluded-tools --secret-env-vars --allow-url --deny-url " +
    "--max-autopilot-continues --mode --bash-env --mouse --environment-host --environment-compute-id --dynamic-retrieval --enable-mcp-server --max-ai-credits " +
    "--usage-output-file"
  ).split(" "),
);

interface Lock {
  readonly home: string;
  readonly id: string;
  readonly file: string;
}

/** The lock that names this process and that it holds open; a killed one leaves its lock, which is then older than a process that has its pid. */
async function findLock(run: Run, census: Census): Promise<Lock | undefined> {
  const entry = entryOf(run, census);
  if (!entry) return undefined;
  const { pid } = entry.identity;
  const home = run.configHome ?? defaultHome();
  const sessions = join(home, "session-state");
  const held = (await findOpenFiles(pid))?.flatMap((path) => (path.endsWith(`/inuse.${pid}.hold`) ? (path.split("/").at(-2) ?? []) : []));
  const ids = new Set((held ?? (await listIfPresent(sessions))).filter((name) => uuidPattern.test(name)));

  const found: Lock[] = [];
  for (const id of ids) {
    const file = join(sessions, id, `inuse.${pid}.lock`);
    const made = (await stat(file).catch(() => undefined))?.mtimeMs;
    const isOfThis = made !== undefined && (held !== undefined || (entry.startedAt !== undefined && made >= entry.startedAt - clockGrainMs));
    if (isOfThis && (await readIfPresent(file, 64))?.trim() === String(pid)) found.push({ home, id, file });
  }
  return found.length === 1 ? found[0] : undefined;
}
const clockGrainMs = 1_000;

function entryOf({ host }: Run, { processes }: Census): ProcessEntry | undefined {
  return host.kind === "process" ? processes?.get(host.process.pid) : undefined;
}

type Event = z.infer<typeof event>;
const event = z
  .object({
    type: z.enum([
      "user.message",
      "assistant.turn_start",
      "assistant.turn_end",
      "abort",
      "permission.requested",
      "permission.completed",
      "tool.execution_start",
      "tool.execution_complete",
    ]),
    timestamp: z.iso.datetime(),
    data: z.object({
      requestId: z.string().optional().catch(undefined),
      toolCallId: z.string().optional().catch(undefined),
      toolName: z.string().optional().catch(undefined),
      permissionRequest: z.object({ kind: z.string() }).optional().catch(undefined),
    }),
  })
  .transform(({ type, timestamp, data }) => ({ type, at: Date.parse(timestamp), ...data }));

const readEvents = createTailReader<readonly Event[]>(64 * 1024, (tail, known = []) => {
  const last = parseJsonLines(tail).flatMap((line) => event.safeParse(line).data ?? []);
  const [first] = last;
  return [...known.filter(({ at }) => !first || at < first.at), ...last].slice(-eventsKept);
});
const eventsKept = 500;

function lastOf(events: readonly Event[]): Pick<Told, "idleSince"> {
  const last = events.at(-1);
  return last ? { idleSince: last.at } : {};
}

/** What happened before this process began says nothing of it. */
function activityAfter({ startedAt = Number.POSITIVE_INFINITY }: ProcessEntry, events: readonly Event[]): { readonly value: Activity; readonly seen: string } {
  let turn: "working" | "idle" | "silent" = "silent";
  const asked = new Map<string, string>();
  for (const { type, at, requestId = "", toolCallId = "", toolName, permissionRequest } of events) {
    if (at < startedAt - clockGrainMs) continue;
    if (type === "user.message" || type === "assistant.turn_start") turn = "working";
    if (type === "assistant.turn_end" || type === "abort") turn = "idle";
    if (type === "abort") asked.clear();
    if (type === "permission.requested") asked.set(requestId, `permission: ${permissionRequest?.kind ?? "a tool"}`);
    if (type === "permission.completed") asked.delete(requestId);
    if (type === "tool.execution_start" && toolName === "ask_user") asked.set(toolCallId, "asks a question");
    if (type === "tool.execution_complete") asked.delete(toolCallId);
  }
  const [question] = asked.values();
  if (question !== undefined) return { value: "needsInput", seen: question };
  if (turn === "silent") return { value: "silent", seen: "no turn since it was started" };
  return turn === "working" ? { value: "working", seen: "its events say that a turn goes on" } : { value: "idle", seen: "waits for a prompt" };
}
