import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Pane } from "../../../../src/core/census.ts";
import { readPanes } from "../../../../src/system/tmux/panes.ts";
import type { PanesReading } from "../../../../src/system/tmux/panes.ts";
import { tmuxProgram } from "../../../../src/system/tmux/tmuxProgram.ts";
import { aFolder } from "../../../support/folder.ts";
import { aTmux } from "../../../support/tmux.ts";
import type { PrivateTmux } from "../../../support/tmux.ts";
import { until } from "../../../real/support/until.ts";

const { signal } = new AbortController();
const read = (...sockets: readonly string[]): Promise<PanesReading> => readPanes(sockets, tmuxProgram("tmux"), signal);
const panesOf = async ({ socket }: PrivateTmux): Promise<readonly Pane[]> => (await read(socket)).panes;

test("a pane is told with its server, its ids and its program's process", async () => {
  await using tmux = await aTmux();
  const said = tmux.run(
    "new-session",
    "-d",
    "-P",
    "-F",
    "#{pid} #{pane_id} #{session_id} #{window_id} #{window_index} #{pane_pid}",
    "-s",
    "work",
    "sleep",
    "60",
  );
  const [server, id, sessionId, windowId, windowIndex, pid] = said.split(" ");
  expect(await read(tmux.socket)).toEqual({
    panes: [
      {
        server: { socket: tmux.socket, pid: Number(server) },
        id,
        sessionId,
        sessionName: "work",
        windowId,
        windowIndex: Number(windowIndex),
        pid: Number(pid),
        state: "alive",
        title: expect.any(String),
        cwd: process.cwd(),
        hasStartCommand: true,
        isAttached: false,
        takesKeys: true,
      },
    ],
    unreachable: [],
  });
});

// What tmux makes of a name is its own: a dot and a colon it replaces.
const names: readonly (readonly [string, string])[] = [
  ["two words", "two words"],
  ["dots.and:colons", "dots_and_colons"],
  ["ümläut 漢字 🦉", "ümläut 漢字 🦉"],
  ["=equals", "=equals"],
  ["-dash", "-dash"],
  ["trailing\\;", "trailing;"],
  ["per%cent #{pid", "per%cent #{pid"],
];

test.each(["C", "POSIX", "C.UTF-8"])("names and titles are whole, whatever they hold and with LC_ALL=%s", async (locale) => {
  await using tmux = await aTmux();
  for (const [name] of names) tmux.run("new-session", "-d", "-s", name.replaceAll("#{", "##{"), "sleep", "60");
  tmux.run("select-pane", "-t", "=ümläut 漢字 🦉:", "-T", "✳ fix the lögin → now");
  withVariable("LC_ALL", locale);
  const panes = await panesOf(tmux);
  expect(panes.map(({ sessionName }) => sessionName).sort()).toEqual(names.map(([, shown]) => shown).sort());
  expect(panes.find(({ sessionName }) => sessionName.startsWith("ü"))?.title).toBe("✳ fix the lögin → now");
});

test("a title with a tab moves no field", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "-s", "work", "printf '\\033]2;one\\ttwo\\007'; exec sleep 60");
  const pane = await until(async () => (await panesOf(tmux)).find(({ title }) => title.startsWith("one")));
  expect(pane).toMatchObject({ sessionName: "work", cwd: process.cwd() });
});

test("a folder with a tab and a new line in its name is told whole, and hides no other pane", async () => {
  await using tmux = await aTmux();
  const odd = join(tmux.folder, "a\tb\nc");
  await mkdir(odd);
  tmux.run("new-session", "-d", "-s", "odd", "-c", odd, "sleep", "60");
  tmux.run("new-session", "-d", "-s", "plain", "-c", tmux.folder, "sleep", "60");
  const panes = await until(async () => {
    const all = await panesOf(tmux);
    return all.length === 2 && all.some(({ cwd }) => cwd === odd) ? all : undefined;
  });
  expect(panes.map(({ sessionName, cwd }) => [sessionName, cwd])).toEqual([
    ["odd", odd],
    ["plain", tmux.folder],
  ]);
});

test("every pane of every window of every session is told", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "-s", "a", "sleep", "60");
  tmux.run("split-window", "-d", "-t", "=a:", "sleep", "60");
  tmux.run("new-window", "-d", "-t", "=a:", "sleep", "60");
  tmux.run("new-session", "-d", "-s", "b", "sleep", "60");
  expect((await panesOf(tmux)).map(({ sessionName, windowIndex }) => `${sessionName} ${windowIndex}`)).toEqual(["a 0", "a 0", "a 1", "b 0"]);
});

test("a pane of grouped sessions and of a linked window is one pane", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "-s", "work", "sleep", "60");
  tmux.run("new-session", "-d", "-s", "same", "-t", "=work");
  tmux.run("new-session", "-d", "-s", "other", "sleep", "60");
  tmux.run("link-window", "-s", "=work:", "-t", "=other:5");
  expect((await panesOf(tmux)).map(({ windowId }) => windowId).sort()).toEqual(["@0", "@2"]);
});

test("of grouped sessions the one that somebody looks at is told", async () => {
  await using outer = await aTmux();
  await using tmux = await aTmux();
  for (const name of ["a", "b", "c"]) tmux.run("new-session", "-d", "-s", name, ...(name === "a" ? ["sleep", "60"] : ["-t", "=a"]));
  outer.run("new-session", "-d", "env", "-u", "TMUX", "tmux", "-S", tmux.socket, "attach-session", "-t", "=b");
  const pane = await until(async () => (await panesOf(tmux)).find(({ isAttached }) => isAttached));
  expect(pane.sessionName).toBe("b");
});

test("a pane that is kept when its program has ended is dead", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "-s", "work", "read line");
  tmux.run("set-option", "-p", "-t", "=work:", "remain-on-exit", "on");
  tmux.run("send-keys", "-t", "=work:", "Enter");
  await until(async () => (await panesOf(tmux))[0]?.state === "dead");
});

test.each([
  ["its keyboard is switched off", ["select-pane", "-d", "-t", "=work:"]],
  ["it shares its keyboard with other panes", ["set-option", "-w", "-t", "=work:", "synchronize-panes", "on"]],
])("a pane takes no keys where %s", async (_where, command) => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "-s", "work", "sleep", "60");
  expect((await panesOf(tmux))[0]?.takesKeys).toBe(true);
  tmux.run(...command);
  expect((await panesOf(tmux))[0]?.takesKeys).toBe(false);
});

test.each<[string, readonly string[], boolean]>([
  ["a person's shell", [], false],
  ["a command", ["sleep 60"], true],
  ["a command that holds what tmux's formats are made of", ["sleep 60 # ,}#{pid},{ a"], true],
])("a pane made for %s", async (_what, command, hasStartCommand) => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "-s", "work", ...command);
  expect((await panesOf(tmux)).map((pane) => pane.hasStartCommand)).toEqual([hasStartCommand]);
});

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
  await until(async () => (await panesOf(tmux)).length === 1);
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

function withVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}
