import { homedir } from "node:os";
import { join } from "node:path";
import type { Agent, Command, Told } from "../../core/agent.ts";
import type { Conversation } from "../../core/facet.ts";
import { environmentFor } from "../elsewhere.ts";
import { lastIdOn, uuidPattern } from "../ids.ts";
import { asTitle } from "../titles.ts";
import { interruptTurn, isAppServerThere, readOpenThreads } from "./appServer.ts";
import { findThread, homeOf } from "./findThread.ts";
import { configHomeOf } from "./home.ts";
import { recognise } from "./recognise.ts";
import { findRollouts } from "./rollouts.ts";
import { activityOfTitle, nameInTitle } from "./title.ts";

/** Codex CLI, run here as 0.171.0. Its window is mostly a client of a daemon, where a turn goes on when the window is closed. */
export const codex: Agent = {
  id: "codex",
  program: "codex",
  name: "Codex",
  idPattern: uuidPattern,
  // The signal ends only the window. Where its conversation isn't known, Escape is what ends its turn in the daemon.
  ask: { escapeWhenBusy: true, signal: "SIGTERM", graceMs: 5_000 },
  recognise,
  configHomeOf,
  async tellOf(run, census, signal): Promise<Told> {
    const found = await findThread(run, census, signal);
    if (!found) return {};
    const { thread } = found;
    return {
      conversation: { agent: "codex", id: found.id, toldBy: "agent", home: homeOf(run) },
      ...(thread && { activity: { value: thread.activity, seen: thread.seen, at: census.at } }),
      ...(thread?.updatedAt !== undefined && { idleSince: thread.updatedAt }),
      ...(thread?.name !== undefined && { title: asTitle(thread.name) }),
    };
  },
  activityOfTitle,
  nameInTitle,
  async captureId(run, census, signal) {
    const found = await findThread(run, census, signal);
    return found && { agent: "codex", id: found.id, toldBy: "agent", home: homeOf(run) };
  },
  idFromLastWords: (screen) => lastIdOn(screen, /codex resume /, uuidPattern),
  childMarks: ({ conversation }) => (conversation ? { CODEX_THREAD_ID: conversation.id } : {}),
  async turnElsewhere(run, signal) {
    const { conversation, cwd } = run;
    const threads = await readOpenThreads(homeOf(run), signal);
    // No answer is no proof that nothing goes on.
    if (!threads) return (await isAppServerThere(homeOf(run))) ? { kind: "turn", where: "Codex's background server, which does not answer" } : undefined;
    const working = threads.filter(({ activity }) => activity === "working" || activity === "needsInput");
    // Where its id was never known, a turn of the same folder may be its.
    const turn = working.find((thread) => (conversation ? thread.id === conversation.id : thread.isOfTerminal && thread.cwd === cwd));
    return turn && { kind: "turn", where: conversation ? "Codex's background server" : `Codex's background server, for ${turn.cwd}` };
  },
  async endTurnElsewhere(owner, signal) {
    const { conversation } = owner;
    if (!conversation || !(await interruptTurn(homeOf(owner), conversation.id, signal))) return undefined;
    return { kind: "turn", where: "Codex's background server" };
  },
  async canResume({ id, home = join(homedir(), ".codex") }) {
    const isFound = uuidPattern.test(id) && (await findRollouts(home, id)).length > 0;
    return { value: isFound, seen: isFound ? "its transcript was found" : `no transcript of it was found in ${join(home, "sessions")}`, at: Date.now() };
  },
  resumeCommand,
  stores: async (of, signal) => (await import("../stores.ts")).codexStores(of, signal),
  storesByHand: [
    "~/.codex/sessions/<year>/<month>/<day>/rollout-…-<id>.jsonl, or `codex delete <id>`",
    "~/.codex/history.jsonl: the lines that name the id",
    "~/.codex/state_*.sqlite, thread_history_*.sqlite, logs_*.sqlite and session_index.jsonl: the rows that name the id",
    "~/.codex/shell_snapshots/<id>.*, thread-writer-locks/<id>.lock and tui-thread-reference-capabilities/<id>",
  ],
};

async function resumeCommand({ id, home }: Conversation, cwd: string | undefined): Promise<Command> {
  const environment = await environmentFor(home, { configHomeOf, variable: "CODEX_HOME" });
  return { argv: ["codex", "resume", id], ...(cwd !== undefined && { cwd }), ...environment };
}
