import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Pane } from "../../../../src/core/census.ts";
import { readPanes } from "../../../../src/system/tmux/panes.ts";
import type { PanesReading } from "../../../../src/system/tmux/panes.ts";
import { tmuxProgram } from "../../../../src/system/tmux/tmuxProgram.ts";
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

function withVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}
