import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { python } from "../support/python.ts";
import type { Listed } from "../support/stage.ts";
import { say } from "./support/agents/agent.ts";
import { claudeFile, configureClaude, quietClaude, startClaude, untilClaude } from "./support/agents/claude.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { isOpen, openPane, submit, untilScreen } from "./support/panes.ts";
import { isAlive, signal, treeOf, untilGone } from "./support/processes.ts";
import { asEditor, claudeIn, newClaude, withRegistry } from "./support/registry.ts";
import type { RegistryLab } from "./support/registry.ts";
import { until } from "./support/until.ts";
import { listed, untilListed, warden } from "./support/warden.ts";

// Real Claude Code under a registry's names.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["claude"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

const rowsIn = async (within: RegistryLab, cwd: string): Promise<readonly Listed[]> => (await listed(within)).filter((row) => row.cwd === cwd);

test("New Session → prompt → stop → resume: the same conversation in the same row; the new id of a `/clear` is saved", async () => {
  const mux = withRegistry(lab, "life");
  const cwd = lab.folder("life");
  const name = "life-creator-claude";
  const { agent, receipt } = await newClaude(mux, name, cwd);
  const { sessionId } = await untilClaude(agent, "idle");
  expect(receipt).toMatchObject({ result: { kind: "success" }, captured: { id: sessionId, toldBy: "agent" }, warnings: [] });
  expect(receipt.records).toMatchObject([{ record: `mux:${name}`, change: "added", outcome: { kind: "recorded" } }]);
  expect(mux.rows()).toMatchObject([{ name, status: "running", pane: { cwd } }]);
  await say(agent, "hello registry");
  await untilClaude(agent, "idle");
  const begun = await untilListed({ ...agent, lab: mux }, "idle");
  expect(begun.records.map(({ key }) => key)).toContain(`mux:${name}`);

  const stopped = await warden(mux, "stop", "--session", name);
  expect([stopped.code, stopped.stderr, isAlive(agent.process)]).toEqual([0, "", false]);
  expect(mux.rows()).toMatchObject([
    { name, status: "stopped", stop_reason: "manual_stop", termination_mode: "graceful", claude_session_id_own: sessionId, resumable: true },
  ]);
  expect(await rowsIn(mux, cwd)).toMatchObject([{ status: "stopped", conversation_id: sessionId, resumable: true, pid: null }]);

  const resumed = await warden(mux, "resume", `mux:${name}`);
  expect([resumed.code, resumed.stderr, resumed.stdout]).toEqual([0, "", `It runs in the tmux session ${name}.`]);
  const again = await claudeIn(lab, name, cwd);
  await untilScreen(again.pane, "pong: hello registry");
  expect((await untilClaude(again, "idle")).sessionId).toBe(sessionId);
  expect(mux.rows()).toMatchObject([{ name, status: "running", claude_session_id_own: sessionId }]);
  expect(mux.rows()[0]).not.toHaveProperty("stopped_at");
  await untilListed({ ...again, lab: mux }, "idle");
  expect(await rowsIn(mux, cwd)).toMatchObject([{ key: begun.key, status: "idle", conversation_id: sessionId, pid: again.process.pid }]);

  await submit(again.pane, "/clear");
  const cleared = await until(() => {
    const { sessionId: now } = claudeFile(again);
    return now === sessionId ? undefined : now;
  });
  await say(again, "hello after clear");
  await untilClaude(again, "idle");
  expect(await warden(mux, "stop", "--session", name)).toMatchObject({ code: 0, stderr: "" });
  expect(mux.rows()).toMatchObject([{ name, status: "stopped", claude_session_id_own: cleared, resumable: true }]);

  expect((await warden(mux, "resume", `mux:${name}`)).code).toBe(0);
  const third = await claudeIn(lab, name, cwd);
  await untilScreen(third.pane, "pong: hello after clear");
  expect((await untilClaude(third, "idle")).sessionId).toBe(cleared);
  expect((await warden(mux, "stop", "--session", name)).code).toBe(0);
});

