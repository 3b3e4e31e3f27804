import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { quietClaude } from "./support/agents/claude.ts";
import { claudeStates, startClaudeIn } from "./support/agents/claudeStates.ts";
import type { ClaudeState } from "./support/agents/claudeStates.ts";
import { openTurns } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { isOpen, openPane, panePid, submit, untilScreen } from "./support/panes.ts";
import { identityOf, isAlive, treeOf } from "./support/processes.ts";
import { stays, until } from "./support/until.ts";
import { listed, stop, untilListed, warden } from "./support/warden.ts";

// Whatever Claude Code is in the middle of, a stop ends it and does nothing else.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["claude"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

const statusIn: { readonly [state in ClaudeState]: string } = {
  idle: "idle",
  "half-typed prompt": "idle",
  streaming: "working",
  "permission dialog": "needsInput",
  "tool running": "working",
  "vim NORMAL with text": "idle",
  "copy mode": "idle",
  "inside a user's shell": "idle",
  "config dialog": "idle",
  "after clear": "idle",
};

describe.each(claudeStates)("Claude Code, %s,", (state) => {
  test(`is one row that is ${statusIn[state]}; stopped, it is gone, has run nothing, asked the model nothing, and is resumed by the command that is told`, async () => {
    const { agent, conversationId, said, marker } = await startClaudeIn(lab, state);
    const { pane, cwd } = agent;
    const row = await untilListed(agent, statusIn[state]);
    expect(row).toMatchObject({ agent: "claude", conversation_id: conversationId, pid: agent.process.pid, resumable: true, runs_in: "terminal" });
    expect(row.tmux).toMatchObject({ session: pane.session, pane: pane.id });

    const tree = treeOf(agent.process.pid);
    const around = identityOf(panePid(pane));
    const asked = lab.model.requests.length;
    const receipt = await stop(lab, row);

    expect(tree.filter(isAlive)).toEqual([]);
    expect(receipt).toMatchObject({ code: 0, status: "success", termination_method: "graceful", verification_result: "session_terminated", survivors: [] });
    expect(receipt).toMatchObject({ captured_id: conversationId, captured_by: "agent", warnings: [] });
    await until(() => openTurns(lab.model).length === 0);
    await stays(() => lab.model.requests.length === asked && !existsSync(marker), 1500);
    expect(lab.model.requests.slice(asked)).toEqual([]);
    expect(existsSync(marker)).toBe(false);
    const isUsersShell = state === "inside a user's shell";
    expect(isAlive(around)).toBe(isUsersShell);
    expect(isOpen(pane)).toBe(isUsersShell);

    const stopped = (await listed(lab)).filter((each) => each.cwd === cwd);
    expect(stopped).toMatchObject([{ status: "stopped", conversation_id: conversationId, resumable: true, pid: null, tmux: null }]);

    const resumed = openPane(lab, `${pane.session}-resumed`, lab.root, [], quietClaude);
    await untilScreen(resumed, /[$#]\s*$/);
    await submit(resumed, (await warden(lab, "resume", row.key, "--print")).stdout);
    await untilScreen(resumed, `pong: ${said}`);
    // The Escape before the signal has kept what was streamed so far.
    if (state === "streaming") await untilScreen(resumed, "word2");
    const again = await untilListed({ ...agent, pane: resumed }, "idle");
    expect(again.conversation_id).toBe(conversationId);
    expect(existsSync(marker)).toBe(false);
    await stop(lab, again);
  });
});
