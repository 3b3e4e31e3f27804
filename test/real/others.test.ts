import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { ask, say, stream } from "./support/agents/agent.ts";
import type { Agent, Start } from "./support/agents/agent.ts";
import { startCopilot } from "./support/agents/copilot.ts";
import { startGemini } from "./support/agents/gemini.ts";
import { startOpencode } from "./support/agents/opencode.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { panePid, untilScreen } from "./support/panes.ts";
import { identityOf, isAlive } from "./support/processes.ts";
import { purgesWell } from "./support/purges.ts";
import { resumeCommand, resumeInPane, stopsWell } from "./support/stops.ts";
import { stop, untilListed, warden } from "./support/warden.ts";

// The product on the real Gemini CLI, Copilot CLI and OpenCode. Each test has a folder of its own: Gemini asks the model for a summary of the last session of its folder.

const noId = "No conversation id was found before the agent was asked to leave.";
let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["gemini", "copilot", "opencode"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

describe("Gemini", () => {
  test.for([
    ["idle", "idle"],
    ["streaming", "working"],
    ["asking", "needsInput"],
  ] as const)("goes with its outer process when it is %s, and that its id is not known is said", async ([state, status]) => {
    const agent = await startIn(startGemini, `gemini-${state}`);
    const outer = identityOf(panePid(agent.pane));
    const marker = await bringInto(agent, state);
    const { row, receipt } = await stopsWell(agent, status, { marker });
    expect(isAlive(outer)).toBe(false);
    expect(row.conversation_id).toBeNull();
    expect(receipt).toMatchObject({ captured_id: null, warnings: [noId] });
    expect(await warden(lab, "resume", row.key, "--print")).toMatchObject({ code: 1, stdout: "" });
  });

  test("has an id where it was started with one, and leaves the shell that it was typed into", async () => {
    const id = crypto.randomUUID();
    const agent = await startIn(startGemini, "gemini-typed", { inShell: true, args: ["--session-id", id] });
    const shell = identityOf(panePid(agent.pane));
    const { row, receipt } = await stopsWell(agent, "idle");
    expect(isAlive(shell)).toBe(true);
    expect([row.conversation_id, receipt.captured_id]).toEqual([id, id]);
    expect(await resumeCommand(agent, row)).toBe(`cd -- ${agent.cwd} && gemini --resume ${id}`);
    await resumeInPane(agent, row, "pong: hello gemini-typed");
    const again = await untilListed(agent, "idle");
    expect(again).toMatchObject({ conversation_id: id });
    await stop(lab, again);
    await purgesWell(lab, again.key, { id, marker: "pong: hello gemini-typed" });
  });
});

describe("Copilot", () => {
  test.for([
    ["idle", "idle"],
    ["streaming", "working"],
    ["asking", "needsInput"],
  ] as const)("is stopped when it is %s, with the id that its lock tells", async ([state, status]) => {
    const agent = await startIn(startCopilot, `copilot-${state}`);
    const marker = await bringInto(agent, state);
    const { row, receipt } = await stopsWell(agent, status, { marker });
    expect(row).toMatchObject({ resumable: true });
    expect(receipt).toMatchObject({ captured_id: row.conversation_id, captured_by: "agent", warnings: [] });
    expect(await resumeCommand(agent, row)).toBe(`cd -- ${agent.cwd} && copilot --resume=${row.conversation_id}`);
    if (state === "idle") await purgesWell(lab, row.key, { id: row.conversation_id ?? "none", marker: `pong: hello ${agent.pane.session}` });
  });

  test("leaves the shell that it was typed into", async () => {
    const agent = await startIn(startCopilot, "copilot-typed", { inShell: true });
    const shell = identityOf(panePid(agent.pane));
    await stopsWell(agent, "idle");
    expect(isAlive(shell)).toBe(true);
  });
});

describe("OpenCode, of which nothing tells what it does", () => {
  test.for(["idle", "streaming", "asking"] as const)("is stopped when it is %s, with the id that it tells as it leaves", async (state) => {
    const agent = await startIn(startOpencode, `opencode-${state}`);
    const marker = await bringInto(agent, state);
    const { row, receipt } = await stopsWell(agent, "open", { marker });
    expect(row.conversation_id).toBeNull();
    expect(receipt).toMatchObject({ captured_id: expect.stringMatching(/^ses_/), captured_by: "exit", warnings: [] });
    expect(await resumeCommand(agent, row)).toBe(`cd -- ${agent.cwd} && opencode -s ${receipt.captured_id}`);
    if (state !== "idle") return;
    const pane = await resumeInPane(agent, row, `pong: hello ${agent.pane.session}`);
    expect(pane.session).toBe("resumed-opencode-idle");
    expect(await untilListed(agent, "open")).toMatchObject({ conversation_id: receipt.captured_id });
  });

  test("leaves the shell that it was typed into", async () => {
    const agent = await startIn(startOpencode, "opencode-typed", { inShell: true });
    const shell = identityOf(panePid(agent.pane));
    const { receipt } = await stopsWell(agent, "open");
    expect(isAlive(shell)).toBe(true);
    // What it says as it leaves is read in a pane of its own only.
    expect(receipt).toMatchObject({ captured_id: null, warnings: [noId] });
  });
});

/** After a first turn; in a folder where OpenCode asks before it runs a command, as the others do by themselves. */
async function startIn(start: (lab: Lab, start: Start) => Promise<Agent>, name: string, more: Partial<Start> = {}): Promise<Agent> {
  const cwd = lab.folder(name);
  writeFileSync(join(cwd, "opencode.json"), JSON.stringify({ permission: { bash: "ask" } }));
  const agent = await start(lab, { name, cwd, ...more });
  await say(agent, `hello ${name}`);
  return agent;
}

/** Resolves with what would be there if the command that it asks for had run. */
async function bringInto(agent: Agent, state: "idle" | "streaming" | "asking"): Promise<string> {
  const marker = join(agent.cwd, "tool-ran");
  if (state === "streaming") await stream(agent);
  if (state === "asking") {
    await ask(agent, `BASH touch ${marker}`);
    await untilScreen(agent.pane, /Allow|Permission required|Do you want to/i);
  }
  return marker;
}
