import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { cline } from "../../../src/agents/cline/cline.ts";
import { codex } from "../../../src/agents/codex/codex.ts";
import { copilot } from "../../../src/agents/copilot/copilot.ts";
import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { opencode } from "../../../src/agents/opencode/opencode.ts";
import type { Agent } from "../../../src/core/agent.ts";
import type { Conversation } from "../../../src/core/facet.ts";
import type { Kept } from "../../../src/core/store.ts";
import { noAbort, put, withFolder } from "./seen.ts";

const uuid = "676ceaac-5b56-4c26-892b-53de79a14935";
const task = "1796040026287_abcde";
const agents: readonly (readonly [Agent, home: string, id: string, file: string, text: string])[] = [
  [cline, ".cline/data", task, `sessions/${task}/${task}.json`, "{}"],
  [codex, ".codex", uuid, `sessions/2026/11/30/rollout-2026-11-30T02-17-47-${uuid}.jsonl`, `{"type":"session_meta","payload":{"id":"${uuid}","cwd":"/srv"}}\n`],
  [copilot, ".copilot", uuid, `session-state/${uuid}/workspace.yaml`, `id: ${uuid}\n`],
  [gemini, ".gemini", uuid, `tmp/app/chats/session-2026-11-30T00-22-${uuid.slice(0, 8)}.jsonl`, `{"sessionId":"${uuid}"}\n`],
  [opencode, ".local/share/opencode", "ses_a1", "storage/session/p/ses_a1.json", "x"],
];

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(agents)(
  "$name: of two homes that have the conversation, and its own is not known, both keep it, and are told",
  async (agent, home, id, file, text) => {
    await withFolder(async (folder) => {
      vi.stubEnv("HOME", folder);
      await put(join(folder, home, file), text);
      cpSync(join(folder, home), join(folder, "copy"), { recursive: true });
      const { stores, leftAlone } = await planWith(agent, id, join(folder, "copy"));
      expect(stores).toEqual([]);
      for (const each of [home, "copy"]) {
        const told = leftAlone.filter(({ path, holds, why }) => path.startsWith(join(folder, each)) && holds === "text" && why === whichHome);
        expect(told).not.toEqual([]);
      }
    });
  },
);
const whichHome = "several config homes have one of its id, and which is meant is not known";

test.each(agents)("$name: its own home known, a copy in another stays, and is told", async (agent, home, id, file, text) => {
  await withFolder(async (folder) => {
    vi.stubEnv("HOME", folder);
    const [own, copy] = [join(folder, home), join(folder, "copy")];
    await put(join(own, file), text);
    cpSync(own, copy, { recursive: true });
    const { stores, leftAlone } = await planOf({ agent: agent.id, id, toldBy: "record", home: copy }, agent);
    expect(stores.length).toBeGreaterThan(0);
    expect(stores.filter(({ path }) => path.startsWith(own))).toEqual([]);
    expect(leftAlone).toContainEqual(
      expect.objectContaining({ path: expect.stringContaining(own), holds: "text", why: `it is in ${own}, which is not its config home` }),
    );
  });
});

const named: { readonly [agent: string]: string } = {
  cline: "CLINE_DATA_DIR",
  codex: "CODEX_HOME",
  copilot: "COPILOT_HOME",
  gemini: "GEMINI_CLI_HOME",
  opencode: "XDG_DATA_HOME",
};

test.each(agents)("$name: its own home unknown, the usual one is as our environment has it", async (agent, _home, id, file, text) => {
  await withFolder(async (folder) => {
    vi.stubEnv("HOME", join(folder, "nobody"));
    vi.stubEnv(named[agent.id] ?? "", folder);
    const usual = agent.configHomeOf(new Map(Object.entries(process.env).map(([name, value = ""]) => [name, value]))) ?? expect.fail("no home");
    const path = await put(join(usual, file), text);
    const { stores } = await planWith(agent, id);
    expect(stores.some((store) => path.startsWith(store.path))).toBe(true);
  });
});

test.each(agents)("$name: a home that is named by a link too is looked at once", async (agent, home, id, file, text) => {
  await withFolder(async (folder) => {
    vi.stubEnv("HOME", folder);
    await put(join(folder, home, file), text);
    symlinkSync(join(folder, home), join(folder, "link"));
    const once = await planWith(agent, id);
    expect(once.stores).not.toEqual([]);
    expect(paths(await planWith(agent, id, join(folder, "link")))).toEqual(paths(once));
  });
});

function planWith(agent: Agent, id: string, ...configHomes: readonly string[]): Promise<Kept> {
  return planOf({ agent: agent.id, id, toldBy: "record" }, agent, configHomes);
}

async function planOf(conversation: Conversation, agent: Agent, configHomes: readonly string[] = []): Promise<Kept> {
  const kept = await agent.stores?.({ conversation, cwd: "/srv", configHomes }, noAbort);
  return kept ?? expect.fail(`${agent.name} has no stores`);
}

const paths = ({ stores, leftAlone }: Kept) => [...stores, ...leftAlone].map(({ path }) => path);
