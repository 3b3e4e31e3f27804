import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProcess } from "../../../../scripts/ownProcesses.ts";
import { openStage, until } from "../../../support/stage.ts";
import type { Listed, Stage } from "../../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const isThere = ({ pid }: Listed): boolean => pid !== null && findProcess(pid) !== undefined;
const sessionNames = (): readonly string[] => stage.tmux("list-sessions", "-F", "#{session_name}").trim().split("\n").filter(Boolean);
const stop = (session: Listed, ...more: readonly string[]) => stage.warden(["stop", session.key, "--yes", "--json", ...more]);
const now = async ({ key }: Listed): Promise<Listed | undefined> => (await stage.list()).find((session) => session.key === key);

test("an open Claude Code is stopped politely: its id saved first, its pane gone, its neighbour untouched", async () => {
  const session = await stage.startInPane("one", "claude", { subject: "fix login" });
  const neighbour = await stage.startInPane("one-two", "claude", { subject: "other work" });
  const receipt = (await stop(session)).json();
  expect(receipt).toMatchObject({
    status: "success",
    termination_method: "graceful",
    verification_result: "session_terminated",
    captured_id: session.conversation_id,
    captured_by: "agent",
  });
  expect(receipt.steps.map(({ step }) => step)).toEqual(["capture", "ask"]);
  expect(receipt.records.map(({ change, outcome }) => [change, outcome]).at(-1)).toEqual(["stopped", "recorded"]);
  expect([isThere(session), isThere(neighbour)]).toEqual([false, true]);
  expect(sessionNames()).not.toContain("one");
  expect(await now(session)).toMatchObject({ status: "stopped", title: "fix login", conversation_id: session.conversation_id, resumable: true });
});

test("stopped twice is a no-op that succeeds", async () => {
  const session = await stage.startInPane("twice", "claude", { subject: "twice" });
  await stop(session);
  const again = await stop(session);
  expect([again.code, again.json().termination_method]).toEqual([0, "not_needed"]);
});

test("in a person's shell the shell lives on", async () => {
  const session = await stage.startInShell("a shell", "claude", { subject: "in a shell" });
  const shell = stage.tmux("list-panes", "-t", "=a shell:", "-F", "#{pane_pid}").trim();
  expect((await stop(session)).json().termination_method).toBe("graceful");
  expect(findProcess(Number(shell))).toBeDefined();
  expect(sessionNames()).toContain("a shell");
});

test("a shell that was started by its name is a person's all the same", async () => {
  stage.tmux("new-session", "-d", "-s", "named shell", "-c", stage.work, "sh");
  const { argv, env } = stage.programs.start("claude", { mode: "deaf", subject: "below a named shell" });
  stage.tmux(
    "send-keys",
    "-t",
    "=named shell:",
    "-l",
    "--",
    [...Object.entries(env).map(([name, value]) => `${name}='${value}'`), ...argv.map((word) => `'${word}'`)].join(" "),
  );
  stage.tmux("send-keys", "-t", "=named shell:", "Enter");
  const session = await until(async () => (await stage.list()).find(({ title }) => title === "below a named shell"));
  const receipt = (await stage.warden(["terminate", session.key, "--yes", "--json"])).json();
  expect(receipt.termination_method).toBe("forced");
  expect(sessionNames()).toContain("named shell");
});

test("without a terminal it is stopped all the same", async () => {
  const session = await stage.startPlain("claude", { subject: "plain" });
  expect((await stop(session)).json()).toMatchObject({ status: "success", termination_method: "graceful" });
  expect(isThere(session)).toBe(false);
});

test("launcher and inner process are one session, and both are gone", async () => {
  for (const agent of ["codex", "gemini"] as const) {
    const session = await stage.startInPane(`two of ${agent}`, agent, { subject: `two of ${agent}` });
    const pane = Number(stage.tmux("list-panes", "-t", `=two of ${agent}:`, "-F", "#{pane_pid}"));
    expect(session.pid).not.toBe(pane);
    expect((await stage.list()).filter(({ tmux }) => tmux?.session === `two of ${agent}`)).toHaveLength(1);
    expect((await stop(session)).json()).toMatchObject({ status: "success" });
    expect([findProcess(pane), findProcess(session.pid ?? 0)]).toEqual([undefined, undefined]);
  }
});

