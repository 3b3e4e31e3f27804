import { existsSync, readlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, say } from "./support/agents/agent.ts";
import { claudeFile, findTranscript, startClaude, untilClaude } from "./support/agents/claude.ts";
import { startClaudeIn } from "./support/agents/claudeStates.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { key, openPane, panePid, paneSays, submit } from "./support/panes.ts";
import { executableOf, isAlive, signal, untilGone } from "./support/processes.ts";
import { until } from "./support/until.ts";

// What the product relies on in Claude Code, looked at in the real program: a new version that behaves otherwise fails here, not at a person's desk.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["claude"]);
  lab = await startLab();
});
afterAll(() => lab.close());

describe("the file that Claude Code keeps of its process", () => {
  test("names the process by pid and by field 22 of its stat, and its pid namespace", async () => {
    const agent = await startClaude(lab, { name: "named" });
    const says = claudeFile(agent);
    expect(says).toMatchObject({ pid: agent.process.pid, procStart: agent.process.startTicks, cwd: lab.work, kind: "interactive", entrypoint: "cli" });
    expect(says.pidDomain.endsWith(readlinkSync("/proc/self/ns/pid"))).toBe(true);
    expect(says.tmux).toBe(paneSays(agent.pane, "#{session_name}:#{window_id}.#{pane_id}"));
    expect(executableOf(agent.process.pid)).toMatch(/@anthropic-ai\/claude-code\/bin\/claude\.exe$/);
  });

  test("gives two of one folder two ids, and the one after /clear its new one", async () => {
    const [first, second] = [await startClaude(lab, { name: "first" }), await startClaude(lab, { name: "second" })];
    expect(claudeFile(first).sessionId).not.toBe(claudeFile(second).sessionId);
    const before = claudeFile(first).sessionId;
    await say(first, "hello first");
    await submit(first.pane, "/clear");
    await until(() => claudeFile(first).sessionId !== before);
  });

  test("says idle and has an id before the first prompt, when nothing can be resumed yet", async () => {
    const agent = await startClaude(lab, { name: "fresh", cwd: lab.folder("fresh") });
    const { status, sessionId } = claudeFile(agent);
    expect(status).toBe("idle");
    expect(findTranscript(lab, sessionId)).toBeUndefined();
  });

  test("says what a person is waited for: a permission, an answer, or nothing but the person's own menu", async () => {
    const permission = await startClaudeIn(lab, "permission dialog", "asks-permission");
    expect(claudeFile(permission.agent)).toMatchObject({ status: "waiting", waitingFor: "permission prompt" });
    const menu = await startClaudeIn(lab, "config dialog", "in-a-menu");
    expect(claudeFile(menu.agent)).toMatchObject({ status: "waiting", waitingFor: "dialog open" });
    const question = await startClaude(lab, { name: "asks-a-question" });
    await ask(question, "ASKQ");
    await untilClaude(question, "waiting", "input needed");
  });

  test("stays behind, with its last status, when the process is killed", async () => {
    const { agent } = await startClaudeIn(lab, "streaming", "killed");
    signal(agent.process, "SIGKILL");
    await untilGone([agent.process]);
    expect(claudeFile(agent)).toMatchObject({ status: "busy", procStart: agent.process.startTicks });
  });
});

describe("typing into Claude Code", () => {
  test("approves a pending tool with /exit and Enter: why a stop never types", async () => {
    const { agent, marker } = await startClaudeIn(lab, "permission dialog", "typed-at");
    // A dialog that opened less than about a second ago takes no keys.
    const openedAt = claudeFile(agent).statusUpdatedAt ?? Date.now();
    await until(() => Date.now() - openedAt > 1500);
    key(agent.pane, "/exit", "Enter");
    await until(() => existsSync(marker));
    expect(isAlive(agent.process)).toBe(true);
  });
});

test("a pane that is closed sends SIGHUP, and Claude Code goes", async () => {
  const agent = await startClaude(lab, { name: "closed" });
  const pane = openPane(lab, "beside", lab.work);
  lab.tmux("kill-pane", "-t", agent.pane.id);
  await untilGone([agent.process]);
  expect(panePid(pane)).toBeGreaterThan(0);
});
