import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { argvOf, allProcesses } from "../../real/support/processes.ts";
import { leave, orphansOf, pidOfTheGone, untilOrphan } from "../../support/leftBehind.ts";
import { openStage, until } from "../../support/stage.ts";
import type { Stage } from "../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

test("what a person has started with nohup has outlived its closed pane as it was told to, and is protected", async () => {
  const command = "nohup setsid -f sleep 7011 > /dev/null 2>&1; sleep 7012";
  const pane = stage.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "nohup", "-c", stage.work, "--", "sh", "-c", command).trim();
  await until(() => allProcesses().find((each) => argvOf(each.pid).join(" ") === "sleep 7012"));
  stage.tmux("new-session", "-d", "-s", "still there");
  stage.tmux("kill-pane", "-t", pane);
  expect((await untilOrphan(stage, "sleep 7011")).protected_because).toBe("it was started so as to outlive its pane");
});

test("a server that somebody is connected to is protected, by TCP and by a Unix socket, and is not when they have left", async () => {
  const path = join(stage.folder, "socket");
  const program = `const { createServer } = require("node:net"); createServer().listen(${JSON.stringify(path)});
    createServer().listen(0, "127.0.0.1", function () { require("node:fs").writeFileSync(process.argv[1], String(this.address().port)); }); setInterval(() => {}, 60_000);`;
  const portFile = join(stage.work, "port");
  await leave(stage, [process.execPath, "-e", program, portFile], { OPENCODE_PID: String(await pidOfTheGone()) });
  const row = await until(async () => (await orphansOf(stage)).find(({ what }) => what.startsWith("node -e const")));
  const find = async (): Promise<string | null | undefined> => (await orphansOf(stage)).find(({ pid }) => pid === row.pid)?.protected_because;
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
  expect((await untilOrphan(stage, "cat - /dev/null")).protected_because).toBe("somebody is connected to it");
});

test("both ends of a pipeline that an agent has left are offered: they have no client but each other", async () => {
  const env = { ...stage.env, OPENCODE_PID: String(await pidOfTheGone()) };
  const shell = spawn("sh", ["-c", "sleep 7021 | cat - /dev/null /dev/null; exit"], { env, cwd: stage.work, stdio: "ignore" });
  for (const command of ["sleep 7021", "cat - /dev/null /dev/null"]) await until(() => allProcesses().find(({ pid }) => argvOf(pid).join(" ") === command));
  shell.kill("SIGKILL");
  expect((await untilOrphan(stage, "sleep 7021")).protected_because).toBeNull();
  expect((await untilOrphan(stage, "cat - /dev/null /dev/null")).protected_because).toBeNull();
});

test("a service that waits at a place of this user's for whoever comes is protected", async () => {
  const path = join(stage.home, ".waiting");
  await leave(stage, [process.execPath, "-e", `require("node:net").createServer().listen(${JSON.stringify(path)})`, "waits"], {
    OPENCODE_PID: String(await pidOfTheGone()),
  });
  await until(() => existsSync(path));
  const row = await until(async () => (await orphansOf(stage)).find(({ what }) => what.endsWith(" waits")));
  expect(row.protected_because).toBe("it waits for others at ~/.waiting");
});

test("what an agent has started and may have a window is protected: it is somebody's browser", async () => {
  const browser = join(stage.work, "libX11.so.6");
  copyFileSync("/bin/sleep", browser);
  await leave(stage, [browser, "7010"], { CLAUDE_PID: String(await pidOfTheGone()) });
  expect((await untilOrphan(stage, `${browser} 7010`)).protected_because).toBe("it may have a window on the screen");
});

test("a connection of its own to another's server makes it nobody's server", async () => {
  const server = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await leave(stage, [process.execPath, "-e", `require("node:net").connect(${port}, "127.0.0.1")`, "out"], { OPENCODE_PID: String(await pidOfTheGone()) });
  await once(server, "connection");
  expect((await until(async () => (await orphansOf(stage)).find(({ what }) => what.endsWith(" out")))).protected).toBe(false);
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
  const row = await until(async () => (await orphansOf(stage)).find(({ agent }) => agent === "claude"));
  expect([row.protected, row.protected_because]).toEqual([true, expect.stringContaining(`an editor runs it: `)]);
  expect(row.protected_because).toContain(`(${editor.pid})`);
  expect((await stage.warden(["orphans", "--end", row.key, "--yes"])).code).toBe(1);
  editor.kill("SIGKILL");
});
