// A program that looks to the machine like an agent, for tests and the demo. Which agent it is, its package.json says; what it does, its environment:
//   STAND_IN_MODE     open | working | waiting | menu | deaf | tellAtExit
//   STAND_IN_LOG      where to note each signal and each key that reaches it, one JSON a line
//   STAND_IN_EXIT_MS  how long it takes to leave once asked (50)
//   STAND_IN_SUBJECT  what its conversation is about; empty: nothing was ever said
// By hand: the lines `work`, `ask` and `idle` change what it is at, `exit` ends it.
const { randomUUID } = require("node:crypto");
const { spawn } = require("node:child_process");
const { appendFileSync } = require("node:fs");
const { agentHere } = require("./agentHere.cjs");

const { STAND_IN_MODE: mode = "open", STAND_IN_LOG: log, STAND_IN_EXIT_MS: exitMs = "50", STAND_IN_SUBJECT: subject = "" } = process.env;
const agent = agentHere(__dirname);

if (agent.inner !== undefined && process.env.STAND_IN_INNER === undefined) launch();
else be();

/** Real ones are started by a script of Node's that waits for the program itself, in the same group of processes. */
function launch() {
  const given = process.argv.slice(2);
  const { file, args, env } = agent.inner(given);
  const inner = spawn(file, args, { stdio: "inherit", env: { ...process.env, ...env, STAND_IN_INNER: "1", STAND_IN_ID: idOf(given) } });
  for (const signal of agent.launcherIgnores) process.on(signal, () => {});
  inner.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 143)));
}

function be() {
  const id = process.env.STAND_IN_ID ?? idOf(process.argv.slice(2)) ?? agent.newId?.() ?? randomUUID();
  const session = { id, cwd: process.cwd(), subject, tells: mode !== "tellAtExit" };
  const books = agent.open(session);
  let activity;
  say(`${agent.name} (a stand-in): ${subject || "nothing said yet"}`);
  become({ working: "working", waiting: "needsInput", menu: "menu" }[mode] ?? "idle");
  const beat = setInterval(() => books.show(activity), 250);

  if (mode === "deaf") haveDeafChild();
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) {
    process.on(signal, () => {
      note({ signal });
      if (mode !== "deaf") leave({ SIGTERM: 143, SIGHUP: 129, SIGINT: 0 }[signal]);
    });
  }
  // A closed terminal is no reason to crash.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on("error", () => {});
  listen();
  note({ ready: session.id });

  function become(next) {
    activity = next;
    books.show(activity);
    title(agent.titleOf(activity, session));
    if (activity === "needsInput") say("Allow Bash(npm test)? Enter allows, Escape denies.");
  }

  function leave(code) {
    setTimeout(() => {
      clearInterval(beat);
      books.close();
      title("");
      if (subject && agent.lastWords && (mode === "tellAtExit" || agent.tellsAlways)) say(agent.lastWords(session.id));
      process.exit(code);
    }, Number(exitMs));
  }

  function listen() {
    let line = "";
    if (process.stdin.isTTY) process.stdin.setRawMode(true);
    process.stdin.on("data", (bytes) => {
      for (const key of bytes.toString("utf8")) {
        note({ key });
        if (key === "\x1b" && activity === "working") become("idle");
        else if (key === "\x1b" && activity === "needsInput") become("idle");
        else if (key === "\r" && activity === "needsInput") approve();
        else if (key === "\r") obey(line);
        line = key === "\r" || key < " " ? "" : line + key;
      }
    });
  }

  function approve() {
    note({ approved: true });
    become("working");
  }

  function obey(line) {
    if (line === "exit") leave(0);
    else if (line !== "") become({ work: "working", ask: "needsInput" }[line] ?? "idle");
  }
}

/** In a session of its own, as agents' tools are: a closed terminal does not reach it. */
function haveDeafChild() {
  spawn("/bin/sh", ["-c", "trap '' TERM HUP INT; while :; do sleep 1; done"], { detached: true, stdio: "ignore" }).unref();
}

function idOf(args) {
  const at = args.findIndex((argument) => /^(--resume|--session-id|--id|resume)$/.test(argument));
  return at < 0 ? undefined : args[at + 1];
}

function title(text) {
  if (process.stdout.isTTY) process.stdout.write(`\x1b]0;${text}\x07`);
}

function say(text) {
  process.stdout.write(`${text}\r\n`);
}

function note(what) {
  if (log) appendFileSync(log, `${JSON.stringify({ pid: process.pid, ...what })}\n`);
}
