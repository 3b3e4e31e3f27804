const { randomBytes } = require("node:crypto");
const { appendFileSync, mkdirSync } = require("node:fs");
const { homedir, hostname } = require("node:os");
const { join } = require("node:path");
const { write } = require("./files.cjs");

exports.name = "Cline";
exports.launcherIgnores = [];
exports.lastWords = (id) => `Session Summary\r\nContinue\r\ncline --id ${id}`;
/** Native; a copy of Node would not understand its options. */
exports.inner = (args) => ({
  file: join(__dirname, "../bin/.cline"),
  args: args[0]?.startsWith("-") === false ? args : ["hello", "--tui", ...args],
  env: { NODE_OPTIONS: `--require=${JSON.stringify(join(__dirname, "inner.cjs"))}` },
});
exports.newId = () => `${Date.now()}_${randomBytes(4).toString("hex").slice(0, 5)}`;
exports.titleOf = (_activity, { subject }) => (subject ? `> ${subject}` : "Cline");

/** Its log tells which process has which session; without it (`tells` false) only its last words do. */
exports.open = function open({ id, cwd, subject, tells }) {
  const home = process.env.CLINE_DATA_DIR ?? join(process.env.CLINE_DIR ?? join(homedir(), ".cline"), "data");
  const folder = join(home, "sessions", id);
  const session = {
    version: 1,
    session_id: id,
    source: "cli",
    pid: tells ? process.pid : 1,
    started_at: new Date().toISOString(),
    exit_code: null,
    interactive: true,
    cwd,
    workspace_root: cwd,
    prompt: subject,
    metadata: { title: subject },
    messages_path: join(folder, `${id}.messages.json`),
  };
  const show = (activity) => write(join(folder, `${id}.json`), JSON.stringify({ ...session, status: states[activity] }));
  show("idle");
  if (subject) write(session.messages_path, JSON.stringify({ messages: [{ role: "user", content: [{ type: "text", text: subject }] }] }));
  if (tells) {
    mkdirSync(join(home, "logs"), { recursive: true });
    const line = {
      level: 30,
      time: new Date().toISOString(),
      hostname: hostname(),
      pid: process.pid,
      name: "cline",
      event: "session.started",
      properties: { sessionId: id },
      msg: "session.started",
    };
    appendFileSync(join(home, "logs/cline.log"), `${JSON.stringify(line)}\n`);
  }
  return { show, close: () => show("idle") };
};

const states = { idle: "idle", working: "running", needsInput: "pending", menu: "idle" };
