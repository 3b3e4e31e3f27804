import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Pane } from "../../../../src/core/census.ts";
import { handleOf } from "../../../../src/system/tmux/pane.ts";
import { readPanes } from "../../../../src/system/tmux/panes.ts";
import { tmuxProgram } from "../../../../src/system/tmux/tmuxProgram.ts";
import { aTmux } from "../../../support/tmux.ts";
import type { PrivateTmux } from "../../../support/tmux.ts";
import { aPane } from "./aPane.ts";
import { findProcess } from "../../../real/support/processes.ts";
import { until } from "../../../real/support/until.ts";

const { signal } = new AbortController();
const program = tmuxProgram("tmux");

const open = (tmux: PrivateTmux) => tmux.run("list-panes", "-a", "-F", "#{session_name} #{pane_id}").split("\n");
const ask = (tmux: PrivateTmux, pane: Pane, format: string) => tmux.run("display-message", "-p", "-t", pane.id, format);

/** Another server on the same socket, whose first pane has the same id. */
async function restarted(tmux: PrivateTmux): Promise<Pane> {
  const before = await aPane(tmux, "before");
  tmux.run("kill-server");
  // While it still ends, a client that would start a new one is told "server exited unexpectedly".
  await until(() => findProcess(before.server.pid) === undefined);
  const after = await aPane(tmux, "after", "echo somebody else; exec sleep 60");
  expect(after.id).toBe(before.id);
  return before;
}

test("a pane is closed, and its neighbours are not: beside it, and under a name that begins alike", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  await aPane(tmux, "work-2");
  tmux.run("split-window", "-d", "-t", pane.id, "sleep", "60");
  expect(await handleOf(pane, program).close()).toBeUndefined();
  expect(open(tmux)).toEqual(["work %2", "work-2 %1"]);
});

test("a pane that is gone already needs no closing", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  await aPane(tmux, "other");
  tmux.run("kill-pane", "-t", pane.id);
  expect(await handleOf(pane, program).close()).toBeUndefined();
  expect(open(tmux)).toEqual(["other %1"]);
});

test.each(["close", "pressEscape", "keepWhenDead"] as const)("%s: the pane of a restarted server with the same id is somebody else's", async (change) => {
  await using tmux = await aTmux();
  const pane = await restarted(tmux);
  expect(await handleOf(pane, program)[change]()).toEqual({ kind: "refused", reason: "noLongerOneSession" });
  expect(open(tmux)).toEqual(["after %0"]);
  expect(tmux.run("show-options", "-p", "-t", "%0")).toBe("");
});

test("what the pane of a restarted server shows is not taken for this one's", async () => {
  await using tmux = await aTmux();
  const pane = await restarted(tmux);
  await until(() => tmux.run("capture-pane", "-p", "-t", "%0").includes("somebody else"));
  expect(await handleOf(pane, program).screen(10)).toBeUndefined();
});

test("a pane in which another program was started is somebody else's", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  tmux.run("respawn-pane", "-k", "-t", pane.id, "sleep", "61");
  expect(await handleOf(pane, program).close()).toEqual({ kind: "refused", reason: "noLongerOneSession" });
  expect(open(tmux)).toEqual(["work %0"]);
});

test("a server that hangs, and a program that is not there, are refusals that say so", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  expect(await handleOf(pane, tmuxProgram("no-such-tmux")).close()).toMatchObject({ reason: "unreachable", detail: "no-such-tmux was not found" });
  process.kill(pane.server.pid, "SIGSTOP");
  try {
    expect(await handleOf(pane, program).close()).toMatchObject({ reason: "unreachable", detail: "its tmux server does not answer" });
  } finally {
    process.kill(pane.server.pid, "SIGCONT");
  }
});

/** A tmux that refuses this one command, and passes on all others. */
async function aTmuxWithout(tmux: PrivateTmux, command: string): Promise<string> {
  const program = join(tmux.folder, "tmux");
  await writeFile(program, `#!/bin/sh\ncase "$*" in *${command}*) set -- -S '${tmux.socket}' no-such-command;; esac\nexec tmux "$@"\n`, { mode: 0o755 });
  return program;
}

test.each([
  ["close", "kill-pane"],
  ["pressEscape", "send-keys"],
  ["keepWhenDead", "set-option"],
] as const)("%s: what tmux would not do is not done", async (change, command) => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  const refused = await handleOf(pane, tmuxProgram(await aTmuxWithout(tmux, command)))[change]();
  expect(refused).toEqual({ kind: "refused", reason: "unreachable", detail: "tmux said: unknown command: no-such-command" });
  expect(open(tmux)).toEqual(["work %0"]);
});

test.each(["pressEscape", "keepWhenDead"] as const)("%s: a pane that is gone takes nothing", async (change) => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  await aPane(tmux, "other");
  tmux.run("kill-pane", "-t", pane.id);
  expect(await handleOf(pane, program)[change]()).toEqual({ kind: "refused", reason: "unreachable", detail: "its pane is gone" });
});

