import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { ask, say, stream } from "./support/agents/agent.ts";
import type { Agent } from "./support/agents/agent.ts";
import { clineSessions, findClineHub, startCline, untilClineHub } from "./support/agents/cline.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { panePid } from "./support/panes.ts";
import { allProcesses, environmentOf, identityOf, isAlive } from "./support/processes.ts";
import { purgesWell } from "./support/purges.ts";
import { resumeCommand, resumeInPane, stopsWell } from "./support/stops.ts";
import { until } from "./support/until.ts";
import { stop, untilListed } from "./support/warden.ts";

// The product on the real Cline. A HOME's first window may run its session itself, and starts the hub that runs those of all later ones.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["cline"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

test("a HOME's first Cline is stopped while it streams, whoever runs its session; the hub that it started is named and left", async () => {
  const agent = await startClineIn("first");
  await stream(agent);
  const hub = await untilClineHub(lab);
  const { row, receipt } = await stopsWell(agent, "working");
  expect(row.conversation_id).toBe(clineSessions(lab).at(-1)?.session_id);
  expect(receipt).toMatchObject({ captured_id: row.conversation_id, captured_by: "agent" });
  expect(receipt.warnings).toContain(`.cline (${hub.pid}) carries its mark and was left alone.`);
  expect(isAlive(hub)).toBe(true);
});

describe("Cline, whose hub runs the turn", () => {
  test("is idle after its turn, is stopped with its id saved, is taken up again, and is purged without a trace that is not told", async () => {
    const agent = await startClineIn("idle");
    const { row, receipt } = await stopsWell(agent, "idle");
    expect(row.conversation_id).toBe(clineSessions(lab).at(-1)?.session_id);
    expect(receipt).toMatchObject({ captured_id: row.conversation_id, captured_by: "agent", warnings: [] });
    expect(await resumeCommand(agent, row)).toBe(`cd -- ${agent.cwd} && cline --id ${row.conversation_id}`);

    await resumeInPane(agent, row, "pong: hello idle");
    const again = await untilListed(agent, "idle");
    expect(again).toMatchObject({ conversation_id: row.conversation_id, resumable: true });
    expect(await stop(lab, again)).toMatchObject({ status: "success", captured_id: row.conversation_id });
    await purgesWell(lab, again.key, { id: row.conversation_id ?? "none", marker: "pong: hello idle" });
  });

  test("is stopped while it streams: the turn in the hub too", async () => {
    const agent = await startClineIn("streaming");
    await stream(agent);
    await endsInHub(agent, "working");
  });

  test("is stopped while it asks for an approval: the command never runs, and the hub waits for no answer", async () => {
    const agent = await startClineIn("asking", { args: ["--auto-approve", "false"] });
    const marker = join(agent.cwd, "tool-ran");
    await ask(agent, `BASH touch ${marker}`);
    await endsInHub(agent, "needsInput", { marker });
  });

  test("is stopped where no key can be pressed, as in a terminal without tmux: the turn in the hub too", async () => {
    const agent = await startClineIn("plain");
    await stream(agent);
    const row = await endsInHub(agent, "working", { flags: ["--tmux-program", "no-tmux-here"] });
    expect(row.tmux).toBeNull();
  });

  test("is stopped while a command runs: the command ends too", async () => {
    const agent = await startClineIn("commanding");
    await ask(agent, "BASH sleep 600");
    const command = await until(() => allProcesses().find(({ comm, pid }) => comm === "sleep" && environmentOf(pid)["HOME"] === lab.home));
    await endsInHub(agent, "working");
    await until(() => !isAlive(command), 5_000);
  });

  test("leaves the shell that it was typed into", async () => {
    const agent = await startClineIn("typed", { inShell: true });
    const shell = identityOf(panePid(agent.pane));
    const { receipt } = await stopsWell(agent, "idle");
    expect(receipt.captured_id).toBe(clineSessions(lab).at(-1)?.session_id);
    expect(isAlive(shell)).toBe(true);
  });
});

/** After a first turn, with which its session begins. */
async function startClineIn(name: string, start: { readonly args?: readonly string[]; readonly inShell?: boolean } = {}): Promise<Agent> {
  const agent = await startCline(lab, { name, cwd: lab.folder(name), ...start });
  await say(agent, `hello ${name}`);
  return agent;
}

/** Stops it, and looks whether its session, which the hub keeps, is at rest by the hub's own file. */
async function endsInHub(agent: Agent, status: string, more: Parameters<typeof stopsWell>[2] = {}) {
  const hub = findClineHub(lab)!;
  expect(clineSessions(lab).at(-1)?.pid).toBe(hub.pid);
  const { row, receipt } = await stopsWell(agent, status, more);
  expect(receipt).toMatchObject({ captured_id: row.conversation_id, captured_by: "agent" });
  expect(clineSessions(lab).find(({ session_id }) => session_id === row.conversation_id)?.status).toBe("idle");
  expect(isAlive(hub)).toBe(true);
  return row;
}
