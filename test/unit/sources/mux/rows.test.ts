import { expect, test } from "vitest";
import type { Census, Pane, ProcessEntry } from "../../../../src/core/census.ts";
import type { SessionRecord } from "../../../../src/core/facet.ts";
import { merge } from "../../../../src/core/merge.ts";
import type { Change } from "../../../../src/core/source.ts";
import { changeRow, newRow } from "../../../../src/sources/mux/changeRow.ts";
import type { JsonObject } from "../../../../src/sources/mux/json.ts";
import { placesOf } from "../../../../src/sources/mux/places.ts";
import { processOfRow } from "../../../../src/sources/mux/processOfRow.ts";
import type { Meeting } from "../../../../src/sources/mux/processOfRow.ts";
import { recordOf } from "../../../../src/sources/mux/recordOf.ts";
import { conversationOf, parseRow } from "../../../../src/sources/mux/row.ts";
import type { Row } from "../../../../src/sources/mux/row.ts";
import { aRecord, anAgent, anEntry, aPane, aRun, censusOf, now, pid, seen, talk } from "../../../support/facets.ts";

const uid = process.getuid?.() ?? 0;
const claude = anAgent({ recognise: ({ program }) => (program?.file === "/bin/claude" ? { role: "agent", runsIn: "terminal" } : undefined) });
const codex = anAgent({
  id: "codex",
  name: "Codex",
  recognise: ({ program }) => (program?.file === "/bin/codex" ? { role: "agent", runsIn: "terminal" } : undefined),
});
const agents = [claude, codex];

function entry(number: number, file: string, over: Partial<ProcessEntry> = {}): ProcessEntry {
  const program = { file, packageName: undefined, args: [], isScript: false };
  return anEntry(pid(number), { parentPid: 1, program, argv: [file], uid, tty: `tty${number}`, isForeground: true, ...over });
}
function pane(name: string, number: number, over: Partial<Pane> = {}): Pane {
  return aPane({ sessionName: name, pid: number, id: `%${number}`, ...over });
}
function census(panes: readonly Pane[], entries: readonly ProcessEntry[], over: Partial<Census> = {}): Census {
  return { ...censusOf(...entries), panes, ...over };
}
function row(over: JsonObject = {}): Row {
  const parsed = parseRow({ name: "app-creator-claude", status: "running", pane: { cwd: "/app" }, ...over }, 1);
  if (!parsed) throw new Error("no row");
  return parsed;
}
const folders = new Map([[7, "/other"]]);
function meet(of: Row, at: Census): Promise<Meeting> {
  return processOfRow(of, placesOf(at, agents, { cwdOf: async (identity) => folders.get(identity.pid) ?? "/app" }), agents);
}
const words = async (of: Row, at: Census): Promise<string> => {
  const { liveness, process } = await meet(of, at);
  return `${liveness.value}${process ? ` ${process.pid}` : ""}: ${liveness.seen}`;
};

const silentServer = { unreachable: [{ place: "/tmp/tmux-0/default", reason: "this tmux server does not answer" }] };
const inShell = [entry(5, "/bin/bash"), entry(6, "/bin/claude", { parentPid: 5, tty: "tty5" })];