test("with its server a pane is gone, and needs no closing", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  tmux.run("kill-server");
  await until(async () => (await readPanes([tmux.socket], program, signal)).panes.length === 0);
  expect(await handleOf(pane, program).close()).toBeUndefined();
  expect(await handleOf(pane, program).pressEscape()).toEqual({ kind: "refused", reason: "unreachable", detail: "its pane is gone" });
});

test("the last pane of a server is closed, and the server with it", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  expect(await handleOf(pane, program).close()).toBeUndefined();
  await until(async () => (await readPanes([tmux.socket], program, signal)).panes.length === 0);
});

test("a kept pane stays when its program ends, and its last words can be read", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work", "read line; echo goodbye $line");
  const putBack = await handleOf(pane, program).keepWhenDead();
  tmux.run("send-keys", "-t", pane.id, "friend", "Enter");
  await until(() => ask(tmux, pane, "#{pane_dead}") === "1");
  expect(await handleOf(pane, program).screen(100)).toContain("goodbye friend");
  expect(typeof putBack).toBe("function");
  expect(await handleOf(pane, program).close()).toBeUndefined();
});

// tmux 3.3a now and then notices the end of a pane's program only half a minute later, and runs its hooks only then.
const hasLateHooks = { retry: 3 };

test("should whoever keeps a pane be killed, tmux closes it itself", hasLateHooks, async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work", "read line");
  await aPane(tmux, "stays", "sleep 600");
  await handleOf(pane, program).keepWhenDead(1);
  tmux.run("send-keys", "-t", pane.id, "Enter");
  await until(() => ask(tmux, pane, "#{pane_dead}") === "1");
  await until(async () => (await readPanes([tmux.socket], program, signal)).panes.every(({ id }) => id !== pane.id));
});

test("and leaves it alone where somebody has started something else in it", hasLateHooks, async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work", "read line");
  await handleOf(pane, program).keepWhenDead(1);
  tmux.run("send-keys", "-t", pane.id, "Enter");
  await until(() => ask(tmux, pane, "#{pane_dead}") === "1");
  tmux.run("respawn-pane", "-t", pane.id, "sleep 600");
  // A second pane that is kept for as long, and dies later, tells when the first one's time is over.
  const later = await aPane(tmux, "later", "read line");
  await handleOf(later, program).keepWhenDead(1);
  tmux.run("send-keys", "-t", later.id, "Enter");
  await until(async () => (await readPanes([tmux.socket], program, signal)).panes.every(({ id }) => id !== later.id));
  expect(ask(tmux, pane, "#{pane_dead}")).toBe("0");
});

test.each(["", "on", "off", "failed"])("what a pane was told before (%j) is put back", async (before) => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  if (before !== "") tmux.run("set-option", "-p", "-t", pane.id, "remain-on-exit", before);
  const putBack = await handleOf(pane, program).keepWhenDead();
  expect(tmux.run("show-options", "-p", "-v", "-t", pane.id, "remain-on-exit")).toBe("on");
  if (typeof putBack === "function") await putBack();
  expect(tmux.run("show-options", "-p", "-v", "-t", pane.id, "remain-on-exit")).toBe(before);
});

test("Escape reaches the program", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work", "exec cat");
  expect(await handleOf(pane, program).pressEscape()).toBeUndefined();
  await until(async () => (await handleOf(pane, program).screen(0)) === "^[");
});

test.each(["copy-mode", "clock-mode", "choose-tree"])("Escape leaves %s first, and then reaches the program", async (mode) => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work", "exec cat");
  tmux.run(mode, "-t", pane.id);
  expect(ask(tmux, pane, "#{pane_in_mode}")).toBe("1");
  await handleOf(pane, program).pressEscape();
  await until(() => tmux.run("capture-pane", "-p", "-t", pane.id).startsWith("^["));
  expect(ask(tmux, pane, "#{pane_in_mode}")).toBe("0");
});

test("a screen is plain text, with as many lines above it as one asks for", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work", "printf '\\033[1;31m'; seq 1 60; printf 'thé énd\\n'; exec sleep 60");
  const screen = (above: number) => handleOf(pane, program).screen(above);
  const whole = await until(async () => ((await screen(100))?.endsWith("thé énd") ? screen(100) : undefined));
  expect(whole.split("\n").slice(0, 2)).toEqual(["1", "2"]);
  const shown = (await screen(0))?.split("\n");
  expect([shown?.length, shown?.[0]]).toEqual([23, "39"]);
});

test("a long line that tmux broke is one line", async () => {
  await using tmux = await aTmux();
  const id = "0123456789".repeat(15);
  const pane = await aPane(tmux, "work", `echo ${id}; exec sleep 60`);
  await until(async () => (await handleOf(pane, program).screen(0)) === id);
});

test("a pane that is gone shows nothing", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  await aPane(tmux, "other");
  tmux.run("kill-pane", "-t", pane.id);
  expect(await handleOf(pane, program).screen(0)).toBeUndefined();
});
