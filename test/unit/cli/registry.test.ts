import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findProcess, kill } from "../../../scripts/ownProcesses.ts";
import { runPython } from "../../support/python.ts";
import { openStage, until } from "../../support/stage.ts";
import type { Answer, Listed, Stage } from "../../support/stage.ts";

let stage: Stage;
let registry: string;
let publisher: string;
beforeAll(async () => {
  stage = await openStage();
  publisher = join(stage.folder, "publish.sh");
  writeFileSync(publisher, `#!/bin/sh\nfor word in "$@"; do printf '%s|' "$word"; done >> ${stage.folder}/published\necho >> ${stage.folder}/published\n`, {
    mode: 0o755,
  });
  mkdirSync(stage.stateFolder, { recursive: true });
  writeFileSync(join(stage.stateFolder, "settings.json"), JSON.stringify({ "mux.publishEvent": [publisher, "event"] }));
});
afterAll(() => stage[Symbol.asyncDispose]());
let count = 0;
beforeEach(() => {
  registry = join(stage.folder, `registry ${++count}.yaml`);
});

interface Row {
  readonly [key: string]: unknown;
}
const warden = (...args: readonly string[]): Promise<Answer> => stage.warden(args, { AGENT_SESSIONS_YAML: registry });
const list = async (): Promise<readonly Listed[]> => (await warden("list", "--json")).json().sessions;
const rowOf = async (name: string): Promise<Listed | undefined> => (await list()).find(({ records }) => records.some(({ key }) => key === `mux:${name}`));
/** As PyYAML reads it, which is how the registry's own programs do. */
const rows = (): readonly Row[] =>
  (
    runPython("import json, sys, yaml; print(json.dumps(yaml.safe_load(open(json.load(sys.stdin))), default=str))", registry) as {
      tmux_sessions: readonly Row[];
    }
  ).tmux_sessions;
const write = (...written: readonly Row[]): void => {
  runPython("import json, sys, yaml; path, rows = json.load(sys.stdin); yaml.safe_dump({'tmux_sessions': rows}, open(path, 'w'), sort_keys=False)", [
    registry,
    written,
  ]);
};
const running = (name: string, over: Row = {}): Row => ({ name, status: "running", pane: { cwd: stage.work }, delegate_job_id: null, ...over });

test("a row, its tmux session and its agent are one session; a stop by the row's name is recorded under the seed's keys", async () => {
  const session = await stage.startInPane("app.one-creator-claude", "claude", { subject: "one" });
  write(running("app.one-creator-claude", { delegate_job_id: "job-7", mine: { kept: 12345 } }), running("other-creator-claude"));
  const listed = await rowOf("app.one-creator-claude");
  expect([listed?.key, listed?.pid, listed?.status]).toEqual([session.key, session.pid, "idle"]);

  const other = readFileSync(registry, "utf8").split("- name: other")[1];
  const answer = await warden("stop", "--session", "app.one-creator-claude", "--reason", "done for today");
  expect([answer.code, answer.stderr]).toEqual([0, ""]);
  expect(findProcess(session.pid ?? 0)).toBeUndefined();
  const [row] = rows();
  expect(row).toMatchObject({
    status: "stopped",
    stop_reason: "done for today",
    termination_mode: "graceful",
    claude_session_id_own: session.conversation_id,
    resumable: true,
    delegate_job_id: "job-7",
    mine: { kept: 12345 },
    stopped_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    last_visible_status_at_termination: expect.any(String),
  });
  expect(row?.["stopped_at_epoch"]).toBe(Date.parse(String(row?.["stopped_at"])) / 1000);
  expect(readFileSync(registry, "utf8").split("- name: other")[1]).toBe(other);
  const published = await until(
    () => (existsSync(join(stage.folder, "published")) ? readFileSync(join(stage.folder, "published"), "utf8") : "").match(/.*\n.*\n/)?.[0],
  );
  expect(published).toBe("event|job-7|progress|terminating|\nevent|job-7|completed|session terminated|\n");

  const before = readFileSync(registry, "utf8");
  const again = await warden("stop", "--session", "app.one-creator-claude");
  expect([again.code, readFileSync(registry, "utf8")]).toEqual([0, before]);
});

test("in the middle of a turn a stop by a row's name asks nothing, as scripts expect; by another name it does", async () => {
  await stage.startInPane("busy-creator-claude", "claude", { mode: "working", subject: "busy" });
  write(running("busy-creator-claude"));
  expect((await warden("stop", "busy-creator-claude")).code).toBe(3);
  expect((await warden("stop", "--session", "busy-creator-claude", "--purge-conversation")).code).toBe(3);
  expect(rows()[0]).toMatchObject({ status: "running" });
  expect((await warden("stop", "--session", "busy-creator-claude", "--agent", "codex")).code).toBe(1);
  expect((await warden("stop", "--session", "busy-creator-claude", "--agent", "nobody")).code).toBe(2);
  expect((await warden("stop", "--session", "busy-creator-claude", "--agent", "claude")).code).toBe(0);
  expect(rows()[0]).toMatchObject({ status: "stopped", stop_reason: "manual_stop" });
});

