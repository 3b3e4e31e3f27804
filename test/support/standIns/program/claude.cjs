const { execFileSync } = require("node:child_process");
const { rmSync } = require("node:fs");
const { homedir } = require("node:os");
const { basename, join } = require("node:path");
const { lines, ownStart, write } = require("./files.cjs");

const version = "2.1.332";

exports.name = "Claude Code";
exports.tellsAlways = true;
exports.lastWords = (id) => `Resume this session with:\r\nclaude --resume ${id}`;
/** Within tmux it shows no more than this. */
exports.titleOf = (_activity, { subject }) => `✳ ${subject || "Claude Code"}`;

/** What Claude Code writes about a session that lives, and the conversation it leaves. */
exports.open = function open({ id, cwd, subject }) {
  const home = process.env.CLAUDE_CONFIG_DIR ?? join(homedir(), ".claude");
  const file = join(home, "sessions", `${process.pid}.json`);
  const fixed = {
    pid: process.pid,
    sessionId: id,
    cwd,
    startedAt: Date.now(),
    procStart: ownStart(),
    version,
    kind: "interactive",
    entrypoint: "cli",
    tmux: paneHere(),
    name: subject || `${basename(cwd)}-${process.pid % 100}`,
    ...(process.env.STAND_IN_IDLE_SINCE && { statusUpdatedAt: Number(process.env.STAND_IN_IDLE_SINCE) }),
  };
  if (subject) write(join(home, "projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`), lines(conversation(id, cwd, subject)));
  return {
    show: (activity) => write(file, JSON.stringify({ ...fixed, ...states[activity], updatedAt: Date.now() })),
    close: () => rmSync(file, { force: true }),
  };
};

const states = {
  idle: { status: "idle" },
  working: { status: "busy" },
  needsInput: { status: "waiting", waitingFor: "permission prompt" },
  menu: { status: "waiting", waitingFor: "dialog open" },
};

function conversation(sessionId, cwd, subject) {
  const timestamp = new Date().toISOString();
  const common = { isSidechain: false, sessionId, cwd, timestamp, version, userType: "external", entrypoint: "cli" };
  return [
    { ...common, parentUuid: null, type: "user", uuid: "00000000-0000-4000-8000-000000000001", message: { role: "user", content: subject } },
    {
      ...common,
      parentUuid: "00000000-0000-4000-8000-000000000001",
      type: "assistant",
      uuid: "00000000-0000-4000-8000-000000000002",
      message: { role: "assistant", type: "message", model: "none", content: [{ type: "text", text: "On it." }], stop_reason: "end_turn" },
    },
    { type: "last-prompt", lastPrompt: subject, sessionId },
  ];
}

function paneHere() {
  const { TMUX, TMUX_PANE } = process.env;
  if (!TMUX || !TMUX_PANE) return undefined;
  try {
    return execFileSync("tmux", ["-u", "-S", TMUX.split(",")[0], "display-message", "-p", "-t", TMUX_PANE, "#{session_name}:#{window_id}.#{pane_id}"], {
      encoding: "utf8",
    }).trim();
  } catch {
    return undefined;
  }
}
