import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import type { Agent } from "./support/agents/agent.ts";
import { say } from "./support/agents/agent.ts";
import { startClaude } from "./support/agents/claude.ts";
import { bytesOf } from "./support/byteSearch.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { purgesWell } from "./support/purges.ts";
import { resumeInPane } from "./support/stops.ts";
import { stop, untilListed } from "./support/warden.ts";
import type { Listed } from "../support/stage.ts";

// `session-warden purge` on what the real Claude Code has written, beside a neighbour; those of the other agents are purged where they have been stopped.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["claude"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

test("a purged conversation is in no byte but where the receipt says, and its neighbour in the same folder is as it was and resumes", async () => {
  const word = crypto.randomUUID().slice(0, 13);
  const cwd = lab.folder(`work-${word}`);
  const neighbour = await converse(`neighbour-${word}`, cwd, `NEIGHBOUR-${word}`);
  const { row } = await converse(`purged-${word}`, cwd, `MARKER-${word}`);
  const before = bytesOf(lab, neighbour.id);

  await purgesWell(lab, row.key, { id: row.conversation_id ?? "none", marker: `MARKER-${word}` });
  expect(bytesOf(lab, neighbour.id)).toEqual(before);
  await resumeInPane(neighbour.agent, neighbour.row, `pong: NEIGHBOUR-${word}`);
});

/** One turn with a marker in the question and in the answer, and then an orderly end. */
async function converse(name: string, cwd: string, marker: string): Promise<{ readonly agent: Agent; readonly row: Listed; readonly id: string }> {
  const agent = await startClaude(lab, { name, cwd });
  await say(agent, marker);
  const row = await untilListed(agent, "idle");
  await stop(lab, row);
  return { agent, row, id: row.conversation_id ?? "none" };
}
