import { expect, test } from "vitest";
import type { ProcessEntry } from "../../../src/core/census.ts";
import { orphanOf } from "../../../src/core/orphans.ts";
import { child, marked, ours, suspects, tmux, told } from "../../support/adrift.ts";
import type { Given } from "../../support/adrift.ts";
import { anEntry, pid } from "../../support/facets.ts";

const editor = anEntry(pid(498, "3"), { argv: ["/usr/share/code/code"] });

test.each([
  ["what this program runs in", [{ ...child, identity: pid(499, "2") }], { 499: { OPENCODE_PID: "60" } }, "it runs what you are using now"],
  ["what this program has taken over", [{ ...child, parentPid: ours }], marked, "what you are using now runs it"],
  ["an editor", [editor], { 498: tmux }, "it is an editor"],
  [
    "an editor's server",
    [
      anEntry(pid(498, "3"), {
        argv: ["node", "/home/me/.vscode-server/bin/x/out/server-main.js"],
        program: script("/home/me/.vscode-server/bin/x/out/server-main.js"),
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

function script(file: string): NonNullable<ProcessEntry["program"]> {
  return { file, packageName: undefined, args: [], isScript: true };
}