test("tracked and killed it is exited, and finalized with its reason and its id", async () => {
  const mux = withRegistry(lab, "killed");
  const name = "killed-creator-claude";
  const agent = await startClaude(lab, { name, cwd: lab.folder("killed") });
  await say(agent, "hello killed");
  const { sessionId } = await untilClaude(agent, "idle");
  const { key } = await untilListed({ ...agent, lab: mux }, "idle");
  expect(await asEditor(mux, "track", key)).toMatchObject({ result: { kind: "success" }, records: [{ record: `mux:${name}` }] });
  expect(mux.rows()).toMatchObject([{ name, status: "running", claude_session_id_own: sessionId }]);
  expect((await warden(mux, "finalize", `mux:${name}`)).code).not.toBe(0);
  expect(mux.rows()).toMatchObject([{ name, status: "running" }]);

  signal(agent.process, "SIGKILL");
  await untilGone([agent.process]);
  const rows = await rowsIn(mux, agent.cwd);
  expect(rows).toMatchObject([{ status: "exited", conversation_id: sessionId, pid: null }]);
  expect(rows[0]?.records.map((record) => record.key)).toContain(`mux:${name}`);
  expect(mux.rows()).toMatchObject([{ status: "running" }]);

  expect(await warden(mux, "finalize", `mux:${name}`)).toMatchObject({ code: 0, stderr: "" });
  expect(mux.rows()).toMatchObject([{ name, status: "stopped", stop_reason: "agent_exited", claude_session_id_own: sessionId, resumable: true }]);
  expect(await rowsIn(mux, agent.cwd)).toMatchObject([{ status: "stopped", conversation_id: sessionId }]);
});

describe.each(["a Python script", "a program called ssh", "a second terminal by script(1)"] as const)("below %s", (wrapper) => {
  test("it is not exited while it lives, also by a row that knows no id, and is not finalized; when it has ended it is exited", async () => {
    const title = wrapper.replaceAll(/\W+/g, "-");
    const mux = withRegistry(lab, title);
    const cwd = lab.folder(title);
    const name = `${title}-creator-claude`;
    configureClaude(lab);
    mux.write({ name, status: "running", pane: { cwd } });
    const pane = openPane(lab, name, cwd, argvOf[wrapper](cwd), quietClaude);
    const { process } = await claudeIn(lab, name, cwd);
    const agent = { lab, pane, cwd, process };
    await untilClaude(agent, "idle");
    await say(agent, `hello ${title}`);
    await untilClaude(agent, "idle");

    for (let look = 0; look < 3; look++) {
      const rows = await rowsIn(mux, cwd);
      const own = rows.find(({ records }) => records.some(({ key }) => key === `mux:${name}`));
      expect(own?.status).toBe(wrapper === "a second terminal by script(1)" ? "unknown" : "idle");
      expect(rows.filter(({ pid }) => pid !== null)).toMatchObject([{ pid: process.pid, status: "idle" }]);
    }
    expect((await warden(mux, "finalize", `mux:${name}`)).code).not.toBe(0);
    expect(mux.rows()).toEqual([{ name, status: "running", pane: { cwd } }]);
    expect(isAlive(process)).toBe(true);
    mux.write({ name, status: "running", pane: { cwd }, claude_session_id_own: claudeFile(agent).sessionId });
    expect(await rowsIn(mux, cwd)).toMatchObject([{ pid: process.pid, status: "idle" }]);
    mux.write({ name, status: "running", pane: { cwd } });

    for (const each of treeOf(process.pid)) signal(each, "SIGKILL");
    await until(() => !isOpen(pane));
    const rows = await rowsIn(mux, cwd);
    expect(rows.filter(({ records }) => records.some(({ key }) => key === `mux:${name}`))).toMatchObject([{ status: "exited", pid: null }]);
  });
});

const claude = ["claude", "--permission-mode", "manual"] as const;
const argvOf: { readonly [wrapper in "a Python script" | "a program called ssh" | "a second terminal by script(1)"]: (cwd: string) => readonly string[] } = {
  "a Python script": () => [python, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])", ...claude],
  "a program called ssh": (cwd) => {
    const ssh = join(cwd, "ssh");
    copyFileSync("/bin/bash", ssh);
    // With something after it bash stays.
    return [ssh, "-c", `${claude.join(" ")}; true`];
  },
  "a second terminal by script(1)": () => ["script", "-qc", claude.join(" "), "/dev/null"],
};
