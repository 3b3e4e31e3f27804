import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { aFolder } from "../../support/folder.ts";
import { runHeld } from "./runHeld.ts";

const script = fileURLToPath(new URL("planHeld.ts", import.meta.url));
const uuid = "660c5869-72ef-43d0-9e25-d2d868d4b84e";

test.each([
  ["cline", "1795996662557_abcde", "sessions/1795996662557_abcde/1795996662557_abcde.messages.json", "sessions"],
  ["codex", uuid, `sessions/2026/11/30/rollout-2026-11-30T02-17-47-${uuid}.jsonl`, "sessions/2026/11/30"],
  ["copilot", uuid, `session-state/${uuid}/events.jsonl`, "session-state"],
  ["copilot", uuid, "logs/process-1-2.log", "logs"],
  ["gemini", uuid, `tmp/app/chats/session-2026-11-30T02-17-${uuid.slice(0, 8)}.jsonl`, "tmp/app/chats"],
  ["gemini", uuid, `tmp/app/chats/session-2026-11-30T02-17-${uuid.slice(0, 8)}.jsonl`, "tmp"],
  ["opencode", "ses_a1", "log/opencode.log", "log"],
])("%s: a folder that can't be read is told, and not taken for empty", async (agent, id, file, closed) => {
  await using folder = await aFolder();
  const path = join(folder.path, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `{"sessionId":"${id}"}\n`);
  const [unread, all] = [join(folder.path, closed), planHeld(agent, folder.path, id)];
  expect(all.leftAlone.filter(({ name }) => name.includes("can't be read"))).toEqual([]);
  chmodSync(unread, 0);
  const { leftAlone } = planHeld(agent, folder.path, id);
  chmodSync(unread, 0o700);
  expect(leftAlone).toContainEqual({ name: "a folder that can't be read", path: unread, why: "what of it is in there can't be told", holds: "unseen" });
});

test.each([
  ["cline", "1795996662557_abcde", "logs/cline.log"],
  ["codex", uuid, "log/codex-tui.log"],
  ["copilot", uuid, "logs/process-1-2.log"],
  ["opencode", "ses_a1", "log/opencode.log"],
])("%s: a log that can't be read is told, and holds up nothing", async (agent, id, file) => {
  await using folder = await aFolder();
  const path = join(folder.path, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${id}\n`);
  chmodSync(path, 0);
  const { stores, leftAlone } = planHeld(agent, folder.path, id);
  expect([stores, leftAlone.map(({ name }) => name)]).toEqual([[], ["a file that can't be read"]]);
});

function planHeld(...asked: readonly string[]): { readonly stores: readonly unknown[]; readonly leftAlone: readonly { readonly name: string }[] } {
  return runHeld(script, ...asked) as ReturnType<typeof planHeld>;
}
