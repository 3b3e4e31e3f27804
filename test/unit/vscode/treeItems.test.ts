import { expect, it } from "vitest";
import type { Operation } from "../../../src/core/lifecycle.ts";
import type { Session } from "../../../src/core/session.ts";
import type { Status } from "../../../src/core/status.ts";
import { childrenOf, pictureOf } from "../../../src/vscode/picture.ts";
import { iconOf } from "../../../src/vscode/statusIcons.ts";
import { contextWords, rowOf } from "../../../src/vscode/treeItems.ts";
import { minuteMs, now, past, run, session, snapshotOf } from "./sessions.ts";

const pane = {
  server: { socket: "/tmp/tmux-1000/default", pid: 9 },
  id: "%3",
  sessionId: "$1",
  sessionName: "work",
  windowId: "@1",
  windowIndex: 2,
  pid: 10,
  tty: "/dev/pts/3",
  state: "alive",
  title: "",
  cwd: "/home/me/app",
  startCommand: "",
  hasStartCommand: false,
  isAttached: false,
  takesKeys: true,
} as const;

it("a row says who, where, for how long, and why it needs a person", () => {
  expect(row(session("rate limit", { is: "needsInput", seen: "permission: Bash" }))).toMatchObject({
    label: "rate limit",
    description: "claude · app · 4m   permission: Bash",
  });
});

it("a row of a pane says which", () => {
  const process = { pid: 4121, start: { kind: "ticks", ticks: "77" } } as const;
  const inPane = session("docs", { is: "working", seen: "its title", run: run("process:docs", { host: { kind: "process", process, pane } }) });
  expect(row(inPane).description).toBe("claude · app · 4m   tmux work:2");
});

it("a dead agent's row says that its process is gone", () => {
  expect(row(past("hunt", "exited", "process 4121 is gone")).description).toBe("claude · app · 2h   process 4121 is gone");
});

it("a panel and an app server are told apart from a terminal", () => {
  expect(row(session("a", { run: run("process:a", { runsIn: "panel" }) })).description).toContain("in an editor's panel");
  expect(row(session("a", { run: run("process:a", { runsIn: "appServer" }) })).description).toContain("in an app server");
});

it("doubt is said in the row", () => {
  expect(row(session("a", { is: "unknown", doubt: { why: "more than one process could be it", candidates: [] } })).description).toContain(
    "more than one process could be it",
  );
});

it("whoever hears the row hears name, agent, status, age and why", () => {
  expect(row(session("rate limit", { is: "needsInput", seen: "permission: Bash" })).spoken).toBe(
    "rate limit, Claude Code, needs input, 4 minutes, permission: Bash",
  );
});

it("what is offered is a word of the row's context, and so is an id", () => {
  expect(row(session("a"), ["goTo", "stop", "terminate"]).contextValue).toBe("session hasId canGoTo canStop canTerminate");
  expect(row(session("a", { conversation: undefined })).contextValue).toBe("session");
});

it("a context is made of known words only", () => {
  const everything: readonly Operation[] = ["stop", "terminate", "captureId", "finalize", "goTo", "peek", "resume", "rename", "archive", "unarchive", "forget"];
  const rows = [row(session("a"), everything), ...rootsOf(past("b", "exited", "gone"), session("c", { run: run("process:c", { runsIn: "automation" }) }))];
  for (const { contextValue } of rows) expect(contextWords).toEqual(expect.arrayContaining(contextValue.split(" ")));
});

