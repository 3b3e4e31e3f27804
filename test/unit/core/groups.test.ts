import { expect, test } from "vitest";
import { countByGroup, familiesOf, groupOf, groupSessions, isAutomation, isEarlier, rootsOf } from "../../../src/core/groups.ts";
import type { Session } from "../../../src/core/session.ts";
import type { Status } from "../../../src/core/status.ts";
import { aBook, aRun, aSession, aTurn, now, pid, withStatus } from "../../support/facets.ts";

function session(title: string, status: Status, startedAt: number, cwd?: string): Session {
  const run = aRun({ key: `process:${title}`, title, host: { kind: "process", process: pid(startedAt) }, startedAt, ...(cwd !== undefined && { cwd }) });
  return withStatus(aSession(run), status);
}
const picture = (sessions: readonly Session[], by: "status" | "folder" = "status") =>
  groupSessions(sessions, by).map(({ name, sessions }) => [name, sessions.map(({ title }) => title)]);

test.each<[Status, string]>([
  ["needsInput", "Needs you"],
  ["stuck", "Needs you"],
  ["working", "Working"],
  ["idle", "Open"],
  ["open", "Open"],
  ["unknown", "Open"],
  ["exited", "Exited"],
  ["stopped", "Stopped"],
  ["purged", "Stopped"],
  ["archived", "Archived"],
])("%s stands under %s", (status, group) => {
  expect(groupOf(status)).toBe(group);
});

test("the groups stand in the order in which they matter, and empty ones are left out", () => {
  const sessions = [session("a", "archived", 1), session("b", "stopped", 2), session("c", "idle", 3), session("d", "needsInput", 4)];
  expect(picture(sessions)).toEqual([
    ["Needs you", ["d"]],
    ["Open", ["c"]],
    ["Stopped", ["b"]],
    ["Archived", ["a"]],
  ]);
});

test("the living stand by start, so that none of them moves while it works", () => {
  expect(picture([session("late", "idle", 9), session("early", "open", 1), session("between", "unknown", 5)])).toEqual([
    ["Open", ["early", "between", "late"]],
  ]);
});

test("the past is read from its end", () => {
  expect(picture([session("early", "stopped", 1), session("late", "purged", 9)])).toEqual([["Stopped", ["late", "early"]]]);
});

test("who began at the same time stands by key, whoever was read first", () => {
  const [a, b] = [session("a", "idle", 5), session("b", "idle", 5)];
  expect(picture([b, a])).toEqual(picture([a, b]));
});

test("by folder: folders by name, and in each who needs you first", () => {
  const sessions = [
    session("x", "stopped", 1, "/app"),
    session("y", "working", 3, "/app"),
    session("z", "needsInput", 9, "/app"),
    session("w", "idle", 1, "/api"),
  ];
  expect(picture(sessions, "folder")).toEqual([
    ["/api", ["w"]],
    ["/app", ["z", "y", "x"]],
  ]);
});

test("what has no folder stands in one of its own", () => {
  expect(picture([session("a", "idle", 1)], "folder")).toEqual([["No folder", ["a"]]]);
});

test("nothing is lost by grouping", () => {
  const sessions = [session("a", "archived", 1), session("b", "stuck", 2, "/app"), session("c", "idle", 3)];
  for (const by of ["status", "folder"] as const) expect(groupSessions(sessions, by).flatMap((group) => group.sessions)).toHaveLength(3);
});

test("automation is counted with nobody", () => {
  const headless = { ...session("headless", "needsInput", 1), run: aRun({ runsIn: "automation" }) };
  expect(isAutomation(headless)).toBe(true);
  expect(countByGroup([headless, session("a", "working", 2), session("b", "stopped", 3)])).toEqual({
    "Needs you": 0,
    Working: 1,
    Open: 0,
    Exited: 0,
    Stopped: 1,
    Archived: 0,
  });
});

test.each(["terminal", "panel", "appServer"] as const)("a run in a %s is no automation", (runsIn) => {
  expect(isAutomation(aSession(aRun({ runsIn })))).toBe(false);
});

const ofServer = (id: string, startedAt: number, parent?: string): Session =>
  aSession(
    aTurn({
      key: `opencode:${id}`,
      title: id,
      startedAt,
      conversation: { agent: "opencode", id, toldBy: "agent" },
      ...(parent !== undefined && { parent: `opencode:${parent}` as const }),
    }),
  );
const families = (...sessions: readonly Session[]) => [...familiesOf(sessions)].map(([{ title }, below]) => [title, below.map((one) => one.title)]);

test("what works for another session stands below that one's root, however deep, by start", () => {
  const sessions = [ofServer("later", 9, "root"), ofServer("deep", 5, "child"), ofServer("root", 1), ofServer("child", 3, "root"), ofServer("other", 2)];
  expect(families(...sessions)).toEqual([
    ["root", ["child", "deep", "later"]],
    ["other", []],
  ]);
  expect(rootsOf(sessions).map(({ title }) => title)).toEqual(["root", "other"]);
});

test("a parent that is not listed leaves its child by itself", () => {
  expect(families(ofServer("child", 1, "gone"))).toEqual([["child", []]]);
});

test("a parent is known by any of its facets", () => {
  const conversation = { agent: "opencode", id: "root", toldBy: "agent" } as const;
  const window = aSession(
    aRun({ key: "process:7", title: "window", agent: "opencode", conversation }),
    aBook("opencode", "ended", { key: "opencode:root", agent: "opencode", conversation }),
  );
  expect(window.key).toBe("process:7");
  expect(families(window, ofServer("child", 2, "root"))).toEqual([["window", ["child"]]]);
});

test("those that name each other in a circle are each listed once, and so is who stands below them", () => {
  const sessions = [ofServer("a", 1, "b"), ofServer("b", 2, "a"), ofServer("self", 3, "self"), ofServer("c", 4, "self")];
  expect(familiesOf(sessions).size + [...familiesOf(sessions).values()].flat().length).toBe(sessions.length);
});

test("the count is of roots: they say themselves what those below them wait for", () => {
  const asking = withStatus(ofServer("child", 2, "root"), "needsInput");
  expect(countByGroup([withStatus(ofServer("root", 1), "needsInput"), asking])).toMatchObject({ "Needs you": 1, Working: 0 });
});

test("earlier is what was stopped and touched last more than a day ago", () => {
  const dayMs = 86_400_000;
  const stopped = (at?: number) =>
    withStatus(aSession(aBook("opencode", "ended", { agent: "opencode", ...(at !== undefined && { lastInteractionAt: at }) })), "stopped");
  expect(isEarlier(stopped(now - dayMs - 1), now)).toBe(true);
  expect(isEarlier(stopped(now - dayMs), now)).toBe(false);
  expect(isEarlier(stopped(), now)).toBe(false);
  expect(isEarlier({ ...stopped(), startedAt: now - 2 * dayMs }, now)).toBe(true);
  expect(isEarlier(withStatus(stopped(now - 9 * dayMs), "exited"), now)).toBe(false);
});