test.each<[string, string, Row, Census]>([
  ["its agent, made for the pane", "alive 5: process 5", row(), census([pane("app-creator-claude", 5)], [entry(5, "/bin/claude")])],
  ["its agent, below a person's shell", "alive 6: process 6", row(), census([pane("app-creator-claude", 5)], inShell)],
  ["no such tmux session", "unseen: there is no tmux session app-creator-claude", row(), census([], [])],
  [
    "a server that does not answer",
    "unknown: tmux at /tmp/tmux-0/default does not tell: this tmux server does not answer",
    row(),
    census([], [], silentServer),
  ],
  [
    "an idle shell",
    "unseen: tmux session app-creator-claude holds only an idle shell",
    row(),
    census([pane("app-creator-claude", 5)], [entry(5, "/bin/bash")]),
  ],
  [
    "a shell that runs a script",
    "unknown: tmux session app-creator-claude runs bash (5), which is not known to be its agent",
    row(),
    census([pane("app-creator-claude", 5)], [entry(5, "/bin/bash", { argv: ["bash", "run.sh"] })]),
  ],
  ["a dead pane", "unseen: its pane is dead", row(), census([pane("app-creator-claude", 5, { state: "dead" })], [])],
  [
    "ssh below a shell",
    "unknown: tmux session app-creator-claude runs ssh (6), which is not known to be its agent",
    row(),
    census([pane("app-creator-claude", 5)], [entry(5, "/bin/bash"), entry(6, "/bin/ssh", { parentPid: 5, tty: "tty5" })]),
  ],
  [
    "another agent under its name",
    "unknown: tmux session app-creator-claude runs codex (5), which is not known to be its agent",
    row(),
    census([pane("app-creator-claude", 5)], [entry(5, "/bin/codex")]),
  ],
  [
    "its agent in another folder",
    "unknown: Claude Code in tmux session app-creator-claude works in another folder",
    row(),
    census([pane("app-creator-claude", 7)], [entry(7, "/bin/claude")]),
  ],
  ["a process table that can't be read", "unknown: the process table can't be read", row(), census([], [], { processes: undefined })],
  ["a dot in its name", "alive 5: process 5", row({ name: "a.b", agent: "claude" }), census([pane("a_b", 5)], [entry(5, "/bin/claude")])],
  ["a stopped row and a server that does not answer", "unseen: stopped", row({ status: "stopped" }), census([], [], silentServer)],
  [
    "a stopped row and somebody new under its name",
    "unseen: stopped",
    row({ status: "stopped" }),
    census([pane("app-creator-claude", 5)], [entry(5, "/bin/claude")]),
  ],
  ["a row of ours whose process is gone", "gone: process 9 is gone", row(ours(9)), census([], [])],
  [
    "a row of ours whose process is gone, and a server that does not answer",
    "unknown: tmux at /tmp/tmux-0/default does not tell: this tmux server does not answer",
    row(ours(9)),
    census([], [], silentServer),
  ],
  [
    "a row of ours whose process is gone, and ssh under its name",
    "unknown: tmux session app-creator-claude runs ssh (5), which is not known to be its agent",
    row(ours(9)),
    census([pane("app-creator-claude", 5)], [entry(5, "/bin/ssh")]),
  ],
  ["a name that tmux writes otherwise", "unknown: tmux writes its name in a way of its own", row({ name: "tab\tx-creator-claude" }), census([], [])],
  ["a row of ours whose process lives", "alive 5: process 5", row(ours(5)), census([], [entry(5, "/bin/claude")])],
  [
    "a row of ours of another host",
    "unknown: process 5 on elsewhere can't be seen from here",
    row(ours(5, { host: "elsewhere", boot_id: "boot-9" })),
    census([], [entry(5, "/bin/claude")]),
  ],
])("a row and %s", async (_what, expected, of, at) => {
  expect(await words(of, at)).toBe(expected);
});

function ours(number: number, over: JsonObject = {}): JsonObject {
  return { session_warden: { pid: number, start: "ticks:7", host: "build", boot_id: "boot-1", ...over } };
}

const twoServers = census(
  [pane("app-creator-claude", 5, { server: { socket: "/a", pid: 1 } }), pane("app-creator-claude", 6, { server: { socket: "/b", pid: 2 } })],
  [entry(5, "/bin/claude"), entry(6, "/bin/claude")],
);
const runs = [5, 6].map((number) => aRun({ key: `process:${number}-7`, host: { kind: "process", process: pid(number) }, conversation: talk(`of ${number}`) }));

test("of two that go by its name the one with its conversation is meant, and without one nobody, and both are told", async () => {
  const told = async (over: JsonObject) => {
    const of = row(over);
    const record = recordOf(of, "/r.yaml", await meet(of, twoServers), conversationOf(of, now), now);
    return merge([...runs, record], now).map(({ key, records, doubt }) => [key, records.length, doubt?.candidates]);
  };
  expect(await told({ claude_session_id_own: "of 6" })).toEqual([
    ["process:5-7", 0, undefined],
    ["process:6-7", 1, undefined],
  ]);
  expect(await told({})).toEqual([
    ["process:5-7", 0, undefined],
    ["process:6-7", 0, undefined],
    ["mux:app-creator-claude", 1, ["process:5-7", "process:6-7"]],
  ]);
});