it("a hostile title stays a title", () => {
  const { label, tooltip, spoken } = row(session("\u001b[31m[x](command:evil) $(bell)\nsecond"));
  for (const text of [label, tooltip, spoken]) {
    expect(text).not.toContain("\u001b");
    expect(text).not.toMatch(/\]\(|\$\(/);
  }
  expect(label).not.toContain("\n");
});

it("a status is told by the icon's shape alone, but for two kinds of quiet", () => {
  const statuses: readonly Status[] = ["needsInput", "stuck", "working", "idle", "unknown", "exited", "stopped", "purged", "archived"];
  const shapes = statuses.map((status) => iconOf(status).name);
  expect(new Set(shapes).size).toBe(statuses.length);
  expect(iconOf("open").name).toBe(iconOf("idle").name);
});

it("a group's row counts; the past and automation are folded, what lives is open", () => {
  const roots = rootsOf(
    session("a"),
    past("b", "exited", "gone"),
    past("c", "stopped", "by hand"),
    session("d", { run: run("process:d", { runsIn: "automation" }) }),
  );
  expect(roots.map(({ label, description, fold, contextValue }) => [label, description, fold, contextValue])).toEqual([
    ["Open", "1", "open", "group"],
    ["Exited", "1", "open", "group exited"],
    ["Stopped", "1", "closed", "group"],
    ["Automation", "1", "closed", "automation"],
  ]);
});

it("a row keeps its id when its status changes", () => {
  expect(row(session("a", { is: "working" })).id).toBe(row(session("a", { is: "needsInput" })).id);
});

it("two sessions of one key are two rows", () => {
  const [open] = pictureOf(snapshotOf(session("a"), session("a")), { by: "status", filter: "" }).roots;
  const ids = open && childrenOf(open).map((node) => rowOf(node, () => new Set(), now).id);
  expect(new Set(ids).size).toBe(2);
});

it("of two folders with one name each has its own row", () => {
  const snapshot = snapshotOf(session("a", { cwd: "/w/app" }), session("b", { cwd: "/v/app" }));
  const rows = pictureOf(snapshot, { by: "folder", filter: "" }).roots.map((node) => rowOf(node, () => new Set(), now));
  expect(rows.map(({ label }) => label)).toEqual(["app", "app"]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
});

it("a root is open while one below it works or waits, and folded otherwise", () => {
  const withBelow = (...below: readonly Session[]) =>
    rowOf(
      { kind: "session", session: session("root"), nth: 1, below: below.map((one) => ({ kind: "session", session: one, nth: 1, below: [] })) },
      () => new Set(),
      now,
    );
  expect(withBelow().fold).toBe("none");
  expect(withBelow(session("a"), session("b", { is: "working" })).fold).toBe("open");
  expect(withBelow(session("a", { is: "needsInput" })).fold).toBe("open");
  expect(withBelow(session("a"), past("b", "stopped", "by hand")).fold).toBe("closed");
});

it("a group counts what is folded in it, and the fold counts its own", () => {
  const snapshot = snapshotOf(past("old", "stopped", "by hand", { lastAt: now - 25 * 60 * minuteMs }), past("today", "stopped", "by hand"));
  const [stopped] = pictureOf(snapshot, { by: "status", filter: "" }).roots;
  const rows = stopped && [stopped, ...childrenOf(stopped)].map((node) => rowOf(node, () => new Set(), now));
  expect(rows?.map(({ label, description, fold }) => [label, description, fold])).toMatchObject([
    ["Stopped", "2", "closed"],
    ["today", {}, "none"],
    ["Earlier", "1", "closed"],
  ]);
});

it("a session of a server says on which", () => {
  const host = { kind: "server", server: undefined, url: "http://127.0.0.1:4096", directory: "/home/me/app" } as const;
  expect(row(session("a", { run: run("opencode:a", { host }) })).tooltip).toContain("\nOn http://127.0.0.1:4096\n");
});

it("a locked server's row asks for its password", () => {
  const locked = { place: "http://127.0.0.1:4096", reason: "it is locked", remedy: "enterPassword" } as const;
  const [notice] = pictureOf({ ...snapshotOf(), unreachable: [locked] }, { by: "status", filter: "" }).roots;
  expect(notice && rowOf(notice, () => new Set(), now)).toMatchObject({
    label: locked.place,
    description: locked.reason,
    contextValue: "notice enterPassword",
  });
});

function row(one: Session, offered: readonly Operation[] = []) {
  return rowOf({ kind: "session", session: one, nth: 1, below: [] }, () => new Set(offered), now);
}

function rootsOf(...sessions: readonly Session[]) {
  return pictureOf(snapshotOf(...sessions), { by: "status", filter: "" }).roots.map((node) => rowOf(node, () => new Set(), now));
}
