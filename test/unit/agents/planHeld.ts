import { cline } from "../../../src/agents/cline/cline.ts";
import { codex } from "../../../src/agents/codex/codex.ts";
import { copilot } from "../../../src/agents/copilot/copilot.ts";
import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { opencode } from "../../../src/agents/opencode/opencode.ts";
import type { Agent } from "../../../src/core/agent.ts";

// Run by a user who is held to the modes of files: tells what an agent finds of a conversation in a home.
const [name = "", home = "", id = ""] = process.argv.slice(2);
const agent: Agent | undefined = [cline, codex, copilot, gemini, opencode].find((each) => each.id === name);
if (!agent?.stores) throw new Error(`${name} has no stores.`);
const kept = await agent.stores(
  { conversation: { agent: agent.id, id, toldBy: "agent", home }, cwd: undefined, configHomes: [] },
  new AbortController().signal,
);
console.log(JSON.stringify({ stores: kept.stores.map(({ path }) => path), leftAlone: kept.leftAlone }));