test("a conversation that is open elsewhere is not taken for the agent of a name that others go by", async () => {
  const of = row({ claude_session_id_own: "of 8" });
  const record = recordOf(of, "/r.yaml", await meet(of, twoServers), conversationOf(of, now), now);
  const elsewhere = aRun({ key: "process:8-7", host: { kind: "process", process: pid(8) }, conversation: talk("of 8") });
  expect(merge([...runs, elsewhere, record], now).find(({ key }) => key === "process:8-7")?.records).toEqual([]);
});

test("a stopped row is taken up again by its own conversation under its name, and by no other", async () => {
  const at = census([pane("app-creator-claude", 5)], [entry(5, "/bin/claude")]);
  const statusIn = async (id: string) => {
    const of = row({ status: "stopped", claude_session_id_own: id });
    const record = recordOf(of, "/r.yaml", await meet(of, at), conversationOf(of, now), now);
    return merge([runs[0] ?? aRun(), record], now).map(({ status, records }) => [status.value, records.length]);
  };
  expect(await statusIn("of 5")).toEqual([["idle", 1]]);
  expect(await statusIn("another")).toEqual([
    ["idle", 0],
    ["stopped", 1],
  ]);
});

const at = Date.parse("2026-11-30T10:20:30.400Z");
const run = aRun({ conversation: talk("B", { resumable: seen(true) }), configHome: "/home/ada/.claude" });
test.each<[string, JsonObject, Change & Parameters<typeof changeRow>[1], unknown]>([
  [
    "an id",
    {},
    { kind: "idCaptured", conversation: talk("A", { resumable: seen(false) }) },
    { set: { claude_session_id_own: "A", resumable: false }, remove: [] },
  ],
  ["an id of another agent is none of its", {}, { kind: "idCaptured", conversation: talk("A", { agent: "codex" }) }, { set: {}, remove: [] }],
  [
    "a stop",
    {},
    { kind: "stopped", how: "hangUp", at, reason: "lunch", conversation: talk("A", { resumable: seen(true) }), lastScreen: "a\n  b\t" },
    {
      set: {
        status: "stopped",
        stopped_at: "2026-11-30T10:20:30Z",
        stopped_at_epoch: 1_796_034_030,
        stop_reason: "lunch",
        termination_mode: "graceful",
        last_visible_status_at_termination: "a b",
        claude_session_id_own: "A",
        resumable: true,
      },
      remove: [],
    },
  ],
  [
    "a stop of what was stopped once before",
    { status: "stopped" },
    { kind: "stopped", how: "forced", at, reason: "x", conversation: undefined, lastScreen: undefined },
    {
      set: { status: "stopped", stopped_at: "2026-11-30T10:20:30Z", stopped_at_epoch: 1_796_034_030, stop_reason: "x", termination_mode: "forced" },
      remove: [],
    },
  ],
  [
    "an exit, which keeps an id",
    { claude_session_id_own: "A" },
    { kind: "exited", conversation: talk("B") },
    {
      set: { status: "stopped", stopped_at: "2026-11-30T10:20:30Z", stopped_at_epoch: 1_796_034_030, stop_reason: "agent_exited", termination_mode: "exited" },
      remove: [],
    },
  ],
  [
    "a resume",
    { status: "stopped" },
    { kind: "resumed", run },
    {
      set: {
        status: "running",
        claude_session_id_own: "B",
        resumable: true,
        session_warden: { pid: 41, start: "ticks:7", boot_id: "boot-1", config_home: "/home/ada/.claude" },
      },
      remove: ["stopped_at", "stopped_at_epoch", "terminated_at", "terminated_at_epoch", "stop_reason", "termination_mode"],
    },
  ],
  ["a name", {}, { kind: "renamed", to: " login " }, { set: { display_name: "login" }, remove: [] }],
  ["an archive", {}, { kind: "archived" }, { set: { status: "archived" }, remove: [] }],
  [
    "what was purged is purged again when it is fetched back",
    { status: "archived", termination_mode: "purge" },
    { kind: "unarchived" },
    { set: { status: "terminated" }, remove: [] },
  ],
  ["who lived on is no row's", {}, { kind: "survived", left: [] }, undefined],
])("what a row says of %s", (_what, over, change, expected) => {
  expect(changeRow(row(over), change, at)).toEqual(expected);
});

