import { spawn } from "node:child_process";
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

const now = async ({ key }: Listed): Promise<Listed | undefined> => (await stage.list()).find((session) => session.key === key);

test("two in one folder have two ids, and the one that asks is on top", async () => {
  const open = await stage.startInPane("left", "claude", { subject: "left" });
  const waiting = await stage.startInPane("right", "claude", { mode: "waiting", subject: "right" });
  const menu = await stage.startInPane("menu", "claude", { mode: "menu", subject: "a menu is open" });
  expect(new Set([open, waiting, menu].map(({ conversation_id }) => conversation_id)).size).toBe(3);
  const lines = (await stage.warden(["list"])).stdout.split("\n");
  const before = (words: string): readonly string[] =>
    lines.slice(
      0,
      lines.findIndex((line) => line.includes(words)),
    );
  expect(lines).toContain(`  right  claude · workspace  needs input (permission prompt)  ${waiting.key}`);
  expect([before(waiting.key).at(0)?.startsWith("Needs you"), before(open.key).some((line) => line.startsWith("Open"))]).toEqual([true, true]);
  expect((await now(menu))?.status).toBe("idle");
});

test("a pane in grouped sessions and a linked window is one session", async () => {
  const session = await stage.startInPane("grouped", "claude", { subject: "grouped" });
  stage.tmux("new-session", "-d", "-s", "group of it", "-t", "=grouped");
  stage.tmux("new-session", "-d", "-s", "links it", "sleep 600");
  stage.tmux("link-window", "-s", "=grouped:", "-t", "=links it:7");
  expect((await stage.list()).filter(({ title }) => title === "grouped")).toHaveLength(1);
  expect((await stage.warden(["stop", session.key, "--yes", "--json"])).json()).toMatchObject({ status: "success" });
  expect(stage.tmux("list-sessions", "-F", "#{session_name}").split("\n")).toContain("links it");
});

test("a tmux server that hangs is a notice; its agents stay listed, and can be stopped", async () => {
  const socket = join(stage.folder, "hanging");
  const tmux = (...args: readonly string[]): string => stage.tmux("-S", socket, ...args);
  const { argv, env } = stage.programs.start("claude", { subject: "behind a hanging server" });
  tmux("new-session", "-d", "-s", "h", "-c", stage.work, ...Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]), "--", ...argv);
  const server = Number(tmux("display-message", "-p", "#{pid}"));
  const session = await until(async () => (await stage.list()).find(({ title }) => title === "behind a hanging server"));
  process.kill(server, "SIGSTOP");
  try {
    const listed = await stage.warden(["list"]);
    expect(listed.stdout).toContain(`! ${socket}: this tmux server does not answer`);
    expect((await now(session))?.status).toBe("idle");
    expect((await stage.warden(["stop", session.key, "--yes", "--json"])).json()).toMatchObject({ status: "success" });
  } finally {
    process.kill(server, "SIGCONT");
  }
});

test("an agent that died in a pane that is kept is exited, whatever its title says", async () => {
  stage.tmux("set-option", "-g", "remain-on-exit", "on");
  try {
    const session = await stage.startInPane("kept", "codex", { mode: "working", subject: "kept" });
    await until(async () => (await now(session))?.status === "working");
    const pane = Number(stage.tmux("list-panes", "-t", "=kept:", "-F", "#{pane_pid}"));
    for (const pid of [session.pid ?? 0, pane]) process.kill(pid, "SIGKILL");
    await until(async () => (await now(session))?.status === "exited");
    expect(stage.tmux("list-panes", "-t", "=kept:", "-F", "#{pane_title}")).toContain("⠙");
  } finally {
    stage.tmux("set-option", "-g", "remain-on-exit", "off");
  }
});

test("a live file of another container is unknown, and has no verbs", async () => {
  const session = await stage.startInPane("own", "claude", { subject: "own" });
  const folder = join(stage.home, ".claude/sessions");
  const file = JSON.parse(readFileSync(join(folder, `${session.pid}.json`), "utf8")) as Record<string, unknown>;
  const domain = "linux:0123456789abcdef0123456789abcdef:pid:[4026999999]";
  writeFileSync(
    join(folder, "77.json"),
    JSON.stringify({ ...file, pid: 77, procStart: "123", pidDomain: domain, sessionId: "11111111-1111-4111-8111-111111111111", name: "far away" }),
  );
  const far = await until(async () => (await stage.list()).find(({ title }) => title === "far away"));
  expect(far.status).toBe("unknown");
  expect((await stage.warden(["terminate", far.key, "--yes", "--json"])).json()).toMatchObject({ status: "refused", reason: "livenessUnknown" });
});

test("what only looks like an agent is neither listed nor signalled", async () => {
  const folder = join(stage.work, "claude");
  mkdirSync(folder);
  writeFileSync(join(folder, "claude.js"), "setInterval(() => {}, 1000)");
  const lookAlike = spawn(process.execPath, [join(folder, "claude.js"), "-p", "claude"], { argv0: "claude", cwd: folder, stdio: "ignore" });
  try {
    const identity = await until(() => findProcess(lookAlike.pid ?? 0));
    const listed = (await stage.warden(["list", "--json"])).json().sessions;
    expect(listed.filter(({ pid }) => pid === identity.pid)).toEqual([]);
    expect((await stage.warden(["terminate", String(identity.pid), "--yes"])).code).toBe(1);
    expect(findProcess(identity.pid)).toEqual(identity);
  } finally {
    lookAlike.kill("SIGKILL");
  }
});

test("what scripts run is counted, and leaves nothing behind in the list", async () => {
  const { argv, env } = stage.programs.start("claude", { subject: "-p" });
  const child = spawn(argv[0], [...argv.slice(1), "by a script"], { env: { ...stage.env, ...env }, cwd: stage.work, stdio: ["pipe", "ignore", "ignore"] });
  const ofChild = async (): Promise<Listed | undefined> => (await stage.list()).find(({ key }) => key.startsWith(`process:${child.pid}-`));
  try {
    await until(async () => (await ofChild())?.runs_in === "automation");
    expect((await stage.warden(["list"])).stdout).toMatch(/^Automation {2}\d+$/m);
  } finally {
    child.kill("SIGKILL");
  }
  await until(() => findProcess(child.pid ?? 0) === undefined);
  expect(await ofChild()).toBeUndefined();
});
