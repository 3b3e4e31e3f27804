import { expect, it } from "vitest";
import { agents } from "../../../src/agents/agents.ts";
import type { AgentId, Run } from "../../../src/core/facet.ts";
import { hasUnwatched } from "../../../src/vscode/leading.ts";
import { ofServer, record, run, session, snapshotOf, unnamedRun } from "./sessions.ts";

const can = { sources: new Map(), agents: new Map(agents.map((agent) => [agent.id, agent])) };
const cline = { agent: "cline", id: "1796005435671_tt14c", toldBy: "agent" } as const;
const of = (agent: AgentId, from: Run, changes: Partial<Run> = {}): Run => ({ ...from, agent, ...changes });
const must = (...runs: readonly Run[]) => hasUnwatched(snapshotOf(...runs.map((one) => session(one.key, { run: one }))), can);

it.each<[string, Run, boolean]>([
  ["Claude Code with its own file", of("claude", run("process:1")), false],
  ["Claude Code that has no file yet", of("claude", unnamedRun("process:1")), true],
  ["Copilot with its lock, beside which its events are", of("copilot", run("process:1")), false],
  ["Copilot without a lock", of("copilot", unnamedRun("process:1")), true],
  ["Cline whose session is known", of("cline", unnamedRun("process:1"), { conversation: cline }), false],
  ["Cline whose session is not", of("cline", unnamedRun("process:1")), true],
  ["Codex, whose server tells when asked", of("codex", unnamedRun("process:1")), true],
  ["Gemini, in tmux or not", of("gemini", unnamedRun("process:1")), true],
  ["a script's run", of("gemini", unnamedRun("process:1"), { runsIn: "automation" }), false],
  ["what runs in a server, which tells its news itself", of("opencode", ofServer("1").run ?? run("opencode:1")), false],
  ["one that is gone", of("gemini", unnamedRun("process:1"), { liveness: { value: "gone", seen: "process 1 is gone", at: 0 } }), false],
])("%s: somebody has to look at it unseen or not", (_what, one, expected) => {
  expect(must(one)).toBe(expected);
});

it("one that nothing tells of is enough, and what is past is nothing to look at", () => {
  expect(must(of("claude", run("process:1")), of("gemini", unnamedRun("process:2")))).toBe(true);
  expect(hasUnwatched(snapshotOf(session("past", { run: undefined, records: [record()] })), can)).toBe(false);
});
