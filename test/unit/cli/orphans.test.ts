import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProcess, isAlive } from "../../../scripts/ownProcesses.ts";
import type { ProcessStarted } from "../../../scripts/ownProcesses.ts";
import { argvOf, allProcesses, folderOf } from "../../real/support/processes.ts";
import { openStage, until } from "../../support/stage.ts";
import type { Stage } from "../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface OrphanRow {
  readonly key: string;
  readonly pid: number;
  readonly what: string;
  readonly why: string;
  readonly protected: boolean;
  readonly protected_because: string | null;
  readonly agent: string | null;
  readonly cwd: string;
  readonly started_at: string;
  readonly memory_bytes: number;
  readonly cpu_now: number;
  readonly cpu_life: number;
  readonly processes: readonly number[];
}

/** Of this stage alone: the machine may have others. */
async function orphans(): Promise<readonly OrphanRow[]> {
  const { stdout } = await stage.warden(["orphans", "--json"]);
  return (JSON.parse(stdout) as { readonly orphans: readonly OrphanRow[] }).orphans.filter(({ cwd }) => cwd?.startsWith(stage.folder));
}

async function untilOrphan(commandLine: string): Promise<OrphanRow> {
  return until(async () => (await orphans()).find(({ pid }) => argvOf(pid).join(" ") === commandLine));
}

/** As a tool does that wants to outlive its agent: a session of its own, and a parent that is gone at once. */
async function leave(argv: readonly string[], marks: Readonly<Record<string, string>>): Promise<void> {
  await once(spawn("setsid", ["-f", ...argv], { env: { ...stage.env, ...marks }, cwd: stage.work, stdio: "ignore" }), "exit");
}

