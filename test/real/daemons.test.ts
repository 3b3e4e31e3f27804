import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ask, say, stream } from "./support/agents/agent.ts";
import { clineSessions, findClineHub, startCline, startClineInHub } from "./support/agents/cline.ts";
import { findCodexDaemon, startCodex } from "./support/agents/codex.ts";
import { openTurns } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { withLab } from "./support/lab.ts";
import { key, panePid, paneSays, untilScreen } from "./support/panes.ts";
import { allProcesses, argvOf, environmentOf, identityOf, isAlive, signal, treeOf, untilGone } from "./support/processes.ts";
import { stays, until } from "./support/until.ts";

// Codex and Cline let a daemon outside the pane do the work: that the agent's own process is gone proves little.

beforeAll(() => installRealAgents(["codex", "cline"]));

describe("Codex", () => {
  test("goes at a SIGTERM, while its turn runs on in the daemon", () =>
    withLab(async (lab) => {
      const agent = await startCodex(lab, { name: "left" });
      await stream(agent);
      signal(agent.process, "SIGTERM");
      await untilGone([agent.process]);
      expect(await stays(() => openTurns(lab.model).length === 1, 2000)).toBe(true);
      expect(isAlive(findCodexDaemon(lab)!)).toBe(true);
    }));

  test("has stopped its turn, in the daemon too, when Escape came before the SIGTERM", () =>
    withLab(async (lab) => {
      const agent = await startCodex(lab, { name: "escaped" });
      await stream(agent);
      expect(paneSays(agent.pane, "#{pane_title}")).toMatch(/^[\u2800-\u28FF] /);
      key(agent.pane, "Escape");
      await until(() => openTurns(lab.model).length === 0);
      const sent = lab.model.requests.length;
      signal(agent.process, "SIGTERM");
      await untilGone([agent.process]);
      expect(await stays(() => lab.model.requests.length === sent, 1000)).toBe(true);
      expect(isAlive(findCodexDaemon(lab)!)).toBe(true);
    }));

  test("leaves a running command behind below the daemon, even after Escape, marked with its thread", () =>
    withLab(async (lab) => {
      const agent = await startCodex(lab, { name: "commanding" });
      await ask(agent, "BASH tail -f /dev/null --pid=$$");
      const command = await until(() => allProcesses().find(({ comm, pid }) => comm === "tail" && environmentOf(pid)["HOME"] === lab.home));
      // Within its first second a command is still part of the turn, and goes with it.
      await untilScreen(agent.pane, "background terminal running");
      key(agent.pane, "Escape");
      await untilScreen(agent.pane, "Conversation interrupted");
      signal(agent.process, "SIGTERM");
      await untilGone([agent.process]);
      expect(await stays(() => isAlive(command), 1500)).toBe(true);
      expect(treeOf(findCodexDaemon(lab)!.pid).map(({ pid }) => pid)).toContain(command.pid);
      expect(rollouts(lab.home).join()).toContain(environmentOf(command.pid)["CODEX_THREAD_ID"]);
    }));

  test("does not run what it asks approval for, when a SIGTERM ends it there", () =>
    withLab(async (lab) => {
      const agent = await startCodex(lab, { name: "asking" });
      const marker = join(lab.work, "tool-ran");
      await ask(agent, `BASH ESC touch ${marker}`);
      await until(() => /^\[ [!.] \] Action Required \| /.test(paneSays(agent.pane, "#{pane_title}")));
      const sent = lab.model.requests.length;
      signal(agent.process, "SIGTERM");
      await untilGone([agent.process]);
      expect(await stays(() => lab.model.requests.length === sent && !existsSync(marker), 2000)).toBe(true);
    }));

  test("runs the thread itself where a setting is given by -c: it holds the thread's lock, and its turn ends with it", () =>
    withLab(async (lab) => {
      const agent = await startCodex(lab, { name: "embedded", args: ["-c", "tui.animations=true"] });
      await stream(agent);
      expect(findCodexDaemon(lab)).toBeUndefined();
      expect(openFiles(agent.process.pid).join()).toMatch(/thread-writer-locks\/[0-9a-f-]{36}\.lock/);
      signal(agent.process, "SIGTERM");
      await untilGone([agent.process]);
      await until(() => openTurns(lab.model).length === 0);
    }));

  test("is one process where Node can replace itself, and has a launcher where it can't", () =>
    withLab(async (lab) => {
      const replaced = await startCodex(lab, { name: "replaced" });
      expect(panePid(replaced.pane)).toBe(replaced.process.pid);
      const older = { NODE_OPTIONS: "--import=data:text/javascript,delete(process.execve)" };
      const launched = await startCodex(lab, { name: "launched", env: older });
      expect(argvOf(panePid(launched.pane))[0]).toBe("node");
      signal(launched.process, "SIGTERM");
      await untilGone(treeOf(panePid(launched.pane)).filter(({ comm }) => comm !== "codex"));
    }));
});

describe("Cline", () => {
  test("ends its turn at a SIGTERM, whoever runs it, and leaves the hub", () =>
    withLab(async (lab) => {
      const first = await startCline(lab, { name: "first" });
      await stream(first);
      signal(first.process, "SIGTERM");
      await untilGone([first.process]);
      await until(() => openTurns(lab.model).length === 0);

      const hosted = await startClineInHub(lab, { name: "hosted" });
      const hub = findClineHub(lab)!;
      await say(hosted, "hello hosted");
      await stream(hosted);
      expect(clineSessions(lab).at(-1)).toMatchObject({ pid: hub.pid, status: "running" });
      const launcher = identityOf(panePid(hosted.pane));
      signal(hosted.process, "SIGTERM");
      await untilGone([launcher, hosted.process]);
      await until(() => openTurns(lab.model).length === 0);
      expect(isAlive(hub)).toBe(true);
    }));

  test("tells in its log which session its process began", () =>
    withLab(async (lab) => {
      const agent = await startClineInHub(lab, { name: "logged" });
      await say(agent, "hello logged");
      const lines = readFileSync(join(lab.home, ".cline/data/logs/cline.log"), "utf8").trim().split("\n");
      const begun = lines.map(parsed).findLast(({ pid, event }) => pid === agent.process.pid && event === "session.started");
      expect(begun?.properties.sessionId).toBe(clineSessions(lab).at(-1)?.session_id);
    }));

  test("does not run what it asks approval for, when a SIGTERM ends it there, yet its file goes on saying running", () =>
    withLab(async (lab) => {
      const agent = await startClineInHub(lab, { name: "asking", args: ["--auto-approve", "false"] });
      const marker = join(lab.work, "tool-ran");
      await say(agent, "hello asking");
      await ask(agent, `BASH touch ${marker}`);
      await until(() => clineSessions(lab).at(-1)?.status === "pending");
      const sent = lab.model.requests.length;
      signal(agent.process, "SIGTERM");
      await untilGone([agent.process]);
      expect(await stays(() => lab.model.requests.length === sent && !existsSync(marker), 2000)).toBe(true);
      expect(clineSessions(lab).at(-1)?.status).toBe("running");
    }));
});

function rollouts(home: string): readonly string[] {
  return readdirSync(join(home, ".codex/sessions"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".jsonl"));
}

function openFiles(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
}

function parsed(line: string): { readonly pid: number; readonly event?: string; readonly properties: { readonly sessionId?: string } } {
  return JSON.parse(line) as ReturnType<typeof parsed>;
}
