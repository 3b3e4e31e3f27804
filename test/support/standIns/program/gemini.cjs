const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { basename, join } = require("node:path");
const { lines, write } = require("./files.cjs");

exports.name = "Gemini CLI";
/** A request to the launcher reaches nobody. */
exports.launcherIgnores = ["SIGTERM", "SIGHUP", "SIGINT"];
exports.inner = (args) => ({ file: process.execPath, args: ["--max-old-space-size=512", process.argv[1], ...args], env: { GEMINI_CLI_NO_RELAUNCH: "true" } });
exports.tellsAlways = true;
exports.lastWords = (id) => `To resume this session: gemini --resume ${id}`;

exports.titleOf = (activity, { cwd }) => {
  const text = { working: "✦  Working…", needsInput: "✋  Action Required" }[activity] ?? "◇  Ready";
  return `${text} (${basename(cwd)})`.padEnd(80);
};

/** Nothing on disk has the process: its id is in its argv, or told at the end. */
exports.open = function open({ id, cwd, subject }) {
  const home = join(homedir(), ".gemini");
  const slug = basename(cwd)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const startTime = new Date().toISOString();
  if (subject) {
    remember(home, cwd, slug);
    const head = { sessionId: id, projectHash: createHash("sha256").update(cwd).digest("hex"), startTime, lastUpdated: startTime, kind: "main" };
    const prompt = { id: "1", timestamp: startTime, type: "user", content: [{ text: subject }] };
    write(join(home, "tmp", slug, "chats", `session-${startTime.slice(0, 16).replace(":", "-")}-${id.slice(0, 8)}.jsonl`), lines([head, prompt]));
  }
  return { show: () => {}, close: () => {} };
};

function remember(home, cwd, slug) {
  mkdirSync(home, { recursive: true });
  const file = join(home, "projects.json");
  write(file, JSON.stringify({ projects: { ...known(file), [cwd]: slug } }));
}

function known(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).projects;
  } catch {
    return {};
  }
}
