import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { copilot } from "../../../../src/agents/copilot/copilot.ts";
import { cline } from "../../../../src/agents/cline/cline.ts";
import type { Agent } from "../../../../src/core/agent.ts";
import type { Run } from "../../../../src/core/facet.ts";
import { createProcessSource } from "../../../../src/sources/process/processSource.ts";
import { openMachine } from "../../../../src/system/machine.ts";
import { aFolder } from "../../../support/folder.ts";
import { anEntry, censusOf, pid } from "../../../support/facets.ts";
import { until } from "../../../real/support/until.ts";

const { signal } = new AbortController();

test.each<[string, Agent, string, Partial<Run>]>([
  ["Copilot's events", copilot, "session-state/7/events.jsonl", { pidFile: "session-state/7/inuse.41.lock" }],
  [
    "Cline's session file",
    cline,
    "sessions/1796005435671_tt14c/1796005435671_tt14c.json",
    { conversation: { agent: "cline", id: "1796005435671_tt14c", toldBy: "agent" } },
  ],
])("%s are news while the agent is listed", async (_what, agent, file, told) => {
  const folder = await aFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, file);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, "first");
  const pidFile = told.pidFile === undefined ? {} : { pidFile: join(folder.path, told.pidFile) };
  const conversation = told.conversation ? { conversation: { ...told.conversation, home: folder.path } } : {};
  const listed: Agent = {
    ...agent,
    recognise: () => ({ role: "agent", runsIn: "terminal" }),
    tellOf: async () => ({ ...pidFile, ...conversation }),
    configHomeOf: () => folder.path,
  };
  const source = createProcessSource([listed], await openMachine({ tmuxProgram: "tmux", tmuxSockets: [] }), []);

  let news = 0;
  using _watching = source.watch(() => news++);
  await source.read(censusOf(anEntry(pid(41), { uid: process.getuid?.() ?? 0 })), signal);
  // Until the watch stands, what is written is seen by nobody.
  await until(async () => {
    await writeFile(path, String(Date.now()));
    return news > 0;
  }, 5_000);
  expect(news).toBeGreaterThan(0);
});
