import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cline } from "../../../src/agents/cline/cline.ts";
import { codex } from "../../../src/agents/codex/codex.ts";
import { copilot } from "../../../src/agents/copilot/copilot.ts";
import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { opencode } from "../../../src/agents/opencode/opencode.ts";
import { planIn } from "./aHome.ts";
import { put, withFolder } from "./seen.ts";

const id = "01a22a3e-7a1a-7042-a002-7d09585aaaad";
const other = "01a22a3e-7a1a-7042-a002-7d09585aaaae";
const session = "1796040021438_wu6iw";

beforeEach(() => vi.stubEnv("PATH", "/usr/bin:/bin"));
afterEach(() => void vi.unstubAllEnvs());

test.each([
  [codex, id, `sessions/2026/11/30/rollout-2026-11-30T02-17-47-${other}.jsonl`, "backups/history.jsonl"],
  [copilot, id, `session-state/${other}/events.jsonl`, "session-store.db.bak"],
  [gemini, id, `tmp/app/chats/session-2026-11-30T00-30-${other.slice(0, 8)}2.jsonl`, "tmp/app/chats/old/a.bak"],
  [copilot, id, `history-session-state/session_${other}_1.json`, "history-session-state/old.json"],
  [gemini, id, "tmp/app/logs.json", "tmp/app/logs.json.bak"],
  [cline, session, "cache/user_input_history.jsonl", `sessions/${session}.bak/${session}.json`],
  [cline, session, "sessions/1796040025725_cvbeu/1796040025725_cvbeu.json", "db/sessions.db.bak"],
  [opencode, "ses_a1", "storage/part/msg_2/prt_1.json", "opencode.db.bak"],
])("$name: what another conversation says of the id is told, and a copy of whatever", async (agent, of, theirs, unknown) => {
  await withFolder(async (home) => {
    const said = await put(join(home, theirs), JSON.stringify([{ text: `what did ${of} do` }]));
    const copy = await put(join(home, unknown), `text of ${of}`);
    const { stores, leftAlone } = await planIn(agent, home, of);
    expect(stores).toEqual([]);
    expect(leftAlone.map(({ path, holds }) => `${path}: ${holds}`).toSorted()).toEqual([`${said}: id`, `${copy}: text`].toSorted());
  });
});

test("what was written last before it began is not looked through", async () => {
  await withFolder(async (home) => {
    const path = await put(join(home, "db/old"), session);
    utimesSync(path, 1_796_000_000, 1_796_000_000);
    expect((await planIn(cline, home, session)).leftAlone).toEqual([]);
  });
});
