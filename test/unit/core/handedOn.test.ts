import { expect, test } from "vitest";
import type { ProcessEntry } from "../../../src/core/census.ts";
import { fateOf } from "../../../src/core/marks.ts";
import type { Fate } from "../../../src/core/marks.ts";
import { aPane, anAgent, anEntry, censusOf, pid } from "../../support/facets.ts";

const claude = anAgent({
  recognise: ({ argv: [name] }) => (name === "claude" ? { role: "agent", runsIn: "terminal" } : undefined),
  childMarks: (_run, of) => ({ CLAUDE_PID: String(of) }),
});
const child = anEntry(pid(70, "70"), { argv: ["sleep", "600"] });
const server = anEntry(pid(5, "5"), { argv: ["tmux"] });
const agent = anEntry(pid(61, "3"), { argv: ["claude"], tty: "1" });
const inPane = (id: string) => ({ TMUX: "/tmp/t,5,0", TMUX_PANE: id });

type Marks = Readonly<Record<number, Readonly<Record<string, string>>>>;

/** What becomes known of the child; the server has the panes %1 and %2. */
function fate(marks: Marks, ...others: readonly ProcessEntry[]): Fate | undefined {
  const census = { ...censusOf(child, ...others), panes: [aPane({ id: "%1" }), aPane({ id: "%2" })] };
  return fateOf(child, { census, agents: [claude], environmentOf: ({ identity }) => new Map(Object.entries(marks[identity.pid] ?? { PATH: "/bin" })) });
}

test("in a tmux server that an agent has started, its mark is on all that anybody starts: the pane tells", () => {
  const started = { CLAUDE_PID: "61" };
  const given = (id: string) => fate({ 5: started, 70: { ...started, ...inPane(id) } }, server);
  expect(given("%1")).toMatchObject({ kind: "lives", of: "pane" });
  expect(given("%3")).toMatchObject({ kind: "gone", of: "pane" });
  expect(fate({ 5: started, 70: { ...started, TMUX: "/tmp/t,5,0" } }, server)).toBeUndefined();
});

test("another mark than its tmux server's is its own", () => {
  expect(fate({ 5: { CLAUDE_PID: "60" }, 70: { CLAUDE_PID: "61", ...inPane("%1") } }, server)).toMatchObject({ kind: "gone", of: "agent" });
});

test("while that agent lives, it may have started it", () => {
  expect(fate({ 5: { CLAUDE_PID: "61" }, 70: { CLAUDE_PID: "61", ...inPane("%3") } }, server, agent)).toMatchObject({ kind: "lives", of: "agent" });
});

test("a pane that the tmux server itself was started in is none of its panes", () => {
  expect(fate({ 5: { TMUX: "/tmp/outer,4,0", TMUX_PANE: "%77" }, 70: inPane("%77") }, server)).toBeUndefined();
});

test.each([
  ["an editor", ["/usr/share/code/code"]],
  ["a terminal multiplexer", ["SCREEN"]],
  ["what starts the services of a desktop", ["dbus-daemon", "--session"]],
])("where %s lives that has the mark too, it may have been started there by anybody", (_what, argv) => {
  const editor = anEntry(pid(9, "9"), { argv });
  const marks = { 70: { CLAUDE_PID: "61" } };
  expect(fate({ ...marks, 9: { CLAUDE_PID: "61" } }, editor)).toMatchObject({
    kind: "unknown",
    why: expect.stringContaining("(9), which lives and has the same mark"),
  });
  expect(fate({ ...marks, 9: { CLAUDE_PID: "60" } }, editor)).toMatchObject({ kind: "gone" });
  expect(fate({ ...marks, 9: { CLAUDE_PID: "61" } }, { ...editor, identity: pid(9, "90") })).toMatchObject({ kind: "gone" });
});

test("what has the mark too, and a terminal below it, is a terminal in which anybody may have started it; a tmux server tells by its own variable", () => {
  const shell = anEntry(pid(10, "10"), { argv: ["sh"], parentPid: 9, tty: "34818" });
  const marks = { 70: { CLAUDE_PID: "61" }, 9: { CLAUDE_PID: "61" } };
  expect(fate(marks, anEntry(pid(9, "9"), { argv: ["/usr/bin/kitty"] }), shell)).toMatchObject({ kind: "unknown" });
  expect(fate(marks, anEntry(pid(9, "9"), { argv: ["node", "build.js"] }))).toMatchObject({ kind: "gone" });
  expect(fate(marks, anEntry(pid(9, "9"), { argv: ["tmux"] }), shell)).toMatchObject({ kind: "gone" });
});

test.each([{ TMUX: "/tmp/t,5,0" }, { STY: "5.work" }])("of what runs in %j, whose own environment can't be read, nobody knows who has started it", (where) => {
  const marks = { CLAUDE_PID: "61", ...where };
  expect(fate({ 5: {}, 70: marks }, server)).toMatchObject({ kind: "unknown", why: expect.stringContaining("tmux (5), whose environment can't be read") });
  expect(fate({ 70: marks }, server)).toMatchObject({ kind: "gone" });
  expect(fate({ 70: marks })).toMatchObject({ kind: "gone" });
});