test("an agent that tells its id only as it leaves: the pane is kept, read, and closed", async () => {
  const session = await stage.startInPane("teller", "cline", { mode: "tellAtExit", subject: "parser" });
  expect(session.conversation_id).toBeNull();
  const receipt = (await stop(session)).json();
  expect(receipt).toMatchObject({ status: "success", captured_by: "exit" });
  expect(receipt.captured_id).toMatch(/^\d+_\w{5}$/);
  expect(sessionNames()).not.toContain("teller");
  expect((await now(session))?.conversation_id).toBe(receipt.captured_id);
});

test("deaf, with a child in a session of its own: still running and named; terminate ends both", async () => {
  const session = await stage.startInPane("deaf", "claude", { mode: "deaf", subject: "deaf" });
  const answer = await stop(session);
  const receipt = answer.json();
  expect([answer.code, receipt.status, receipt.verification_result]).toEqual([1, "partial", "session_may_still_exist"]);
  expect(receipt.survivors.map(({ pid }) => pid)).toContain(session.pid);
  expect(receipt.survivors).toHaveLength(2);
  expect(receipt.records.map(({ change }) => change)).not.toContain("stopped");
  expect((await now(session))?.status).toBe("idle");

  const forced = (await stage.warden(["terminate", session.key, "--yes", "--json"])).json();
  expect(forced).toMatchObject({ status: "success", termination_method: "forced" });
  expect(receipt.survivors.map(({ pid }) => findProcess(pid))).toEqual([undefined, undefined]);
  expect((await now(session))?.status).toBe("stopped");
});

test("a pane beside the agent's is left alone", async () => {
  const session = await stage.startInPane("split", "claude", { subject: "split" });
  const beside = Number(stage.tmux("split-window", "-d", "-P", "-F", "#{pane_pid}", "-t", "=split:", "sleep 600"));
  expect((await stop(session)).json().status).toBe("success");
  expect(findProcess(beside)).toBeDefined();
});

test("names with spaces, dots, unicode, =, a leading dash and a trailing semicolon", async () => {
  for (const name of ["a.b c", "日本 é", "=eq", "-dash", "semi\\;"]) {
    const session = await stage.startInPane(name, "claude", { subject: `named ${name}` });
    const answer = await stage.warden(["stop", session.key, "--yes", "--json"], { LC_ALL: "C" });
    expect([name, answer.json().status, isThere(session)]).toEqual([name, "success", false]);
  }
});

test("a suspended agent hears the request, and what it can't finish in the background is named", async () => {
  const log = join(stage.folder, "suspended.jsonl");
  const session = await stage.startInShell("suspended", "claude", { subject: "suspended", log });
  process.kill(session.pid ?? 0, "SIGSTOP");
  await until(async () => (await now(session))?.why === "suspended in its shell");
  // Putting the terminal back as it was suspends a background job again (SIGTTOU), so whether it goes is not its own choice.
  const receipt = (await stop(session)).json();
  expect(readFileSync(log, "utf8")).toContain("SIGTERM");
  expect(receipt.status === "success" || receipt.survivors.map(({ pid }) => pid)).toEqual(receipt.status === "success" || [session.pid]);
  expect((await stage.warden(["terminate", session.key, "--yes"])).code).toBe(0);
  expect(isThere(session)).toBe(false);
});

test("one Escape goes first where it is known to be busy, and none where it waits for an answer", async () => {
  const log = join(stage.folder, "keys.jsonl");
  for (const [mode, keys] of [
    ["working", true],
    ["waiting", false],
  ] as const) {
    const session = await stage.startInPane(`busy ${mode}`, "claude", { mode, subject: `busy ${mode}`, log: `${log}.${mode}` });
    await stop(session);
    const heard = readFileSync(`${log}.${mode}`, "utf8");
    expect([mode, heard.includes("\\u001b"), /[a-z/]exit/.test(heard)]).toEqual([mode, keys, false]);
  }
});

