import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, say } from "./support/agents/agent.ts";
import { claudeFile, findTranscript, startClaude, untilClaude } from "./support/agents/claude.ts";
import { claudeStates, startClaudeIn } from "./support/agents/claudeStates.ts";
import { openTurns } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { isOpen, key, openPane, panePid, paneSays, submit, untilScreen } from "./support/panes.ts";
import { executableOf, identityOf, isAlive, signal, treeOf, untilGone } from "./support/processes.ts";
import { stays, until } from "./support/until.ts";

// What the product relies on in Claude Code, looked at in the real program: a new version that behaves otherwise fails here, not at a person's desk.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["claude"]);
  lab = await startLab();
});
afterAll(() => lab.close());

describe("a SIGTERM to Claude Code", () => {
  test.for(claudeStates)("ends it %s: nothing runs, nothing is sent, the conversation is found again", async (state) => {
    const { agent, conversationId, said, marker } = await startClaudeIn(lab, state);
    const isInShell = state === "inside a user's shell";
    const shell = identityOf(panePid(agent.pane));
    const tree = treeOf(agent.process.pid);
    const sent = lab.model.requests.length;

    signal(agent.process, "SIGTERM");
    await untilGone(tree);
    await until(() => openTurns(lab.model).length === 0);
    expect(await stays(() => lab.model.requests.length === sent && !existsSync(marker), 1000)).toBe(true);
    expect(existsSync(join(lab.home, `.claude/sessions/${agent.process.pid}.json`))).toBe(false);
    await until(() => isOpen(agent.pane) === isInShell);
    expect(isAlive(shell)).toBe(isInShell);

    expect(findTranscript(lab, conversationId)).toBeDefined();
    const resumed = await startClaude(lab, { name: `resumed-${agent.pane.session}`, cwd: agent.cwd, args: ["--resume", conversationId] });
    await untilScreen(resumed.pane, `pong: ${said}`);
    expect(claudeFile(resumed).sessionId).toBe(conversationId);
    signal(resumed.process, "SIGTERM");
    await untilGone([resumed.process]);
  });
});

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
