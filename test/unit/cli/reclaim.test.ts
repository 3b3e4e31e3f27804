import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProcess, isAlive } from "../../../scripts/ownProcesses.ts";
import { openStage, until } from "../../support/stage.ts";
import type { Stage } from "../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Years: so that no agent but those of this test, of whoever runs here, can ever be meant. */
const hours = String(9 * 365 * 24);
const idleSince = Date.now() - 10 * 365 * 24 * 3_600_000;

const reclaim = (...flags: readonly string[]) => stage.warden(["reclaim", "--idle-hours", hours, ...flags]);

/** With `--yes`, and Ctrl-C as soon as this is so. */
async function reclaimUntil(
  isTime: () => boolean,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
  const child = spawn(process.execPath, [cli, "reclaim", "--idle-hours", hours, "--yes", "--json"], { env: { ...stage.env, ...env }, cwd: stage.work });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (text: Buffer) => (said.stdout += String(text)));
  child.stderr.on("data", (text: Buffer) => (said.stderr += String(text)));
  const closed = once(child, "close");
  await until(isTime);
  child.kill("SIGINT");
  const [code] = (await closed) as [number | null];
  return { code, ...said };
}

test("agents that have been idle for long are shown with what they take, and stopped at once with one receipt", async () => {
  const agents = [
    await stage.startInPane("one", "claude", { subject: "first", idleSince }),
    await stage.startInPane("two", "claude", { subject: "second", idleSince }),
  ];
  const fresh = await stage.startInPane("three", "claude", { subject: "just used" });
  const blank = await stage.startInPane("four", "claude", { idleSince });
  const started = [...agents, fresh, blank].map(({ pid }) => findProcess(pid ?? 0)!);

  const dry = await reclaim("--dry-run");
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/^2 open agents idle over 78840 h, \d+ MB: stop, all resumable\.\n {2}“/)]);
  expect(dry.stdout).toContain(`claude (${agents[0]?.pid})`);
  const asked = await reclaim("--json");
  expect([asked.code, JSON.parse(asked.stdout)]).toEqual([3, expect.objectContaining({ status: "needs_confirmation" })]);
  expect(started.every(isAlive)).toBe(true);

  const done = await reclaim("--yes", "--json");
  const told = JSON.parse(done.stdout) as {
    readonly memory_bytes_before: number;
    readonly memory_bytes_freed: number;
    readonly sessions: readonly { session_id: string; outcome: string }[];
  };
  expect([done.code, told.sessions.map(({ session_id: id, outcome }) => [id, outcome])]).toEqual([
    0,
    expect.arrayContaining(agents.map(({ key }) => [key, "stopped"])),
  ]);
  expect(told.sessions).toHaveLength(2);
  // What its process had is free to the last byte when it is gone.
  expect([told.memory_bytes_freed > 20e6, told.memory_bytes_freed === told.memory_bytes_before]).toEqual([true, true]);
  expect(started.map(isAlive)).toEqual([false, false, true, true]);
  const journal = readFileSync(join(stage.stateFolder, "journal.jsonl"), "utf8").trim().split("\n");
  expect(JSON.parse(journal.at(-1) ?? "")).toMatchObject({ kind: "reclaim", freedBytes: told.memory_bytes_freed });

  const again = await reclaim("--yes");
  expect([again.code, again.stdout]).toEqual([0, "No open agent is known to be idle for over 78840 h, and to be resumable."]);
});

test("one in the middle of a turn, or one that waits for an answer, is not idle, however long ago that began", async () => {
  for (const mode of ["working", "waiting"] as const) {
    const agent = await stage.startInPane(mode, "claude", { mode, subject: mode, idleSince });
    expect((await reclaim("--dry-run", "--json")).stdout).not.toContain(agent.key);
  }
});

test("called off with Ctrl-C, it names whom it did not come to, and fails", async () => {
  for (const name of ["five", "six", "seven"]) await stage.startInPane(name, "claude", { subject: name, idleSince, exitMs: 2_000 });
  const journal = join(stage.stateFolder, "journal.jsonl");
  const read = () => (existsSync(journal) ? readFileSync(journal, "utf8") : "");
  const before = read().length;
  const { code, stdout, stderr } = await reclaimUntil(() => read().slice(before).includes('"intent"'));
  expect(stderr).toBe("");
  const told = JSON.parse(stdout) as { readonly status: string; readonly message: string; readonly sessions: readonly { readonly outcome: string }[] };
  expect([code, told.status, told.sessions.map(({ outcome }) => outcome).slice(1)]).toEqual([1, "partial", ["not_reached", "not_reached"]]);
  expect(told.message).toContain("It was called off before it came to “");
});

test("called off while it looks, it says that nothing was done", async () => {
  const [bin, marker] = [join(stage.folder, "slow"), join(stage.folder, "asked")];
  mkdirSync(bin);
  writeFileSync(join(bin, "tmux"), `#!/bin/sh\n[ "$5" = list-panes ] || [ "$4" = list-panes ] || exit 1\n: > '${marker}'\nexec sleep 7020\n`, { mode: 0o755 });
  const { code, stderr } = await reclaimUntil(() => existsSync(marker), { PATH: `${bin}:${stage.env["PATH"]}` });
  expect([code, stderr]).toEqual([1, "Called off. No agent was stopped.\n"]);
});

test.each(["0", "-1", "soon", ""])("%o is no number of hours", async (hours) => {
  expect((await stage.warden(["reclaim", "--idle-hours", hours])).code).toBe(2);
});
