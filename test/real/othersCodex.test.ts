import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { ask, say, stream } from "./support/agents/agent.ts";
import type { Agent } from "./support/agents/agent.ts";
import { findCodexDaemon, isCodexTurnAborted, lastCodexThread, startCodex } from "./support/agents/codex.ts";
import { openTurns } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { panePid, paneSays, untilScreen } from "./support/panes.ts";
import { allProcesses, argvOf, environmentOf, identityOf, isAlive } from "./support/processes.ts";
import { purgesWell } from "./support/purges.ts";
import { resumeCommand, resumeInPane, stopsWell } from "./support/stops.ts";
import { until } from "./support/until.ts";
import { listed, stop, untilListed } from "./support/warden.ts";

// The product on the real Codex. All windows of this lab share one daemon; each test has a folder of its own.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["codex"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

describe("Codex, whose daemon runs the turn", () => {
  test("is idle after its turn, is stopped with its id saved, and is taken up again", async () => {
    const agent = await startCodexIn("idle");
    const { row, receipt } = await stopsWell(agent, "idle");
    expect(row.conversation_id).toBe(lastCodexThread(lab));
    expect(receipt).toMatchObject({ captured_id: row.conversation_id, captured_by: "agent" });
    // It began the daemon, which goes on for others.
    expect(receipt.warnings).toContain(`codex (${findCodexDaemon(lab)?.pid}) carries its mark and was left alone.`);
    expect(await resumeCommand(agent, row)).toBe(`cd -- ${agent.cwd} && codex resume ${row.conversation_id}`);

    await resumeInPane(agent, row, "pong: hello idle");
    const again = await untilListed(agent, "idle");
    expect(again).toMatchObject({ conversation_id: row.conversation_id, resumable: true });
    expect(await stop(lab, again)).toMatchObject({ status: "success", captured_id: row.conversation_id });
  });

  test("is purged without a trace that is not told", async () => {
    const agent = await startCodexIn("purged");
    const row = await untilListed(agent, "idle");
    const { captured_id: id } = await stop(lab, row);
    await purgesWell(lab, row.key, { id: id ?? "none", marker: "pong: hello purged" });
  });

  test("is stopped while it streams: the turn in the daemon too", async () => {
    const agent = await startCodexIn("streaming");
    await stream(agent);
    const { row, receipt } = await stopsWell(agent, "working");
    expect(receipt.captured_id).toBe(row.conversation_id);
    expect(receipt.captured_id).toBe(lastCodexThread(lab));
    expect(isCodexTurnAborted(lab, receipt.captured_id)).toBe(true);
    expect(isAlive(findCodexDaemon(lab)!)).toBe(true);
  });

  test("is stopped while it asks for an approval: the command never runs, and the daemon waits for no answer", async () => {
    const agent = await startCodexIn("asking");
    const marker = join(agent.cwd, "tool-ran");
    await ask(agent, `BASH ESC touch ${marker}`);
    const { receipt } = await stopsWell(agent, "needsInput", { marker });
    expect(receipt.captured_id).toBe(lastCodexThread(lab));
    expect(isCodexTurnAborted(lab, receipt.captured_id)).toBe(true);
  });

  test("is stopped where no key can be pressed, as in a terminal without tmux: the turn in the daemon too", async () => {
    const agent = await startCodexIn("plain");
    await stream(agent);
    const { row, receipt } = await stopsWell(agent, "working", { flags: ["--tmux-program", "no-tmux-here"] });
    expect(row.tmux).toBeNull();
    expect(receipt.captured_id).toBe(lastCodexThread(lab));
  });

  test("leaves a command that it started running, which its receipt names", async () => {
    const agent = await startCodexIn("commanding");
    await ask(agent, "BASH sleep 600");
    const command = await until(() => allProcesses().find(({ comm, pid }) => comm === "sleep" && environmentOf(pid)["HOME"] === lab.home));
    await untilScreen(agent.pane, "background terminal running");
    const { receipt } = await stopsWell(agent, "working");
    expect(isCodexTurnAborted(lab, receipt.captured_id)).toBe(true);
    // It runs below the daemon, which another pane's window began: only the thread's id tells whose it is.
    expect(environmentOf(command.pid)["CODEX_THREAD_ID"]).toBe(receipt.captured_id);
    expect(environmentOf(command.pid)["TMUX_PANE"]).not.toBe(agent.pane.id);
    expect(isAlive(command)).toBe(true);
    expect(receipt.warnings).toContain(`sleep (${command.pid}) carries its mark and was left alone.`);
  });

  test("has no id where two windows are in one folder: that is said, and the other goes on", async () => {
    const one = await startCodexIn("twice");
    const other = await startCodex(lab, { name: "twice-too", cwd: one.cwd });
    await say(other, "hello other");
    const rows = await until(async () => {
      const both = (await listed(lab)).filter(({ cwd, pid }) => cwd === one.cwd && pid !== null);
      return both.length === 2 ? both : undefined;
    });
    expect(rows.map(({ conversation_id }) => conversation_id)).toEqual([null, null]);

    const receipt = await stop(
      lab,
      rows.find(({ pid }) => pid === one.process.pid)!,
    );
    expect(receipt).toMatchObject({ status: "success", code: 0, captured_id: null });
    expect(receipt.warnings).toContain("No conversation id was found before the agent was asked to leave.");
    expect([isAlive(one.process), isAlive(other.process)]).toEqual([false, true]);
    await say(other, "hello again");
  });

  test("goes with its launcher, and leaves the shell that it was typed into", async () => {
    const older = { NODE_OPTIONS: "--import=data:text/javascript,delete(process.execve)" };
    const agent = await startCodexIn("launched", { inShell: true, env: older });
    const shell = identityOf(panePid(agent.pane));
    const launcher = allProcesses().find(({ ppid }) => ppid === shell.pid)!;
    expect(argvOf(launcher.pid)[0]).toBe("node");
    const { receipt } = await stopsWell(agent, "idle");
    expect(receipt.captured_id).toBe(lastCodexThread(lab));
    expect([isAlive(launcher), isAlive(shell)]).toEqual([false, true]);
  });
});

test("Codex that runs its thread itself is known by the thread's lock, and its turn ends with it", async () => {
  const agent = await startCodexIn("embedded", { args: ["-c", "tui.animations=true"] });
  await stream(agent);
  await until(() => paneSays(agent.pane, "#{pane_title}").match(/^[\u2800-\u28FF] /));
  const { row, receipt } = await stopsWell(agent, "working");
  expect(receipt).toMatchObject({ captured_id: row.conversation_id, captured_by: "agent" });
  expect(receipt.captured_id).toBe(lastCodexThread(lab));
  await resumeCommand(agent, row);
});

/** After a first turn, with which its conversation begins. */
async function startCodexIn(
  name: string,
  start: { readonly args?: readonly string[]; readonly env?: Lab["env"]; readonly inShell?: boolean } = {},
): Promise<Agent> {
  const agent = await startCodex(lab, { name, cwd: lab.folder(name), ...start });
  await say(agent, `hello ${name}`);
  expect(openTurns(lab.model)).toEqual([]);
  return agent;
}
