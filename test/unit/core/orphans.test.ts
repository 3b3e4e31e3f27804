import { expect, test } from "vitest";
import { child, marked, server, suspects, tmux, told } from "../../support/adrift.ts";
import { aPane, anEntry, pid } from "../../support/facets.ts";

test("what a server that is gone has left is an orphan, with its name and why", () => {
  expect(suspects({ entries: [child], marks: marked })).toEqual([
    expect.objectContaining({
      key: "process:70-70",
      what: "sleep 600",
      why: "It was left behind by OpenCode (60), which is gone.",
      protection: undefined,
      tree: [child],
    }),
  ]);
});

test("a living server's child is its, even where it has left its reach", () => {
  expect(told({ entries: [child, anEntry(pid(60, "60"), { argv: ["opencode"], tty: "1" })], marks: marked })).toEqual([]);
});

test("a server's pid that is by now another's is no living server: whoever began after the child has not started it", () => {
  const [orphan] = told({ entries: [child, anEntry(pid(60, "90"), { argv: ["opencode"], tty: "1" })], marks: marked });
  expect(orphan).toEqual([70, expect.stringContaining("that pid is by now another process's, which began later"), undefined]);
});

test.each([
  ["that pid is another program's, which is as old", anEntry(pid(60, "60"), { argv: ["vim"], tty: "1" }), "is not known to be it"],
  ["both began in the same moment", anEntry(pid(60, "70"), { argv: ["opencode"], tty: "1" }), "can't be known"],
  ["their starts can't be compared", anEntry({ pid: 60, start: { kind: "untold" } }, { argv: ["opencode"], tty: "1" }), "can't be known"],
])("where %s, it is protected", (_what, entry, reason) => {
  expect(told({ entries: [child, entry], marks: marked })).toEqual([[70, expect.anything(), expect.stringContaining(reason)]]);
});

test.each([
  ["its server is gone", [], [], "whose server (5) is gone"],
  ["its server's pid is another's", [anEntry(pid(5, "80"), { tty: "1" })], [], "whose server (5) is gone"],
  ["it is closed", [server], [aPane({ id: "%1" })], "which is closed"],
  ["it is dead", [server], [aPane({ id: "%3", state: "dead" })], "which is dead"],
])("a pane's child is an orphan where %s", (_what, entries, panes, why) => {
  expect(told({ entries: [child, ...entries], panes, marks: { 70: tmux } })).toEqual([[70, expect.stringContaining(why), undefined]]);
});

test("what ran in a closed pane is its server's child still, and nobody's; another child of that server is not", () => {
  const given = { panes: [aPane({ id: "%1" })], marks: { 70: tmux } };
  expect(told({ ...given, entries: [{ ...child, parentPid: 5 }, server] })).toEqual([[70, expect.stringContaining("which is closed"), undefined]]);
  expect(told({ ...given, entries: [{ ...child, parentPid: 6 }, server, anEntry(pid(6, "6"), { argv: ["tmux"], parentPid: 499, tty: "1" })] })).toEqual([]);
  expect(told({ ...given, panes: [aPane({ id: "%3" })], entries: [{ ...child, parentPid: 5 }, server] })).toEqual([]);
});

test("a pane that lives keeps its own; of a server that tells nothing, nothing is offered", () => {
  expect(told({ entries: [child, server], panes: [aPane({ id: "%3" })], marks: { 70: tmux } })).toEqual([]);
  expect(told({ entries: [child, server], marks: { 70: tmux } })).toEqual([[70, expect.anything(), expect.stringContaining("can't be listed")]]);
});

test("what an agent left is an orphan though its pane lives; what a living agent started is none though its pane is closed", () => {
  const both = { ...tmux, CLAUDE_PID: "61" };
  expect(told({ entries: [child, server], panes: [aPane({ id: "%3" })], marks: { 70: both } })).toEqual([
    [70, "It was left behind by Claude Code (61), which is gone.", undefined],
  ]);
  const agent = anEntry(pid(61, "61"), { argv: ["claude"], tty: "1" });
  expect(told({ entries: [child, server, agent], panes: [aPane({ id: "%1" })], marks: { 70: both } })).toEqual([]);
});

test.each([
  ["none of that agent lives", [], undefined],
  ["those that live began later", [anEntry(pid(62, "90"), { argv: ["codex"], tty: "1" })], undefined],
  ["one lives that is old enough", [anEntry(pid(62, "60"), { argv: ["codex"], tty: "1" })], "Codex (62) lives, which may have"],
])("a mark that names no process tells that its agent is gone where %s", (_what, entries, reason) => {
  expect(told({ entries: [child, ...entries], marks: { 70: { CODEX_THREAD_ID: "t" } } })).toEqual([
    [70, expect.stringContaining(reason ?? "left behind by Codex, which is gone"), reason === undefined ? undefined : expect.stringContaining(reason)],
  ]);
});

test("the topmost is shown, with what runs below it", () => {
  const below = anEntry(pid(71, "71"), { parentPid: 70, argv: ["node"] });
  const [orphan, ...others] = suspects({ entries: [child, below], marks: { ...marked, 71: { OPENCODE_PID: "60" } } });
  expect([orphan?.tree, others]).toEqual([[child, below], []]);
});

test.each([
  ["without a mark", { entries: [child] }],
  ["with a terminal", { entries: [{ ...child, tty: "34817" }], marks: marked }],
  ["of another user", { entries: [{ ...child, uid: 1 }], marks: marked }],
  ["of another container", { entries: [{ ...child, identity: { ...child.identity, pidNamespace: "pid:[1]" } }], marks: marked }],
  ["with a parent that lives", { entries: [{ ...child, parentPid: 499 }], marks: marked }],
  ["that has ended", { entries: [{ ...child, state: "zombie" as const }], marks: marked }],
])("a process %s is nobody's business", (_what, given) => {
  expect(told(given)).toEqual([]);
});
