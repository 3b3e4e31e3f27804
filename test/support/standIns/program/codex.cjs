const { randomBytes } = require("node:crypto");
const { closeSync, mkdirSync, openSync, rmSync } = require("node:fs");
const { homedir } = require("node:os");
const { basename, join } = require("node:path");
const { lines, write } = require("./files.cjs");

exports.name = "Codex";
exports.launcherIgnores = [];
exports.lastWords = (id) => `To continue this session, run codex resume ${id}`;

/** The program itself is native, and takes a prompt or `resume ID`. A copy of Node needs an argument that it may take for a script. */
exports.inner = (args) => ({
  file: join(__dirname, "../../codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"),
  args: args.length > 0 ? args : ["hello"],
  env: { NODE_OPTIONS: `--require=${JSON.stringify(join(__dirname, "inner.cjs"))}` },
});

exports.newId = () => {
  const time = Date.now().toString(16).padStart(12, "0");
  const rest = randomBytes(10).toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-a${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
};

exports.titleOf = (activity, { cwd, subject }) => {
  const words = [subject, basename(cwd)].filter(Boolean).join(" | ");
  if (activity === "working") return `⠙ ${words}`;
  return activity === "needsInput" ? `[ ! ] Action Required | ${words}` : words;
};

/** As where it runs a thread by itself: it holds the thread's lock and its rollout open. As a client of the daemon (`tells` false) nothing has its id. */
exports.open = function open({ id, cwd, subject, tells }) {
  const home = process.env.CODEX_HOME ?? join(homedir(), ".codex");
  const now = new Date();
  const [day, time] = now.toISOString().slice(0, 19).split("T");
  const rollout = join(home, "sessions", ...day.split("-"), `rollout-${day}T${time.replaceAll(":", "-")}-${id}.jsonl`);
  if (subject) write(rollout, lines(conversation(id, cwd, subject, now)));
  if (!tells) return { show: () => {}, close: () => {} };

  const lock = join(home, "thread-writer-locks", `${id}.lock`);
  mkdirSync(join(home, "thread-writer-locks"), { recursive: true });
  const held = [openSync(lock, "w"), ...(subject ? [openSync(rollout, "a")] : [])];
  return {
    show: () => {},
    close: () => {
      for (const descriptor of held) closeSync(descriptor);
      rmSync(lock, { force: true });
    },
  };
};

function conversation(id, cwd, subject, now) {
  const timestamp = now.toISOString();
  return [
    {
      timestamp,
      ordinal: 0,
      type: "session_meta",
      payload: { session_id: id, id, timestamp, cwd, originator: "codex-tui", cli_version: "0.171.0", source: "cli" },
    },
    { timestamp, ordinal: 1, type: "event_msg", payload: { type: "user_message", message: subject } },
  ];
}
