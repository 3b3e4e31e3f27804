import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readPanes } from "../../../../src/system/tmux/panes.ts";
import type { PanesReading } from "../../../../src/system/tmux/panes.ts";
import { tmuxProgram } from "../../../../src/system/tmux/tmuxProgram.ts";
import { aFolder } from "../../../support/folder.ts";
import { aTmux } from "../../../support/tmux.ts";
import { until } from "../../../real/support/until.ts";

const { signal } = new AbortController();
const read = (...sockets: readonly string[]): Promise<PanesReading> => readPanes(sockets, tmuxProgram("tmux"), signal);

test("a socket whose server was killed is nothing, and so is one that is not there", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "sleep", "60");
  process.kill(tmux.pid(), "SIGKILL");
  await until(async () => (await read(tmux.socket)).panes.length === 0);
  expect(await read(tmux.socket, join(tmux.folder, "absent"))).toEqual({ panes: [], unreachable: [] });
});

test("a server that hangs is without an answer within its bound, takes no other with it, and is told again when it goes on", async () => {
  await using tmux = await aTmux();
  await using other = await aTmux();
  for (const each of [tmux, other]) each.run("new-session", "-d", "sleep", "60");
  const server = tmux.pid();
  const begun = Date.now();
  process.kill(server, "SIGSTOP");
  try {
    const reading = await read(tmux.socket, other.socket);
    expect(Date.now() - begun).toBeLessThan(5_000);
    expect(reading.unreachable).toEqual([{ place: tmux.socket, reason: "this tmux server does not answer" }]);
    expect(reading.panes.map(({ server }) => server.socket)).toEqual([other.socket]);
  } finally {
    process.kill(server, "SIGCONT");
  }
  await until(async () => (await read(tmux.socket)).panes.length === 1);
});

test("a server that has hung is waited for less long, until it answers", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "sleep", "60");
  const [program, server] = [tmuxProgram("tmux"), tmux.pid()];
  const asked = async (): Promise<readonly [string, number]> => {
    const begun = Date.now();
    const { kind } = await program.ask(tmux.socket, ["list-panes", "-a"]);
    return [kind, Date.now() - begun];
  };
  process.kill(server, "SIGSTOP");
  let first: readonly [string, number], second: readonly [string, number];
  try {
    first = await asked();
    second = await asked();
  } finally {
    process.kill(server, "SIGCONT");
  }
  expect([first[0], second[0]]).toEqual(["timedOut", "timedOut"]);
  expect(second[1]).toBeLessThan(first[1] / 2);
  await until(async () => (await asked())[0] === "exited");
});

test("somebody who listens and is no tmux is without an answer", async () => {
  await using folder = await aFolder();
  const socket = join(folder.path, "socket");
  const server = createServer(() => undefined).listen(socket);
  onTestFinished(() => void server.close());
  await until(async () => (await read(socket)).unreachable.length === 1);
});

test("where there is no tmux program it is said, with a way on", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "sleep", "60");
  expect(await readPanes([tmux.socket], tmuxProgram("no-such-tmux"), signal)).toEqual({
    panes: [],
    unreachable: [{ place: tmux.socket, reason: "no-such-tmux was not found, so its panes can't be listed", remedy: "openSettings" }],
  });
});

test("what a tmux program says instead of an answer is passed on, and no more of it than fits a row", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "sleep", "60");
  const program = join(tmux.folder, "tmux");
  await writeFile(program, `#!/bin/sh\necho "protocol version mismatch ${"x".repeat(500)}" >&2\nexit 1\n`, { mode: 0o755 });
  const { unreachable } = await readPanes([tmux.socket], tmuxProgram(program), signal);
  expect(unreachable).toEqual([{ place: tmux.socket, reason: expect.stringMatching(/^tmux said: protocol version mismatch x+$/) }]);
  expect(unreachable[0]?.reason.length).toBeLessThanOrEqual(211);
});
