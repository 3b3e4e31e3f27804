import { afterAll, beforeAll, expect, test } from "vitest";
import { cline } from "../../../../src/agents/cline/cline.ts";
import { keepPane } from "../../../../src/sources/process/keptPane.ts";
import { openMachine } from "../../../../src/system/machine.ts";
import { openStage, until } from "../../../support/stage.ts";
import type { Stage } from "../../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const [theirs, own] = ["1795996951635_aaaaa", "1795996951635_bbbbb"];

/** A program that shows a command of somebody else's conversation, and says something, or nothing, when it is asked to leave. */
async function keptAfter(name: string, saysAtExit: string) {
  const machine = await openMachine({ tmuxProgram: "tmux", tmuxSockets: [stage.socket] });
  const { signal } = new AbortController();
  stage.tmux("new-session", "-d", "-s", name, "--", "sh", "-c", `trap '${saysAtExit} exit 0' TERM; echo 'cline --id ${theirs}'; while :; do sleep 0.05; done`);
  const pane = await until(async () => (await machine.census(signal)).panes.find(({ sessionName }) => sessionName === name));
  await until(() => stage.tmux("capture-pane", "-p", "-t", `=${name}:`).includes(theirs));
  const kept = await keepPane(pane, cline, machine, signal);
  if (!kept) throw new Error("it was not kept");
  process.kill(pane.pid, "SIGTERM");
  await until(() => stage.tmux("list-panes", "-t", `=${name}:`, "-F", "#{pane_dead}").trim() === "1");
  return kept;
}

test("an id that stood on the screen before the agent was asked is not its last word", async () => {
  const kept = await keptAfter("silent", "");
  expect(await kept.lastWords()).toBeUndefined();
  await kept.close();
  expect(stage.tmux("list-sessions", "-F", "#{session_name}").split("\n")).not.toContain("silent");
});

test("one that it says as it leaves is", async () => {
  const kept = await keptAfter("telling", `echo Continue; echo cline --id ${own};`);
  expect(await kept.lastWords()).toBe(own);
  await kept.close();
});
