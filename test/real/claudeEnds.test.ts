import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import type { Listed } from "../support/stage.ts";
import { ask, say } from "./support/agents/agent.ts";
import type { Agent } from "./support/agents/agent.ts";
import { quietClaude, startClaude, untilClaude } from "./support/agents/claude.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { openPane, submit, untilScreen } from "./support/panes.ts";
import { argvOf, identityOf, isAlive, signal, treeOf, untilGone } from "./support/processes.ts";
import type { ProcessIdentity } from "./support/processes.ts";
import { until } from "./support/until.ts";
import { listed, stop, untilListed, warden } from "./support/warden.ts";

// When more has to end than Claude Code itself, and when nobody asked it to.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["claude"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

const rowsOf = async ({ cwd }: Agent): Promise<readonly Listed[]> => (await listed(lab)).filter((row) => row.cwd === cwd);

test("killed, it is exited at the next look, with its id, and is taken up again by the command that is told", async () => {
  const agent = await startClaude(lab, { name: "killed", cwd: lab.folder("killed") });
  await say(agent, "hello killed");
  const { sessionId } = await untilClaude(agent, "idle");
  const { key } = await untilListed(agent, "idle");

  signal(agent.process, "SIGKILL");
  await untilGone([agent.process]);
  // It could not remove the file by which it says that it is idle.
  expect(existsSync(join(lab.home, `.claude/sessions/${agent.process.pid}.json`))).toBe(true);
  expect(await rowsOf(agent)).toMatchObject([{ key, status: "exited", conversation_id: sessionId, resumable: true, pid: null }]);

  const resumed = openPane(lab, "killed-resumed", lab.root, [], quietClaude);
  await untilScreen(resumed, /[$#]\s*$/);
  await submit(resumed, (await warden(lab, "resume", key, "--print")).stdout);
  // Looked at while it starts: its process is there before it tells which conversation it goes on with.
  await until(async () => (await rowsOf(agent)).some(({ pid }) => pid !== null));
  await untilScreen(resumed, "pong: hello killed");
  await untilListed({ ...agent, pane: resumed }, "idle");
  expect(await rowsOf(agent)).toMatchObject([{ key, status: "idle", conversation_id: sessionId }]);
});

describe("with a server of its own whose child hears no request", () => {
  const withDeafChild = async (name: string): Promise<{ readonly agent: Agent; readonly child: ProcessIdentity; readonly row: Listed }> => {
    // Claude Code kills the server itself as it leaves, but not what the server has started.
    const server = { type: "stdio", command: "sh", args: ["-c", "trap '' TERM HUP INT; tail -f /dev/null; true"] };
    const args = ["--mcp-config", JSON.stringify({ mcpServers: { deaf: server } })];
    const agent = await startClaude(lab, { name, cwd: lab.folder(name), args });
    await say(agent, `hello ${name}`);
    await untilClaude(agent, "idle");
    const row = await untilListed(agent, "idle");
    const { pid } = await until(() => treeOf(agent.process.pid).find(({ comm }) => comm === "tail"));
    return { agent, row, child: identityOf(pid) };
  };

  test("a stop names the child that is left, and no book says that it is over", async () => {
    const { agent, row, child } = await withDeafChild("deaf-stopped");
    const receipt = await stop(lab, row);
    expect([isAlive(agent.process), isAlive(child)]).toEqual([false, true]);
    expect(receipt).toMatchObject({ code: 1, status: "partial", survivors: [{ name: "tail", pid: child.pid }], captured_id: row.conversation_id });
    expect(receipt.message).toContain(`still running: tail (${child.pid})`);
    expect((await rowsOf(agent))[0]?.status).not.toBe("stopped");
    signal(child, "SIGKILL");
  });

  test("terminate ends all of them, and its receipt names who had to be killed", async () => {
    const { agent, row, child } = await withDeafChild("deaf-terminated");
    const tree = treeOf(agent.process.pid);
    const answer = await warden(lab, "terminate", row.key, "--yes", "--json");
    const receipt = answer.json();
    expect(tree.filter(isAlive)).toEqual([]);
    expect(answer.code).toBe(0);
    expect(receipt).toMatchObject({ status: "success", termination_method: "forced", survivors: [], captured_id: row.conversation_id });
    const seen = receipt.steps.map(({ step, verified, seen: told }) => [step, verified, told]);
    const left = `tail (${child.pid})`;
    expect(seen.slice(-3)).toEqual([
      ["ask", false, left],
      ["hangUp", false, left],
      ["kill", true, "nothing is left"],
    ]);
    expect(await rowsOf(agent)).toMatchObject([{ status: "stopped", why: "forced", conversation_id: row.conversation_id, resumable: true }]);
  });
});

test("what its tool has put into a session of its own, outside its tree, is named and left alone", async () => {
  const agent = await startClaude(lab, { name: "left-behind", cwd: lab.folder("left-behind"), args: ["--allowedTools", "Bash"] });
  await ask(agent, "BASH setsid -f tail -f /dev/null");
  await untilScreen(agent.pane, "done");
  await untilClaude(agent, "idle");
  const isBelow = (pid: number): boolean => treeOf(agent.process.pid).some((below) => below.pid === pid);
  const daemon = await until(() => lab.processes().find(({ pid }) => argvOf(pid)[0] === "tail" && !isBelow(pid)));
  const row = await untilListed(agent, "idle");

  const receipt = await stop(lab, row);
  expect(receipt).toMatchObject({ code: 0, status: "success", captured_id: row.conversation_id, survivors: [] });
  expect(receipt.warnings.join("\n")).toContain(`tail (${daemon.pid})`);
  expect([isAlive(agent.process), isAlive(daemon)]).toEqual([false, true]);
});