test("who has marked a row meanwhile has the word on why", () => {
  const stop = { kind: "stopped", how: "forced", at, reason: "x", conversation: talk("A", { resumable: seen(true) }), lastScreen: undefined } as const;
  expect(changeRow(row({ status: "stopped" }), stop, at, true)).toEqual({ set: { claude_session_id_own: "A", resumable: true }, remove: [] });
});

const told = (over: JsonObject, meeting: Meeting, number = 1): SessionRecord => {
  const of = parseRow({ name: "app-creator-claude", status: "running", pane: { cwd: "/app" }, ...over }, number) ?? row();
  return recordOf(of, "/r.yaml", meeting, conversationOf(of, now), now);
};
const byName = (number: number): Meeting => ({ process: pid(number), isByName: true, liveness: seen("alive") });

test("a row whose own conversation lives elsewhere does not take another's that works under its name", () => {
  const [mine, other] = [
    aRun({ key: "process:5", host: { kind: "process", process: pid(5) }, conversation: talk("X") }),
    aRun({ key: "process:6", host: { kind: "process", process: pid(6) }, conversation: talk("Y") }),
  ];
  const record = told({ claude_session_id_own: "X" }, byName(6));
  expect(merge([mine, other, record], now).map(({ key, records, status }) => [key, records.length, status.value])).toEqual([
    ["process:5", 0, "idle"],
    ["process:6", 0, "idle"],
    ["mux:app-creator-claude", 1, "unknown"],
  ]);
  // After /clear the old one lives nowhere.
  expect(merge([other, record], now).map(({ key, records }) => [key, records.length])).toEqual([["process:6", 1]]);
  const anothers = told({ name: "b-creator-claude", claude_session_id_own: "Y" }, { liveness: seen("unseen") });
  expect(
    merge([other, record, anothers], now)
      .find(({ key }) => key === "process:6")
      ?.records.map(({ key }) => key),
  ).toEqual(["mux:b-creator-claude"]);
});

test("a row whose tmux session is gone goes with its agent where our ledger has seen both together", () => {
  const alive = aRun({ key: "process:5", host: { kind: "process", process: pid(5) }, conversation: talk("X") });
  const noted = aRecord("ledger", { key: "ledger:a", process: pid(5), conversation: talk("X"), seenWith: ["mux:app-creator-claude"], lastSeenAt: 2 });
  const record = told({}, { liveness: seen("unseen") });
  expect(merge([alive, noted, record], now).map(({ records }) => records.length)).toEqual([2]);
  const before = aRecord("ledger", {
    key: "ledger:0",
    process: pid(4),
    liveness: seen("gone"),
    conversation: talk("W"),
    seenWith: ["mux:app-creator-claude"],
    lastSeenAt: 1,
  });
  const dead: SessionRecord = { ...noted, liveness: seen("gone") };
  expect(merge([before, dead, record], now).find(({ records }) => records.length === 2)?.conversation?.id).toBe("X");
});

test("a row of ours says whom it means, and is read back so", () => {
  const made = newRow({ ...run, cwd: "/app", host: { kind: "process", process: pid(41), pane: pane("x", 41) } }, "x", at);
  expect(made).toMatchObject({
    name: "x",
    status: "running",
    agent: "claude",
    pane: { cwd: "/app" },
    claude_session_id_own: "B",
    created_at: "2026-11-30T10:20:30Z",
  });
  expect(parseRow(made, 1)).toMatchObject({ agent: "claude", process: pid(41), says: "active", configHome: "/home/ada/.claude" });
});
