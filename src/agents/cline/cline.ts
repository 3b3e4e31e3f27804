import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as z from "zod";
import type { Agent, Recognised, Told } from "../../core/agent.ts";
import type { Census, ProcessEntry } from "../../core/census.ts";
import type { Conversation, Run } from "../../core/facet.ts";
import { wordOf } from "../../core/process.ts";
import { readIfPresent, readTail } from "../../system/files.ts";
import { readCommandLine } from "../commandLine.ts";
import { inherited, isSamePlace } from "../elsewhere.ts";
import { lastIdOn } from "../ids.ts";
import { installedAs } from "../installed.ts";
import type { Installed } from "../installed.ts";
import { parseJson, parseJsonLines } from "../jsonText.ts";
import { asTitle } from "../titles.ts";
import { dataFolderOf, defaultFolder, idPattern } from "./home.ts";
import { abortRun, hubMark, isHubThere } from "./hub.ts";

/** Cline CLI, run here as 3.0.65. The work mostly runs in its hub, one for each home; its own log says which session a window shows. */
export const cline: Agent = {
  id: "cline",
  program: "cline",
  name: "Cline",
  idPattern,
  ask: { escapeWhenBusy: true, signal: "SIGTERM", graceMs: 5_000 },
  recognise,
  configHomeOf: dataFolderOf,
  async tellOf(run, census, signal): Promise<Told> {
    const conversation = await findConversation(run, census);
    signal.throwIfAborted();
    const session = conversation && (await readSession(conversation));
    if (!conversation) return {};
    if (!session) return { conversation };
    const written = await stat(sessionFileOf(conversation)).catch(() => undefined);
    return {
      conversation,
      activity: { ...activityOf(session), at: census.at },
      ...(written && { idleSince: written.mtimeMs }),
      ...(session.metadata?.title !== undefined && { title: asTitle(session.metadata.title) }),
    };
  },
  nameInTitle: (title) => /^> (.+)$/.exec(title)?.[1],
  captureId: findConversation,
  idFromLastWords: (screen) => lastIdOn(screen, /cline --id /, idPattern),
  async turnElsewhere({ conversation, host }) {
    const session = conversation && (await readSession(conversation));
    if (!session || (session.status !== "running" && session.status !== "pending")) return undefined;
    // A window that ran its session itself may be killed before it can write that it has ended.
    const wasItsOwn = host.kind === "process" && session.pid === host.process.pid;
    return !wasItsOwn && (await isHubThere(conversation.home ?? defaultFolder())) ? inHub : undefined;
  },
  /** A window that is ended by a signal leaves its turn waiting in the hub for what only that window could answer. */
  async endTurnElsewhere(owner, signal) {
    const { conversation } = owner;
    if (!conversation || !(await cline.turnElsewhere?.(owner, signal))) return undefined;
    return (await abortRun(conversation.home ?? defaultFolder(), conversation.id, signal)) ? inHub : undefined;
  },
  async canResume({ id, home = defaultFolder() }) {
    const folder = join(home, "sessions", id);
    const isFound = idPattern.test(id) && ((await stat(folder).catch(() => undefined))?.isDirectory() ?? false);
    return { value: isFound, seen: isFound ? "its transcript was found" : `no transcript of it was found in ${join(home, "sessions")}`, at: Date.now() };
  },
  async resumeCommand({ id, home }, cwd) {
    const elsewhere = home === undefined || (await isSamePlace(home, dataFolderOf(inherited()))) ? [] : ["--data-dir", home];
    return { argv: ["cline", ...elsewhere, "--id", id], ...(cwd !== undefined && { cwd }) };
  },
  watchPaths: (configHome) => [join(configHome, "sessions")],
  watchPathsOf: ({ conversation }) => (conversation ? [sessionFileOf(conversation)] : []),
  stores: async (of, signal) => (await import("../stores.ts")).clineStores(of, signal),
  storesByHand: [
    "~/.cline/data/sessions/<id>",
    "~/.cline/data/db/sessions.db and session-search.db: the rows that name the id, the second with the whole text",
    "~/.cline/data/db/hub-events-*.db and hub-runs-*.db: the rows that name the id",
    "~/.cline/data/db/teams.db, tasks.db and cron.db: what names the id, or its team",
    "~/.cline/data/checkpoint-scratch, and refs/cline/checkpoints/<id> in the repository that it worked in",
    "~/.cline/data/cache/user_input_history.jsonl: what was typed, without an id",
    "~/.cline/data/logs",
  ],
};

const inHub = { kind: "turn", where: "Cline's hub" } as const;
const installed: Installed = { packages: /^(cline|@cline\/cli-.+)$/, native: /^\.?cline(\.exe)?$/, script: /^cline$/ };