test("a pane whose command goes on after the agent is not closed", async () => {
  const { argv, env } = stage.programs.start("claude", { subject: "goes on" });
  const command = `${argv.map((word) => `'${word}'`).join(" ")}; exec sleep 987`;
  stage.tmux(
    "new-session",
    "-d",
    "-s",
    "goes on",
    "-c",
    stage.work,
    ...Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    "--",
    "sh",
    "-c",
    command,
  );
  const session = await until(async () => (await stage.list()).find(({ title }) => title === "goes on"));
  expect((await stop(session)).json()).toMatchObject({ status: "success", termination_method: "graceful" });
  await until(() => stage.tmux("list-panes", "-t", "=goes on:", "-F", "#{pane_current_command}").trim() === "sleep");
});

test("an agent that another one started is named before it ends with it", async () => {
  const program = join(stage.folder, "outer/node_modules/@anthropic-ai/claude-code/cli.js");
  mkdirSync(join(program, ".."), { recursive: true });
  writeFileSync(join(program, "../package.json"), JSON.stringify({ name: "@anthropic-ai/claude-code" }));
  const inner = stage.programs.start("gemini", { subject: "inner" });
  writeFileSync(
    program,
    `require("node:child_process").spawn(${JSON.stringify(inner.argv[0])}, ${JSON.stringify(inner.argv.slice(1))}, { stdio: "ignore", detached: true }); setInterval(() => {}, 1000);`,
  );
  stage.tmux("new-session", "-d", "-s", "outer", "-c", stage.work, "--", process.execPath, program);
  const sessions = await until(async () => {
    const below = (await stage.list()).filter(({ agent, tmux }) => tmux?.session === "outer" || agent === "gemini");
    return below.length >= 2 ? below : undefined;
  });
  const outer = sessions.find(({ agent }) => agent === "claude");
  const within = sessions.find(({ agent }) => agent === "gemini");
  const asked = await stage.warden(["stop", outer?.key ?? ""]);
  expect([asked.code, asked.stderr.includes(`It started gemini (${within?.pid})`)]).toEqual([3, true]);
  const receipt = (await stop(outer as Listed)).json();
  expect(receipt.warnings).toContain(`gemini (${within?.pid}) was started by it, and was ended with it.`);
  expect([isThere(outer as Listed), isThere(within as Listed)]).toEqual([false, false]);
});

test("an agent that leaves without its deaf child: named, still alive in the list, never recorded as over, and ended by a force", async () => {
  const program = join(stage.folder, "leaver/node_modules/@anthropic-ai/claude-code/cli.js");
  mkdirSync(join(program, ".."), { recursive: true });
  writeFileSync(join(program, "../package.json"), JSON.stringify({ name: "@anthropic-ai/claude-code" }));
  writeFileSync(
    program,
    `require("node:child_process").spawn("setsid", ["sh", "-c", "trap '' TERM HUP; while :; do sleep 1; done"], { stdio: "ignore" }); process.on("SIGTERM", () => process.exit(143)); setInterval(() => {}, 1000);`,
  );
  stage.tmux("new-session", "-d", "-s", "leaver", "-c", stage.work, "--", process.execPath, program);
  const session = await until(async () => (await stage.list()).find(({ tmux }) => tmux?.session === "leaver"));
  await until(() => execFileSync("ps", ["-o", "pid=", "--ppid", String(session.pid)], { encoding: "utf8" }).trim() !== "");

  const partial = (await stop(session)).json();
  expect(partial.status).toBe("partial");
  const survivor = partial.survivors[0]?.pid ?? 0;
  expect([isThere(session), findProcess(survivor) !== undefined]).toEqual([false, true]);
  expect(await now(session)).toMatchObject({ status: "open", why: expect.stringMatching(/^its agent has left, .+ lives on$/) });

  expect((await stage.warden(["finalize", session.key, "--json"])).json()).toMatchObject({ status: "refused", reason: "stillAlive" });
  const forced = (await stage.warden(["terminate", session.key, "--yes", "--json"])).json();
  expect(forced).toMatchObject({ status: "success", termination_method: "forced" });
  expect(findProcess(survivor)).toBeUndefined();
  expect((await now(session))?.status).toBe("stopped");
});
