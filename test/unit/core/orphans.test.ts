import { expect, test } from "vitest";
import type { Agent, Recognised } from "../../../src/core/agent.ts";
import type { Census, Pane, ProcessEntry } from "../../../src/core/census.ts";
import { orphanOf, suspectsOf } from "../../../src/core/orphans.ts";
import type { Seen } from "../../../src/core/orphanProtection.ts";
import type { Suspect } from "../../../src/core/orphans.ts";
import type { Session } from "../../../src/core/session.ts";
import { aPane, aRecord, aRun, aSession, anAgent, anEntry, censusOf, pid, seen, without } from "../../support/facets.ts";

const ours = 500;
const us = anEntry(pid(ours, "500"), { parentPid: 499, argv: ["session-warden"] });
const editor = anEntry(pid(498, "3"), { argv: ["/usr/share/code/code"] });

const roles: Readonly<Record<string, Recognised>> = {
  claude: { role: "agent", runsIn: "terminal" },
  "claude-daemon": { role: "daemon", runsIn: "automation" },
  opencode: { role: "server", runsIn: "appServer" },
};
const agents: readonly Agent[] = [
  anAgent({
    recognise: ({ argv: [name = ""] }) => (name.startsWith("claude") ? roles[name] : undefined),
    childMarks: (_run, of) => ({ CLAUDE_PID: String(of) }),
  }),
  anAgent({
    id: "opencode",
    name: "OpenCode",
    recognise: ({ argv: [name] }) => (name === "opencode" ? roles["opencode"] : undefined),
    childMarks: (_run, of) => ({ OPENCODE_PID: String(of) }),
  }),
  anAgent({
    id: "codex",
    name: "Codex",
    recognise: ({ argv: [name] }) => (name === "codex" ? { role: "agent", runsIn: "terminal" } : undefined),
    childMarks: ({ conversation }) => (conversation ? { CODEX_THREAD_ID: conversation.id } : {}),
  }),
];

interface Given {
  readonly entries: readonly ProcessEntry[];
  readonly marks?: Readonly<Record<number, Readonly<Record<string, string>>>>;
  readonly panes?: readonly Pane[];
  readonly sessions?: readonly Session[];
  readonly unreachable?: Seen["unreachable"];
}

function suspects({ entries, marks = {}, panes = [], sessions = [], unreachable = [] }: Given): readonly Suspect[] {
  const census: Census = { ...censusOf(us, anEntry(pid(499, "2")), ...entries), panes };
  const environmentOf = ({ identity }: ProcessEntry) => new Map(Object.entries({ PATH: "/bin", ...marks[identity.pid] }));
  return suspectsOf({ census, sessions, unreachable, agents, environmentOf, ours });
}

const told = (given: Given): readonly (readonly [pid: number, why: string, protection: string | undefined])[] =>
  suspects(given).map(({ process, why, protection }) => [process.pid, why, protection]);

const child = anEntry(pid(70, "70"), { argv: ["/bin/sleep", "600"] });
const marked = { 70: { OPENCODE_PID: "60" } };
const tmux = { TMUX: "/tmp/t,5,0", TMUX_PANE: "%3" };
const server = anEntry(pid(5, "5"), { argv: ["tmux"], parentPid: 499 });

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