test("a stop with purge by a row's name ends it, deletes its conversation, and makes its row terminated, as scripts expect", async () => {
  const { conversation_id: id, pid } = await stage.startInPane("purge-creator-claude", "claude", { subject: "to be purged" });
  write(running("purge-creator-claude"));
  const { code, stdout } = await warden("stop", "--session", "purge-creator-claude", "--purge-conversation", "--yes", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { purge_result: "complete", termination_method: "graceful", captured_id: id }]);
  expect(findProcess(pid ?? 0)).toBeUndefined();
  expect(rows()[0]).toMatchObject({ status: "terminated", termination_mode: "purge", resumable: false, claude_session_id_own: null });
  expect(readFileSync(registry, "utf8")).not.toContain(id);
});

test("an agent that died leaves a row that is exited by two looks, and finalized with its reason", async () => {
  const session = await stage.startInPane("died-creator-claude", "claude", { subject: "died" });
  write(running("died-creator-claude"));
  await until(async () => (await rowOf("died-creator-claude"))?.status === "idle");
  const found = findProcess(session.pid ?? 0);
  if (found) kill(found);
  const exited = await until(async () => {
    const row = await rowOf("died-creator-claude");
    return row?.status === "exited" ? row : undefined;
  });
  expect((await warden("finalize", exited.key)).code).toBe(0);
  expect(rows()[0]).toMatchObject({ status: "stopped", stop_reason: "agent_exited", claude_session_id_own: session.conversation_id });
});

test("a row whose tmux session is not there is exited; what anything else may hide is unknown", async () => {
  stage.tmux("new-session", "-d", "-s", "shell-creator-claude", "-c", stage.work);
  stage.tmux("new-session", "-d", "-s", "wrapped-creator-claude", "-c", stage.work, "--", "sleep", "1000");
  await stage.startInPane("reused-creator-claude", "codex", { subject: "another" });
  write(running("nowhere-creator-claude"), running("shell-creator-claude"), running("wrapped-creator-claude"), running("reused-creator-claude"), {
    ...running("old-creator-claude"),
    status: "stopped",
  });
  const statusOf = async (name: string): Promise<string | undefined> => (await rowOf(name))?.status;
  await until(async () => (await statusOf("nowhere-creator-claude")) === "exited");
  await until(async () => (await statusOf("shell-creator-claude")) === "exited");
  expect(await Promise.all(["wrapped", "reused", "old"].map((name) => statusOf(`${name}-creator-claude`)))).toEqual(["unknown", "unknown", "stopped"]);
  expect((await rowOf("wrapped-creator-claude"))?.why).toMatch(/^tmux session wrapped-creator-claude runs sleep \(\d+\), which is not known to be its agent$/);
  for (const name of ["wrapped", "reused"]) expect((await warden("stop", "--session", `${name}-creator-claude`, "--yes")).code).toBe(1);
  expect(rows().map(({ status }) => status)).toEqual(["running", "running", "running", "running", "stopped"]);
});

test("`a.b` is the tmux session a_b, and where both are rows neither takes the other's agent", async () => {
  const session = await stage.startInPane("a_b", "claude", { subject: "a_b" });
  write(running("a.b", { agent: "claude", pane: { cwd: "/elsewhere" } }), running("a_b", { agent: "claude" }));
  expect((await rowOf("a_b"))?.pid).toBe(session.pid);
  expect(await rowOf("a.b")).toMatchObject({ status: "unknown", pid: null });
});

test("a name that two servers have is unknown and refused with both told, unless one of them has the row's conversation", async () => {
  const first = await stage.startInPane("twice-creator-claude", "claude", { subject: "first" });
  const socket = join(stage.folder, "second.sock");
  const standIn = stage.programs.start("claude", { subject: "second" });
  stage.tmux(
    "-S",
    socket,
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-s",
    "twice-creator-claude",
    "-c",
    stage.work,
    ...Object.entries(standIn.env).flatMap(([key, value]) => ["-e", `${key}=${value}`]),
    "--",
    ...standIn.argv,
  );
  const second = await until(async () => (await list()).find(({ title }) => title === "second"));
  write(running("twice-creator-claude"));
  const doubtful = await until(() => rowOf("twice-creator-claude"));
  expect([doubtful.status, doubtful.pid]).toEqual(["unknown", null]);
  for (const pid of [first.pid, second.pid]) expect(doubtful.why).toContain(String(pid));
  const refused = await warden("stop", doubtful.key);
  expect([refused.code, [first, second].every(({ key }) => refused.stderr.includes(key))]).toEqual([2, true]);

  write(running("twice-creator-claude", { claude_session_id_own: second.conversation_id }));
  expect((await rowOf("twice-creator-claude"))?.pid).toBe(second.pid);
  expect((await warden("stop", "--session", "twice-creator-claude")).code).toBe(0);
  expect([findProcess(first.pid ?? 0) !== undefined, findProcess(second.pid ?? 0)]).toEqual([true, undefined]);
});

test("missing is no error, and a text that can't be parsed is told with its place and never written", async () => {
  expect((await warden("list")).code).toBe(0);
  const session = await stage.startInPane("corrupt-creator-claude", "claude", { subject: "corrupt" });
  writeFileSync(registry, "tmux_sessions:\n- name: [x\n- name: b\n");
  expect((await warden("list")).stdout).toMatch(/line \d+, column \d+/);
  expect((await warden("stop", session.key)).code).toBe(0);
  expect(readFileSync(registry, "utf8")).toBe("tmux_sessions:\n- name: [x\n- name: b\n");
});
