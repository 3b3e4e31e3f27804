import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStage } from "../../support/stage.ts";
import type { Stage } from "../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

test("the self-test finds this machine read right, and leaves no tmux server", async () => {
  const answer = await stage.warden(["doctor", "--self-test", "--json"]);
  const checks = JSON.parse(answer.stdout) as { outcome: string; says: string }[];
  expect(checks.map(({ says, outcome }) => [says, outcome])).toEqual([
    ["its parent and its arguments are read", "right"],
    ["its start time is read", "right"],
    ["a pid with another start time is never signalled", "right"],
    ["it ends when it is asked, and that is seen", "right"],
    ["a lock is held by one at a time", "right"],
    ["a pane of tmux is read and closed", "right"],
  ]);
  expect(answer.code).toBe(0);
});

test("without tmux its part is left out, and said to be", async () => {
  mkdirSync(stage.stateFolder, { recursive: true });
  writeFileSync(join(stage.stateFolder, "settings.json"), JSON.stringify({ "tmux.program": "no-such-tmux" }));
  const answer = await stage.warden(["doctor", "--self-test"]);
  expect([answer.stdout.split("\n").at(-1)?.slice(0, 1), answer.stdout.includes("no-such-tmux was not found")]).toEqual(["-", true]);
});
