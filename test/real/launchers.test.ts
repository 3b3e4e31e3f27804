import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, say, stream } from "./support/agents/agent.ts";
import type { Agent } from "./support/agents/agent.ts";
import { startCopilot } from "./support/agents/copilot.ts";
import { startGemini } from "./support/agents/gemini.ts";
import { startOpencode } from "./support/agents/opencode.ts";
import { openTurns, turnsOf } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { panePid, paneSays } from "./support/panes.ts";
import { identityOf, isAlive, signal, untilGone } from "./support/processes.ts";
import { stays, until } from "./support/until.ts";

// Gemini and Copilot run below a launcher of their own; OpenCode is one process.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["gemini", "copilot", "opencode"]);
  lab = await startLab();
});
afterAll(() => lab.close());

describe("Gemini", () => {
  test("is two processes: the outer ignores a SIGTERM, and goes when the inner does", async () => {
    const agent = await startGemini(lab, { name: "gemini-idle" });
    const outer = identityOf(panePid(agent.pane));
    expect(outer.pid).not.toBe(agent.process.pid);
    expect(paneSays(agent.pane, "#{pane_title}")).toMatch(/^◇ {2}Ready/);

    signal(outer, "SIGTERM");
    expect(await stays(() => isAlive(outer) && isAlive(agent.process), 1500)).toBe(true);
    signal(agent.process, "SIGTERM");
    await untilGone([outer, agent.process]);
  });

  test("stops its turn at a SIGTERM to the inner", async () => {
    const agent = await startGemini(lab, { name: "gemini-streaming" });
    await stream(agent);
    expect(paneSays(agent.pane, "#{pane_title}")).toMatch(/^✦ /);
    await endsWithNothingMore(agent);
  });

  test("does not run what it asks approval for, when a SIGTERM to the inner ends it there", async () => {
    const agent = await startGemini(lab, { name: "gemini-asking" });
    const marker = join(lab.work, "gemini-ran");
    await ask(agent, `BASH touch ${marker}`);
    await until(() => paneSays(agent.pane, "#{pane_title}").startsWith("✋  Action Required"));
    await endsWithNothingMore(agent);
    expect(existsSync(marker)).toBe(false);
  });

  test("can outlive the pane that was made for it", async () => {
    const agent = await startGemini(lab, { name: "gemini-closed" });
    await say(agent, "hello gemini");
    const outer = identityOf(panePid(agent.pane));
    lab.tmux("kill-pane", "-t", agent.pane.id);
    expect(await stays(() => isAlive(outer) && isAlive(agent.process), 2000)).toBe(true);
  });
});

describe("Copilot", () => {
  test("holds a lock of its session under the pid of its inner process, and both go at a SIGTERM to that", async () => {
    const agent = await startCopilot(lab, { name: "copilot-streaming" });
    await say(agent, "hello copilot");
    const lock = await until(() => findInuseLock(agent));
    expect(readFileSync(lock, "utf8").trim()).toBe(String(agent.process.pid));
    await stream(agent);
    const outer = identityOf(panePid(agent.pane));
    await endsWithNothingMore(agent);
    await untilGone([outer]);
    expect(existsSync(lock)).toBe(false);
  });

  test("does not run what it asks approval for, when a SIGTERM ends it there", async () => {
    const agent = await startCopilot(lab, { name: "copilot-asking" });
    const marker = join(lab.work, "copilot-ran");
    await ask(agent, `BASH touch ${marker}`);
    await until(() => readdirSync(sessionState(), { recursive: true, encoding: "utf8" }).some((path) => hasAsked(join(sessionState(), path))));
    await endsWithNothingMore(agent);
    expect(existsSync(marker)).toBe(false);
  });
});

describe("OpenCode", () => {
  test("is one process, which stops its turn at a SIGTERM", async () => {
    const agent = await startOpencode(lab, { name: "opencode-streaming" });
    expect(panePid(agent.pane)).toBe(agent.process.pid);
    await say(agent, "hello opencode");
    await stream(agent);
    await endsWithNothingMore(agent);
  });

  test("leaves the shell that it was typed into", async () => {
    const agent = await startOpencode(lab, { name: "opencode-in-shell", inShell: true });
    const shell = identityOf(panePid(agent.pane));
    await endsWithNothingMore(agent);
    expect(isAlive(shell)).toBe(true);
  });
});

async function endsWithNothingMore(agent: Agent): Promise<void> {
  // Of turns: at its start Gemini also asks for a summary of an earlier conversation, which may be late.
  const sent = turnsOf(lab.model).length;
  signal(agent.process, "SIGTERM");
  await untilGone([agent.process]);
  await until(() => openTurns(lab.model).length === 0);
  await stays(() => turnsOf(lab.model).length === sent, 1000);
  expect(turnsOf(lab.model).slice(sent)).toEqual([]);
}

function sessionState(): string {
  return join(lab.home, ".copilot/session-state");
}

function findInuseLock(agent: Agent): string | undefined {
  const name = `inuse.${agent.process.pid}.lock`;
  return readdirSync(sessionState(), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(name))
    .map((path) => join(sessionState(), path))
    .at(0);
}

function hasAsked(path: string): boolean {
  return path.endsWith("events.jsonl") && readFileSync(path, "utf8").includes('"permission.requested"');
}