function recognise({ program }: ProcessEntry): Recognised | undefined {
  const kind = program && installedAs(program, installed);
  if (!program || !kind) return undefined;
  if (kind === "script") return { role: "launcher", runsIn: "terminal" };
  const line = readArguments(program.args);
  const [word] = line.words;
  if (line.has(hubMark)) return { role: "daemon", runsIn: "appServer" };
  if (line.has("--acp")) return { role: "daemon", runsIn: "panel" };
  if (subcommands.has(word ?? "") || line.has("-z", "--zen", "--kanban", "--update", "-V", "--version", "-h", "--help"))
    return { role: "command", runsIn: "terminal" };
  // With a prompt it answers and leaves, unless it is told to open its window.
  const isHeadless = line.has("--json", "-y", "--yolo") || (word !== undefined && !line.has("-i", "--tui"));
  return { role: "agent", runsIn: isHeadless ? "automation" : "terminal" };
}

const readArguments = (args: readonly string[]) => readCommandLine(args, withValue);
const subcommands = new Set("auth config connect dashboard dev doctor h history hook hub kanban mcp plugin schedule skill update version".split(" "));
const withValue = new Set(
  (
    "--auto-approve -c --cwd --thinking --compaction --id -P --provider -k --key -m --model -s --system --retries -t --timeout --config --data-dir --hooks-dir " +
    "--host --port --pathname"
  ).split(" "),
);

/** Its own argument goes before its environment; a relative one is meant from where it was started. */
function dataFolderOfRun({ cwd = "/", configHome }: Run, { program }: ProcessEntry): string {
  const line = readArguments(program?.args ?? []);
  const [data, config] = [line.valueOf("--data-dir"), line.valueOf("--config")];
  if (data !== undefined) return resolve(cwd, data);
  return config === undefined ? (configHome ?? defaultFolder()) : resolve(cwd, config, "data");
}

const started = z.object({
  time: z.iso.datetime(),
  pid: z.number(),
  hostname: z.string(),
  event: z.literal("session.started"),
  properties: z.object({ sessionId: z.string().regex(idPattern) }),
});

/** The last session that its log says this process began; a resumed one and one after /clear are begun too. */
async function findConversation(run: Run, census: Census): Promise<Conversation | undefined> {
  const entry = run.host.kind === "process" ? census.processes?.get(run.host.process.pid) : undefined;
  if (!entry || entry.startedAt === undefined) return undefined;
  const home = dataFolderOfRun(run, entry);
  const log = join(home, "logs", "cline.log");
  const size = (await stat(log).catch(() => undefined))?.size ?? 0;

  const key = `${wordOf(entry.identity)} ${log}`;
  const known = looked.get(key);
  const unread = known && known.size <= size ? size - known.size + longestLine : firstLookBytes;
  const id = size === 0 ? undefined : (lastBegun(await readTail(log, unread), entry, entry.startedAt, census.here.host) ?? known?.id);
  if (looked.size >= processesKept) looked.clear();
  looked.set(key, { size, id });
  return id === undefined ? undefined : { agent: "cline", id, toldBy: "agent", home };
}
/** All windows write into one log: what a process was seen to begin is kept, and only what was added since is read. */
const looked = new Map<string, { readonly size: number; readonly id: string | undefined }>();
const processesKept = 500;
const firstLookBytes = 4 * 1024 * 1024;
const longestLine = 64 * 1024;

function lastBegun(tail: string | undefined, { identity }: ProcessEntry, startedAt: number, host: string): string | undefined {
  const lines = (tail ?? "").split("\n").filter((line) => line.includes('"session.started"'));
  const events = parseJsonLines(lines.join("\n")).flatMap((line) => started.safeParse(line).data ?? []);
  // An earlier process may have had the same pid.
  const own = events.filter((event) => event.pid === identity.pid && event.hostname === host && Date.parse(event.time) >= startedAt - clockGrainMs);
  return own.at(-1)?.properties.sessionId;
}
const clockGrainMs = 1_000;

const sessionFile = z.object({
  pid: z.number().optional().catch(undefined),
  status: z.string().optional().catch(undefined),
  metadata: z
    .object({ title: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
type SessionFile = z.infer<typeof sessionFile>;

async function readSession(conversation: Conversation): Promise<SessionFile | undefined> {
  if (!idPattern.test(conversation.id)) return undefined;
  return sessionFile.safeParse(parseJson(await readIfPresent(sessionFileOf(conversation), 1024 * 1024))).data;
}

function sessionFileOf({ id, home = defaultFolder() }: Conversation): string {
  return join(home, "sessions", id, `${id}.json`);
}

/** A question that it asks stays `running`: only an approval is told. */
function activityOf({ status }: SessionFile): Pick<NonNullable<Told["activity"]>, "value" | "seen"> {
  switch (status) {
    case "pending":
      return { value: "needsInput", seen: "waits for an approval" };
    case "running":
      return { value: "working", seen: "its session file says running" };
    case "idle":
    case "completed":
      return { value: "idle", seen: "waits for a prompt" };
    default:
      return { value: "silent", seen: "its session file does not say what it does" };
  }
}
