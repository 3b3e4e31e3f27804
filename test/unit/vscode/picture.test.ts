import { expect, it } from "vitest";
import { childrenOf, findParent, findSession, pictureOf } from "../../../src/vscode/picture.ts";
import type { Node, Wish } from "../../../src/vscode/picture.ts";
import { past, run, session, snapshotOf } from "./sessions.ts";

const byStatus: Wish = { by: "status", filter: "" };

it("groups come in their one order, and empty ones not at all", () => {
  const snapshot = snapshotOf(past("old", "stopped", "stopped by hand"), session("docs", { is: "working" }), session("login", { is: "needsInput" }));
  expect(drawn(snapshot)).toEqual([
    ["Needs you", ["login"]],
    ["Working", ["docs"]],
    ["Stopped", ["old"]],
  ]);
});

it("automation is one folded row of its own, whatever it does", () => {
  const script = session("nightly", { is: "needsInput", run: run("process:nightly", { runsIn: "automation" }) });
  expect(drawn(snapshotOf(script, session("login", { is: "working" })))).toEqual([
    ["Working", ["login"]],
    ["automation", ["nightly"]],
  ]);
});

it("a sick source is a row at the end and takes no session away", () => {
  const snapshot = {
    ...snapshotOf(session("login")),
    unreachable: [{ place: "/tmp/tmux-1000/default", reason: "no answer within 2 s" }],
    notices: [{ place: "/home/me/.claude/sessions/7.json", sentence: "is not JSON" }],
  };
  expect(drawn(snapshot)).toEqual([["Open", ["login"]], "/tmp/tmux-1000/default: no answer within 2 s", "/home/me/.claude/sessions/7.json: is not JSON"]);
});

it("by folder, each folder is a group", () => {
  const snapshot = snapshotOf(session("login", { cwd: "/w/app" }), session("schema", { cwd: "/w/api" }));
  expect(drawn(snapshot, { by: "folder", filter: "" })).toEqual([
    ["/w/api", ["schema"]],
    ["/w/app", ["login"]],
  ]);
});

it.each(["login", "LOG claude", "needs input", "app", "6b1f2a0c"])("the filter “%s” finds what a person knows the session by", (filter) => {
  const snapshot = snapshotOf(session("login form", { is: "needsInput" }), session("other", { agent: "codex", cwd: "/w/api", conversation: undefined }));
  expect(drawn(snapshot, { by: "status", filter })).toEqual([["Needs you", ["login form"]]]);
  expect(pictureOf(snapshot, { by: "status", filter })).toMatchObject({ shown: 1, all: 2 });
});

it("a session's row has its group as parent, also when looked up from an older picture", () => {
  const older = findSession("process:login", pictureOf(snapshotOf(session("login")), byStatus));
  const newer = pictureOf(snapshotOf(session("login", { is: "working" })), byStatus);
  expect(older && findParent(older, newer)).toMatchObject({ kind: "group", name: "Working" });
});

function drawn(snapshot: Parameters<typeof pictureOf>[0], wish = byStatus) {
  return pictureOf(snapshot, wish).roots.map((root) => (root.kind === "notice" ? nameOf(root) : [nameOf(root), childrenOf(root).map(nameOf)]));
}

function nameOf(node: Node): string {
  switch (node.kind) {
    case "group":
      return node.name;
    case "automation":
      return "automation";
    case "session":
      return node.session.title;
    case "notice":
      return `${node.place}: ${node.sentence}`;
  }
}
