import { expect, it } from "vitest";
import { childrenOf, findParent, findSession, pictureOf } from "../../../src/vscode/picture.ts";
import type { Node, Wish } from "../../../src/vscode/picture.ts";
import { minuteMs, now, past, run, session, snapshotOf } from "./sessions.ts";
import type { Changes } from "./sessions.ts";

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

const child = (title: string, of: string, changes: Changes = {}) => session(title, { parent: `process:${of}`, ...changes });

it("a sub-agent is below its root, in its root's group, however deep", () => {
  const snapshot = snapshotOf(session("root", { is: "working" }), child("a", "root", { is: "stopped" }), child("b", "a", { is: "needsInput" }));
  const { roots } = pictureOf(snapshot, byStatus);
  expect(drawn(snapshot)).toEqual([["Working", ["root"]]]);
  expect(roots.flatMap(childrenOf).flatMap(childrenOf).map(nameOf)).toEqual(["a", "b"]);
});

it("a sub-agent's row has its root as parent, and is found by its key", () => {
  const picture = pictureOf(snapshotOf(session("root"), child("a", "root")), byStatus);
  const found = findSession("process:a", picture);
  const root = found && findParent(found, picture);
  expect(root).toMatchObject({ kind: "session", session: { title: "root" } });
  expect(root && findParent(root, picture)).toMatchObject({ kind: "group", name: "Open" });
});

it("a sub-agent of a script's run is below it, too", () => {
  const script = session("nightly", { run: run("process:nightly", { runsIn: "automation" }) });
  expect(drawn(snapshotOf(script, child("a", "nightly", { is: "working" })))).toEqual([["automation", ["nightly"]]]);
});

it("a filter that means a sub-agent alone shows it below its root, without the others; one that means the root shows all", () => {
  const snapshot = snapshotOf(session("root"), child("schema", "root"), child("docs", "root"), session("other"));
  const below = (filter: string) => pictureOf(snapshot, { by: "status", filter }).roots.flatMap(childrenOf).flatMap(childrenOf).map(nameOf);
  expect(drawn(snapshot, { by: "status", filter: "schema" })).toEqual([["Open", ["root"]]]);
  expect(below("schema")).toEqual(["schema"]);
  expect(below("root")).toEqual(["docs", "schema"]);
  expect(pictureOf(snapshot, { by: "status", filter: "schema" })).toMatchObject({ shown: 2, all: 4 });
});

it("what was stopped more than a day ago is below one row at the end of its group, and only there", () => {
  const old = past("old", "stopped", "by hand", { lastAt: now - 25 * 60 * minuteMs });
  const snapshot = snapshotOf(old, past("today", "stopped", "by hand"));
  expect(drawn(snapshot)).toEqual([["Stopped", ["today", "earlier"]]]);
  expect(drawn(snapshot, { by: "folder", filter: "" })).toEqual([["/home/me/app", ["today", "old"]]]);

  const picture = pictureOf(snapshot, byStatus);
  const found = findSession(old.key, picture);
  const earlier = found && findParent(found, picture);
  expect(earlier).toMatchObject({ kind: "earlier" });
  expect(earlier && findParent(earlier, picture)).toMatchObject({ kind: "group", name: "Stopped" });
});

function drawn(snapshot: Parameters<typeof pictureOf>[0], wish = byStatus) {
  return pictureOf(snapshot, wish).roots.map((root) => (root.kind === "notice" ? nameOf(root) : [nameOf(root), childrenOf(root).map(nameOf)]));
}

function nameOf(node: Node): string {
  switch (node.kind) {
    case "group":
      return node.name;
    case "earlier":
    case "automation":
      return node.kind;
    case "session":
      return node.session.title;
    case "notice":
      return `${node.place}: ${node.sentence}`;
  }
}
