import { expect, test } from "vitest";
import { attachCommand, clientsOf, handleOf } from "../../../../src/system/tmux/pane.ts";
import { tmuxProgram } from "../../../../src/system/tmux/tmuxProgram.ts";
import { aTmux } from "../../../support/tmux.ts";
import { until } from "../../../real/support/until.ts";
import { aPane } from "./aPane.ts";

const { signal } = new AbortController();
const program = tmuxProgram("tmux");

test("a pane comes to the front of its tmux session", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  tmux.run("split-window", "-t", pane.id, "sleep", "60");
  tmux.run("new-window", "-t", "=work:", "sleep", "60");
  await handleOf(pane, program).bringToFront();
  expect(tmux.run("display-message", "-p", "-t", "=work:", "#{window_id} #{pane_id}")).toBe(`${pane.windowId} ${pane.id}`);
});

test("a window that is linked into two sessions comes to the front in the one that it was listed in", async () => {
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  // tmux itself would take the session that was used last, and tells that in whole seconds.
  const begun = Math.floor(Date.now() / 1_000);
  await until(() => Math.floor(Date.now() / 1_000) > begun);
  await aPane(tmux, "away");
  tmux.run("new-window", "-t", "=work:", "sleep", "60");
  tmux.run("link-window", "-s", `=work:${pane.windowId}`, "-t", "=away:7");
  tmux.run("select-window", "-t", "=away:0");
  const current = (name: string) => tmux.run("display-message", "-p", "-t", `=${name}:`, "#{window_id}");
  const [away, work] = [current("away"), current("work")];
  expect([away, work]).not.toContain(pane.windowId);
  await handleOf(pane, program).bringToFront();
  expect([current("away"), current("work")]).toEqual([away, pane.windowId]);
});

test("a terminal is attached to the session of the pane, with its window in front", async () => {
  await using outer = await aTmux();
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "work");
  tmux.run("new-window", "-t", "=work:", "sleep", "60");
  outer.run("new-session", "-d", "env", "-u", "TMUX", ...attachCommand(pane, program));
  await until(() => tmux.run("list-clients", "-F", "#{session_name} #{window_id}") === `work ${pane.windowId}`);
});

test("who looks at a session is told with its terminal; nobody, where nobody does or there is no server", async () => {
  await using outer = await aTmux();
  await using tmux = await aTmux();
  const pane = await aPane(tmux, "two words");
  expect(await clientsOf(tmux.socket, program, signal)).toEqual([]);
  const attach = attachCommand(pane, program);
  const client = Number(outer.run("new-session", "-d", "-P", "-F", "#{pane_pid}", "env", "-u", "TMUX", ...attach));
  await until(async () => (await clientsOf(tmux.socket, program, signal)).length === 1);
  expect(await clientsOf(tmux.socket, program, signal)).toEqual([
    { pid: client, tty: outer.run("display-message", "-p", "#{pane_tty}"), sessionName: "two words" },
  ]);
  tmux.run("kill-server");
  expect(await clientsOf(tmux.socket, program, signal)).toEqual([]);
});

test.each(["work", "-dash", "=equals", "dots.and:colons"])("a terminal is attached to the very session %j, though others' names begin alike", async (name) => {
  await using outer = await aTmux();
  await using tmux = await aTmux();
  await aPane(tmux, `${name}-2`);
  const pane = await aPane(tmux, name);
  await aPane(tmux, `${name} 3`);
  outer.run("new-session", "-d", "env", "-u", "TMUX", ...attachCommand(pane, program));
  const [client] = await until(async () => {
    const clients = await clientsOf(tmux.socket, program, signal);
    return clients.length > 0 ? clients : undefined;
  });
  expect(client?.sessionName).toBe(pane.sessionName);
});
