import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProcess, isAlive } from "../../../scripts/ownProcesses.ts";
import type { ProcessStarted } from "../../../scripts/ownProcesses.ts";
import { argvOf, allProcesses, folderOf } from "../../real/support/processes.ts";
import { leave, orphansOf, pidOfTheGone, untilOrphan } from "../../support/leftBehind.ts";
import { openStage, until } from "../../support/stage.ts";
import type { Stage } from "../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Who begins from now on began later, as the system counts it. */
async function aTickAfter({ startTicks }: ProcessStarted): Promise<void> {
  await until(() => Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * 100 > Number(startTicks) + 2);
}

test("the child of a server that is gone is found with what it takes, shown to a person, and ended by its key", async () => {
  const server = await pidOfTheGone();
  await leave(stage, ["sleep", "7001"], { OPENCODE_PID: String(server) });
  const row = await untilOrphan(stage, "sleep 7001");
  expect(row).toMatchObject({
    what: "sleep 7001",
    why: `It was left behind by OpenCode (${server}), which is gone.`,
    protected: false,
    protected_because: null,
    agent: null,
    cwd: stage.work,
    processes: [row.pid],
  });
  expect([row.memory_bytes > 50_000, row.cpu_now < 0.5, row.cpu_life < 0.5, Date.now() - Date.parse(row.started_at) < 60_000]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  const list = await stage.warden(["orphans"]);
  expect(list.stdout).toMatch(new RegExp(`sleep 7001 .*kB · \\d+ % CPU · .*${row.key}\n +It was left behind by OpenCode`));

  const started = findProcess(row.pid)!;
  const asked = await stage.warden(["orphans", "--end", row.key]);
  expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining(`Process ${row.pid} would be ended.`)]);
  expect(isAlive(started)).toBe(true);
  const ended = await stage.warden(["orphans", "--end", row.key, "--yes", "--json"]);
  expect([ended.code, ended.json()]).toEqual([
    0,
    expect.objectContaining({
      status: "success",
      operation: "endOrphan",
      session_id: row.key,
      termination_method: "graceful",
      verification_result: "session_terminated",
    }),
  ]);
  expect(isAlive(started)).toBe(false);
  expect((await stage.warden(["orphans", "--end", row.key, "--yes"])).code).toBe(1);
});

test("what ignores to be asked is killed with what runs below it", async () => {
  await leave(stage, ["sh", "-c", "trap '' TERM; sleep 7002; sleep 7002"], { OPENCODE_PID: String(await pidOfTheGone()) });
  const { key, processes } = await untilOrphan(stage, "sh -c trap '' TERM; sleep 7002; sleep 7002");
  const started = processes.map((pid) => findProcess(pid)!);
  expect(started).toHaveLength(2);
  const ended = await stage.warden(["orphans", "--end", key, "--yes", "--json"]);
  expect([ended.code, ended.json().termination_method, ended.json().warnings]).toEqual([0, "forced", ["It did not leave when asked, and was killed."]]);
  expect(started.filter(isAlive)).toEqual([]);
});

test("a server's pid that is by now a younger process's is not the server", async () => {
  const pipe = join(stage.folder, "pipe");
  await once(spawn("mkfifo", [pipe]), "exit");
  await leave(stage, ["sh", "-c", `read pid < '${pipe}'; exec env OPENCODE_PID=$pid sleep 7003`], {});
  // Begun after it, as one is that was given the pid anew.
  await aTickAfter(await until(() => allProcesses().find(({ pid }) => argvOf(pid).join(" ").includes(`read pid < '${pipe}'`))));
  const later = spawn("sleep", ["7004"], { env: stage.env, cwd: stage.work, stdio: "ignore" });
  writeFileSync(pipe, `${later.pid}\n`);
  expect((await untilOrphan(stage, "sleep 7003")).why).toBe(
    `It was left behind by OpenCode (${later.pid}), which is gone: that pid is by now another process's, which began later.`,
  );
});

test("a process that began later than what has its server's pid is protected: that may be anybody", async () => {
  const other = spawn("sleep", ["7005"], { env: stage.env, cwd: stage.work, stdio: "ignore" });
  await aTickAfter(findProcess(other.pid ?? 0)!);
  await leave(stage, ["sleep", "7006"], { OPENCODE_PID: String(other.pid) });
  const row = await untilOrphan(stage, "sleep 7006");
  expect([row.protected, row.protected_because]).toEqual([true, expect.stringContaining("is not known to be it")]);
  const refused = await stage.warden(["orphans", "--end", row.key, "--yes", "--json"]);
  expect([refused.code, refused.json().reason, isAlive(findProcess(row.pid)!)]).toEqual([1, "protected", true]);
});

test("what was left in a pane is found when the pane is closed, not while it is open", async () => {
  stage.tmux("new-session", "-d", "-s", "other");
  const pane = stage
    .tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "left", "-c", stage.work, "--", "sh", "-c", "setsid -f sleep 7007; sleep 7008")
    .trim();
  const pid = await until(() => allProcesses().find((each) => argvOf(each.pid).join(" ") === "sleep 7007" && folderOf(each.pid) === stage.work)?.pid);
  expect((await orphansOf(stage)).map((row) => row.pid)).not.toContain(pid);
  stage.tmux("kill-pane", "-t", pane);
  expect(await untilOrphan(stage, "sleep 7007")).toMatchObject({
    pid,
    protected: false,
    why: `It was left behind in tmux pane ${pane} of ${stage.socket}, which is closed.`,
  });
});

test("what stayed when its pane was closed is still the child of that tmux server, and nobody's", async () => {
  const pane = stage
    .tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "stays", "-c", stage.work, "--", "sh", "-c", "trap : HUP; while :; do sleep 7009; done")
    .trim();
  const { pid } = await until(() => allProcesses().find((each) => argvOf(each.pid)[2]?.includes("sleep 7009") && folderOf(each.pid) === stage.work));
  await until(() => allProcesses().find((each) => argvOf(each.pid).join(" ") === "sleep 7009"));
  stage.tmux("new-session", "-d", "-s", "beside it");
  stage.tmux("kill-pane", "-t", pane);
  const row = await until(async () => (await orphansOf(stage)).find((each) => each.pid === pid));
  const parent = allProcesses().find((each) => each.pid === pid)?.ppid;
  expect([row.pid, row.protected, parent]).toEqual([pid, false, Number(stage.tmux("display-message", "-p", "#{pid}"))]);
  expect((await stage.warden(["orphans", "--end", row.key, "--yes"])).code).toBe(0);
});

test("an agent that is nobody's is ended by its own way: its conversation id is saved", async () => {
  const { argv, env } = stage.programs.start("claude", { subject: "left alone" });
  await leave(stage, argv, env);
  const row = await until(async () => (await orphansOf(stage)).find(({ what, protected: isProtected }) => what.includes("left alone") && !isProtected));
  expect(row).toMatchObject({ agent: "claude", why: "Claude Code runs without a terminal, without a living parent, and in no record." });
  const ended = await stage.warden(["orphans", "--end", row.key, "--yes", "--json"]);
  expect([ended.code, ended.json()]).toEqual([0, expect.objectContaining({ status: "success", operation: "endOrphan", termination_method: "graceful" })]);
  expect(ended.json().captured_id).toMatch(/^[0-9a-f-]{36}$/);
});