async function pidOfTheGone(): Promise<number> {
  const child = spawn("true", [], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}

/** Who begins from now on began later, as the system counts it. */
async function aTickAfter({ startTicks }: ProcessStarted): Promise<void> {
  await until(() => Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * 100 > Number(startTicks) + 2);
}

test("the child of a server that is gone is found with what it takes, shown to a person, and ended by its key", async () => {
  const server = await pidOfTheGone();
  await leave(["sleep", "7001"], { OPENCODE_PID: String(server) });
  const row = await untilOrphan("sleep 7001");
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
  await leave(["sh", "-c", "trap '' TERM; sleep 7002; sleep 7002"], { OPENCODE_PID: String(await pidOfTheGone()) });
  const { key, processes } = await untilOrphan("sh -c trap '' TERM; sleep 7002; sleep 7002");
  const started = processes.map((pid) => findProcess(pid)!);
  expect(started).toHaveLength(2);
  const ended = await stage.warden(["orphans", "--end", key, "--yes", "--json"]);
  expect([ended.code, ended.json().termination_method, ended.json().warnings]).toEqual([0, "forced", ["It did not leave when asked, and was killed."]]);
  expect(started.filter(isAlive)).toEqual([]);
});

test("a server's pid that is by now a younger process's is not the server", async () => {
  const pipe = join(stage.folder, "pipe");
  await once(spawn("mkfifo", [pipe]), "exit");
  await leave(["sh", "-c", `read pid < '${pipe}'; exec env OPENCODE_PID=$pid sleep 7003`], {});
  // Begun after it, as one is that was given the pid anew.
  await aTickAfter(await until(() => allProcesses().find(({ pid }) => argvOf(pid).join(" ").includes(`read pid < '${pipe}'`))));
  const later = spawn("sleep", ["7004"], { env: stage.env, cwd: stage.work, stdio: "ignore" });
  writeFileSync(pipe, `${later.pid}\n`);
  expect((await untilOrphan("sleep 7003")).why).toBe(
    `It was left behind by OpenCode (${later.pid}), which is gone: that pid is by now another process's, which began later.`,
  );
});

test("a process that began later than what has its server's pid is protected: that may be anybody", async () => {
  const other = spawn("sleep", ["7005"], { env: stage.env, cwd: stage.work, stdio: "ignore" });
  await aTickAfter(findProcess(other.pid ?? 0)!);
  await leave(["sleep", "7006"], { OPENCODE_PID: String(other.pid) });
  const row = await untilOrphan("sleep 7006");
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
  expect((await orphans()).map((row) => row.pid)).not.toContain(pid);
  stage.tmux("kill-pane", "-t", pane);
  expect(await untilOrphan("sleep 7007")).toMatchObject({
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
  const row = await until(async () => (await orphans()).find((each) => each.pid === pid));
  const parent = allProcesses().find((each) => each.pid === pid)?.ppid;
  expect([row.pid, row.protected, parent]).toEqual([pid, false, Number(stage.tmux("display-message", "-p", "#{pid}"))]);
  expect((await stage.warden(["orphans", "--end", row.key, "--yes"])).code).toBe(0);
});

test("what a person has started with nohup has outlived its closed pane as it was told to, and is protected", async () => {
  const command = "nohup setsid -f sleep 7011 > /dev/null 2>&1; sleep 7012";
  const pane = stage.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "nohup", "-c", stage.work, "--", "sh", "-c", command).trim();
  await until(() => allProcesses().find((each) => argvOf(each.pid).join(" ") === "sleep 7012"));
  stage.tmux("new-session", "-d", "-s", "still there");
  stage.tmux("kill-pane", "-t", pane);
  expect((await untilOrphan("sleep 7011")).protected_because).toBe("it was started so as to outlive its pane");
});

test("a server that somebody is connected to is protected, by TCP and by a Unix socket, and is not when they have left", async () => {
  const path = join(stage.folder, "socket");
  const program = `const { createServer } = require("node:net"); createServer().listen(${JSON.stringify(path)});
    createServer().listen(0, "127.0.0.1", function () { require("node:fs").writeFileSync(process.argv[1], String(this.address().port)); }); setInterval(() => {}, 60_000);`;
  const portFile = join(stage.work, "port");
  await leave([process.execPath, "-e", program, portFile], { OPENCODE_PID: String(await pidOfTheGone()) });
  const row = await until(async () => (await orphans()).find(({ what }) => what.startsWith("node -e const")));
  const find = async (): Promise<string | null | undefined> => (await orphans()).find(({ pid }) => pid === row.pid)?.protected_because;
  expect(row.protected_because).toBeNull();
  for (const where of [{ port: Number(readFileSync(portFile, "utf8")), host: "127.0.0.1" }, { path }]) {
    const client = connect(where);
    await once(client, "connect");
    expect(await find()).toBe("somebody is connected to it");
    client.destroy();
    await until(async () => (await find()) === null);
  }
});

test("a server whose launcher has left, and to which a client that lives speaks by its standard input, is protected", async () => {
  const launcher = "sh -c 'exec 8<&0; cat - /dev/null <&8 & exit'";
  const env = { ...stage.env, OPENCODE_PID: String(await pidOfTheGone()) };
  spawn("sh", ["-c", `sleep 7018 | ${launcher}; exit`], { env, cwd: stage.work, stdio: "ignore" });
  expect((await untilOrphan("cat - /dev/null")).protected_because).toBe("somebody is connected to it");
});

test("both ends of a pipeline that an agent has left are offered: they have no client but each other", async () => {
  const env = { ...stage.env, OPENCODE_PID: String(await pidOfTheGone()) };
  const shell = spawn("sh", ["-c", "sleep 7021 | cat - /dev/null /dev/null; exit"], { env, cwd: stage.work, stdio: "ignore" });
  for (const command of ["sleep 7021", "cat - /dev/null /dev/null"]) await until(() => allProcesses().find(({ pid }) => argvOf(pid).join(" ") === command));
  shell.kill("SIGKILL");
  expect((await untilOrphan("sleep 7021")).protected_because).toBeNull();
  expect((await untilOrphan("cat - /dev/null /dev/null")).protected_because).toBeNull();
});

test("a service that waits at a place of this user's for whoever comes is protected", async () => {
  const path = join(stage.home, ".waiting");
  await leave([process.execPath, "-e", `require("node:net").createServer().listen(${JSON.stringify(path)})`, "waits"], {
    OPENCODE_PID: String(await pidOfTheGone()),
  });
  await until(() => existsSync(path));
  const row = await until(async () => (await orphans()).find(({ what }) => what.endsWith(" waits")));
  expect(row.protected_because).toBe("it waits for others at ~/.waiting");
});

test("what an agent has started and may have a window is protected: it is somebody's browser", async () => {
  const browser = join(stage.work, "libX11.so.6");
  copyFileSync("/bin/sleep", browser);
  await leave([browser, "7010"], { CLAUDE_PID: String(await pidOfTheGone()) });
  expect((await untilOrphan(`${browser} 7010`)).protected_because).toBe("it may have a window on the screen");
});

test("a connection of its own to another's server makes it nobody's server", async () => {
  const server = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await leave([process.execPath, "-e", `require("node:net").connect(${port}, "127.0.0.1")`, "out"], { OPENCODE_PID: String(await pidOfTheGone()) });
  await once(server, "connection");
  expect((await until(async () => (await orphans()).find(({ what }) => what.endsWith(" out")))).protected).toBe(false);
  server.close();
});

test("an agent below an editor is shown, and protected", async () => {
  const folder = join(stage.folder, ".vscode-server/bin/abc/out");
  mkdirSync(folder, { recursive: true });
  const { argv, env } = stage.programs.start("claude", { subject: "in a panel" });
  const [file, ...args] = argv;
  writeFileSync(
    join(folder, "server-main.js"),
    `require("node:child_process").spawn(${JSON.stringify(file)}, ${JSON.stringify(args)}, { stdio: ["pipe", "ignore", "ignore"] }); setInterval(() => {}, 60_000);`,
  );
  const editor = spawn(process.execPath, [join(folder, "server-main.js")], { env: { ...stage.env, ...env }, cwd: stage.work, detached: true, stdio: "ignore" });
  const row = await until(async () => (await orphans()).find(({ agent }) => agent === "claude"));
  expect([row.protected, row.protected_because]).toEqual([true, expect.stringContaining(`an editor runs it: `)]);
  expect(row.protected_because).toContain(`(${editor.pid})`);
  expect((await stage.warden(["orphans", "--end", row.key, "--yes"])).code).toBe(1);
  editor.kill("SIGKILL");
});

test("an agent that is nobody's is ended by its own way: its conversation id is saved", async () => {
  const { argv, env } = stage.programs.start("claude", { subject: "left alone" });
  await leave(argv, env);
  const row = await until(async () => (await orphans()).find(({ what, protected: isProtected }) => what.includes("left alone") && !isProtected));
  expect(row).toMatchObject({ agent: "claude", why: "Claude Code runs without a terminal, without a living parent, and in no record." });
  const ended = await stage.warden(["orphans", "--end", row.key, "--yes", "--json"]);
  expect([ended.code, ended.json()]).toEqual([0, expect.objectContaining({ status: "success", operation: "endOrphan", termination_method: "graceful" })]);
  expect(ended.json().captured_id).toMatch(/^[0-9a-f-]{36}$/);
});
