import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import type { Agent, Start } from "./support/agents/agent.ts";
import { say } from "./support/agents/agent.ts";
import { startClaude } from "./support/agents/claude.ts";
import { startCline } from "./support/agents/cline.ts";
import { startCodex } from "./support/agents/codex.ts";
import { startCopilot } from "./support/agents/copilot.ts";
import { startGemini } from "./support/agents/gemini.ts";
import { bytesOf, filesHolding } from "./support/byteSearch.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { resumeInPane } from "./support/stops.ts";
import { stop, untilListed, warden } from "./support/warden.ts";
import type { Listed } from "../support/stage.ts";

// `session-warden purge` on conversations that the real programs have written: what it says is gone is found in no byte of the lab, and its neighbour is as it was.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["claude", "codex", "cline", "gemini", "copilot"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

interface Purged {
  readonly status: string;
  readonly purge_result: string;
  readonly purged: readonly { readonly store: string; readonly path: string; readonly outcome: string; readonly residue: readonly string[] }[];
  readonly left_alone: readonly { readonly path: string; readonly holds: string }[];
  readonly warnings: readonly string[];
}

const starts: { readonly [name: string]: (lab: Lab, start: Start) => Promise<Agent> } = {
  // Only with one that it was told does Gemini show an id.
  gemini: (of, start) => startGemini(of, { ...start, args: ["--session-id", crypto.randomUUID()] }),
  claude: startClaude,
  codex: startCodex,
  cline: startCline,
  copilot: startCopilot,
};

describe.each(Object.keys(starts))("%s:", (name) => {
  test("a purged conversation is in no byte but where the receipt says, and its neighbour in the same folder is as it was and resumes", async () => {
    const cwd = lab.folder(`${name}-work`);
    const neighbour = await converse(name, `${name}-a`, cwd, `NEIGHBOUR-${name}`);
    const marker = `MARKER-${crypto.randomUUID().slice(0, 13)}`;
    const { row } = await converse(name, `${name}-b`, cwd, marker);
    const id = row.conversation_id ?? "none";
    expect(filesHolding(lab, marker).length).toBeGreaterThan(0);
    const before = bytesOf(lab, neighbour.row.conversation_id ?? "none");

    const planned = await warden(lab, "purge", row.key);
    expect(planned).toMatchObject({ code: 3 });
    expect(planned.stdout).toContain(id);
    const { code, stdout } = await warden(lab, "purge", row.key, "--yes", "--json");
    const receipt = JSON.parse(stdout) as Purged;
    expect(receipt, stdout).toMatchObject({ status: "success", purge_result: "complete" });
    expect(code).toBe(0);

    // What is left of the words themselves can only be where SQLite no longer looks; the id also in what is shared and was named.
    const isSaid = (path: string): boolean => receipt.warnings.some((warning) => warning.includes(path.replace(/-wal$/, "")));
    const isNamed = (path: string): boolean => isSaid(path) || receipt.left_alone.some((left) => left.path === path);
    expect(filesHolding(lab, marker).filter((path) => !isSaid(path))).toEqual([]);
    expect(filesHolding(lab, id).filter((path) => !isNamed(path))).toEqual([]);
    expect(bytesOf(lab, neighbour.row.conversation_id ?? "none")).toEqual(before);
    await resumeInPane(neighbour.agent, neighbour.row, `pong: NEIGHBOUR-${name}`);
  });
});

/** One turn with a marker in the question and in the answer, and then an orderly end. */
async function converse(name: string, session: string, cwd: string, marker: string): Promise<{ readonly agent: Agent; readonly row: Listed }> {
  const start = starts[name];
  if (!start) throw new Error(name);
  const agent = await start(lab, { name: session, cwd });
  await say(agent, marker);
  const row = await untilListed(agent, "idle");
  const { captured_id: id } = await stop(lab, row);
  return { agent, row: { ...row, conversation_id: row.conversation_id ?? id } };
}