test.each([
  ["what this program runs in", [{ ...child, identity: pid(499, "2") }], { 499: { OPENCODE_PID: "60" } }, "it runs what you are using now"],
  ["what this program has taken over", [{ ...child, parentPid: ours }], marked, "what you are using now runs it"],
  ["an editor", [editor], { 498: tmux }, "it is an editor"],
  [
    "an editor's server",
    [
      anEntry(pid(498, "3"), {
        argv: ["node", "/root/.vscode-server/bin/x/out/server-main.js"],
        program: script("/root/.vscode-server/bin/x/out/server-main.js"),
      }),
    ],
    { 498: tmux },
    "it is an editor",
  ],
  ["an agent below an editor", [editor, anEntry(pid(70, "70"), { parentPid: 498, argv: ["claude-daemon"] })], {}, "an editor runs it"],
  ["a daemon", [anEntry(pid(70, "70"), { argv: ["claude-daemon"] })], marked, "others may share it"],
  ["a server, whoever started it", [anEntry(pid(70, "70"), { argv: ["opencode"] })], marked, "others may share it"],
  ["a tmux server", [anEntry(pid(70, "70"), { argv: ["tmux"] })], { 70: tmux }, "others may share it"],
  ["one whose parent can't be seen", [{ ...child, parentPid: 0 }], marked, "its parent can't be seen"],
  ["one below which an agent runs", [anEntry(pid(71, "71"), { parentPid: 70, argv: ["claude"] }), child], marked, "Claude Code (71) runs below it"],
  [
    "one below which an editor runs",
    [anEntry(pid(71, "71"), { parentPid: 70, argv: ["/usr/share/code/code"] }), child],
    marked,
    "an editor runs below it: code (71)",
  ],
  ["one below which somebody has a terminal", [anEntry(pid(71, "71"), { parentPid: 70, tty: "34818" }), child], marked, "has a terminal"],
])("%s is protected", (_what, entries, marks, reason) => {
  expect(told({ entries, marks })).toEqual([[entries.at(-1)?.identity.pid, expect.anything(), expect.stringContaining(reason)]]);
});

const lone = aSession(aRun());
const agent = anEntry(pid(41), { argv: ["claude"] });

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

test.each([
  [{ service: { kind: "kept", by: "opencode.service" }, clients: "none" }, "opencode.service is a service"],
  [{ service: { kind: "unknown" }, clients: "none" }, "can't be told on this system"],
  [{ service: { kind: "none" }, clients: "some" }, "somebody is connected"],
  [{ service: { kind: "none" }, clients: "unknown" }, "can't be seen"],
  [{ service: { kind: "none" }, clients: "none", waitsAt: "~/.cache/x" }, "it waits for others at ~/.cache/x"],
  [{ service: { kind: "none" }, clients: "none" }, undefined],
] as const)("with %o it is protected by: %s", (trace, reason) => {
  const [suspect] = suspects({ entries: [child], marks: marked });
  const orphan = suspect && orphanOf(suspect, { ...trace, isGraphical: false, ignoresHangUp: false, cwd: "/app" });
  expect([orphan?.cwd, orphan?.protection]).toEqual(["/app", reason === undefined ? undefined : expect.stringContaining(reason)]);
});

test("what may have a window on the screen is somebody's, whoever has started it", () => {
  const trace = { service: { kind: "none" }, clients: "none", isGraphical: true, ignoresHangUp: false, cwd: "/app" } as const;
  const judged = (marks: Given["marks"]) => suspects({ entries: [child], ...(marks && { marks }) }).map((each) => orphanOf(each, trace).protection);
  for (const marks of [tmux, { OPENCODE_PID: "60" }]) expect(judged({ 70: marks })).toEqual(["it may have a window on the screen"]);
});

test("what ignores that its pane is closed was started to outlive it; what an agent has left ignores it by no wish of a person's", () => {
  const trace = { service: { kind: "none" }, clients: "none", isGraphical: false, ignoresHangUp: true, cwd: "/app" } as const;
  const judged = (marks: Given["marks"]) => suspects({ entries: [child], ...(marks && { marks }) }).map((each) => orphanOf(each, trace).protection);
  expect(judged({ 70: tmux })).toEqual(["it was started so as to outlive its pane"]);
  expect(judged({ 70: { ...tmux, OPENCODE_PID: "60" } })).toEqual([undefined]);
});

test("a run without a process of its own is no agent that could be left", () => {
  expect(
    told({
      entries: [agent],
      sessions: [aSession(without(aRun({ host: { kind: "server", server: pid(9), url: "http://x", directory: "/" }, activity: seen("idle") }), "pidFile"))],
    }),
  ).toEqual([]);
});

function script(file: string): NonNullable<ProcessEntry["program"]> {
  return { file, packageName: undefined, args: [], isScript: true };
}
