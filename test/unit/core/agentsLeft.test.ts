import { expect, test } from "vitest";
import { agent, lone, server, suspects, tmux, told } from "../../support/adrift.ts";
import { aPane, aRecord, aRun, aSession, anEntry, pid, seen, without } from "../../support/facets.ts";

test("an agent without a terminal, a parent and a record is an orphan; our own ledger only noted that it was there", () => {
  const noted = aSession(aRun(), aRecord("ledger"));
  for (const session of [lone, noted])
    expect(suspects({ entries: [agent], sessions: [session] })).toEqual([expect.objectContaining({ key: "process:41-7", session, protection: undefined })]);
});

test.each([
  ["in a record", [agent], aSession(aRun(), aRecord("mux"))],
  ["with a terminal", [{ ...agent, tty: "34817" }], lone],
  ["in a pane", [agent], aSession(aRun({ host: { kind: "process", process: pid(41), pane: aPane() } }))],
])("an agent %s is no orphan", (_what, entries, session) => {
  expect(told({ entries, sessions: [session] })).toEqual([]);
});

test.each([
  ["whose parent lives", [{ ...agent, parentPid: 499 }], "what started it lives"],
  [
    "whose launcher's parent lives",
    [anEntry(pid(40), { parentPid: 499, argv: ["claude"], sessionId: 41 }), { ...agent, parentPid: 40 }],
    "what started it lives",
  ],
  ["below which another runs", [anEntry(pid(42, "42"), { parentPid: 41, argv: ["codex"], sessionId: 41 }), agent], "Codex (42) runs below it"],
  ["that a job of tmux has started", [{ ...agent, parentPid: 5 }, server], "what started it lives"],
  ["that a living agent has started", [agent, anEntry(pid(60, "6"), { argv: ["opencode"], tty: "1" })], "started by OpenCode (60), which lives"],
])("an agent %s is protected", (_what, entries, reason) => {
  expect(told({ entries, sessions: [lone], marks: { 41: { OPENCODE_PID: "60" } } })).toEqual([[41, expect.anything(), expect.stringContaining(reason)]]);
});

test.each([
  ["may have been started by an agent that lives", { CODEX_THREAD_ID: "t" }, "Codex (62) lives, which may have"],
  ["was started in a pane that is open", tmux, "it was started in tmux pane %3 of /tmp/t, which is open"],
])("an agent that %s is protected, as any other program is", (_what, marks, reason) => {
  const entries = [agent, server, anEntry(pid(62, "6"), { argv: ["codex"], tty: "1" })];
  expect(told({ entries, sessions: [lone], panes: [aPane({ id: "%3" })], marks: { 41: marks } })).toEqual([
    [41, expect.anything(), expect.stringContaining(reason)],
  ]);
});

test.each([
  ["a container's own program, in its session", { argv: ["node", "server.js"], sessionId: 0 }, {}, "may have been started by node (1)"],
  ["a container's own program, in another session", { argv: ["node", "server.js"], sessionId: 1 }, {}, undefined],
  ["what takes over all that is left", { argv: ["/sbin/init"], sessionId: 0 }, {}, undefined],
  ["what only waits", { argv: ["sleep", "infinity"], sessionId: 0 }, {}, undefined],
  ["a shell with a script, in its session", { argv: ["bash", "entrypoint.sh"], sessionId: 0 }, {}, "may have been started by bash (1)"],
  ["a container's own program, and that carries the mark of one that is gone", { argv: ["node"], sessionId: 0 }, { OPENCODE_PID: "60" }, undefined],
])("an agent below the first process, which is %s", (_what, first, marks, reason) => {
  const entries = [anEntry(pid(1, "1"), { parentPid: 0, ...first }), { ...agent, sessionId: 0 }];
  expect(told({ entries, sessions: [lone], marks: { 41: marks } })).toEqual([
    [41, expect.anything(), reason === undefined ? undefined : expect.stringContaining(reason)],
  ]);
});

test("while a book gives no answer, no agent is called one without a record; a server that gives none knows of no process", () => {
  const given = { entries: [agent], sessions: [lone] };
  expect(told({ ...given, unreachable: [{ place: "/home/me/sessions.yaml", reason: "broken" }] })[0]?.[2]).toContain("gives no answer");
  expect(told({ ...given, unreachable: [{ place: "http://127.0.0.1:4096", reason: "locked" }] })[0]?.[2]).toBeUndefined();
});

test("a run without a process of its own is no agent that could be left", () => {
  expect(
    told({
      entries: [agent],
      sessions: [aSession(without(aRun({ host: { kind: "server", server: pid(9), url: "http://x", directory: "/" }, activity: seen("idle") }), "pidFile"))],
    }),
  ).toEqual([]);
});
