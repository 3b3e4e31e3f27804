import { expect, test } from "vitest";
import type { Agent } from "../../../src/core/agent.ts";
import type { SourceId } from "../../../src/core/facet.ts";
import { confirmationFor, hasWarrant, mayFinalizeUnasked, offered } from "../../../src/core/lifecycle.ts";
import type { Capabilities, Operation } from "../../../src/core/lifecycle.ts";
import type { Session } from "../../../src/core/session.ts";
import type { Source } from "../../../src/core/source.ts";
import type { Status } from "../../../src/core/status.ts";
import { aBook, aRecord, aRun, aSession, aTurn, now, seen, talk, without, withStatus } from "../../support/facets.ts";
import { aWorld } from "../../support/world.ts";

const can: Capabilities = { sources: aWorld([aRun()]).context.sources, agents: new Map([["claude", { id: "claude" } as Agent]]) };
const living = aSession(aRun({ conversation: talk("A", { resumable: seen(true) }) }), aRecord("mux"));
const past = aSession(aBook("mux", "ended", { conversation: talk("A", { resumable: seen(true) }) }), aBook("ledger", "ended"));

function readOnly(id: SourceId): Source {
  return {
    id,
    read: async () => ({ facets: [], unreachable: [], notices: [] }),
    lookAgain: async () => ({ kind: "notThere" }),
    watch: () => ({ [Symbol.dispose]() {} }),
  };
}

function menu(session: Session, capabilities = can): string {
  return [...offered(session, capabilities)].join(" ");
}

test.each<[Status, Session, string]>([
  ["needsInput", living, "goTo peek stop terminate captureId rename"],
  ["working", living, "goTo peek stop terminate captureId rename"],
  ["idle", living, "goTo peek stop terminate captureId rename"],
  ["open", living, "goTo peek stop terminate captureId rename"],
  ["unknown", living, "goTo peek"],
  ["stuck", living, "goTo peek"],
  ["exited", past, "resume finalize rename archive forget purge"],
  ["stopped", past, "resume rename archive forget purge"],
  ["purged", { ...past, conversation: undefined }, "rename archive forget"],
  ["archived", past, "resume unarchive rename forget purge"],
])("%s offers what can be done with it", (status, session, expected) => {
  expect(menu(withStatus(session, status))).toBe(expected);
});

test("of what can't be seen from here our own book alone may be forgotten, and nothing else is done", () => {
  expect(menu(withStatus(aSession(aBook("ledger", "active")), "unknown"))).toBe("forget");
  expect(menu(withStatus(past, "unknown"))).not.toContain("forget");
});

test("a session in doubt is only looked at", () => {
  expect(menu(withStatus(living, "idle", { why: "two could be it", candidates: [] }))).toBe("goTo peek");
});

test("without a run there is nothing to go to, to peek at or to stop", () => {
  expect(menu(withStatus(past, "open"))).toBe("rename");
});

test("what a source lacks is not offered", () => {
  const bare: Capabilities = { ...can, sources: new Map([...can.sources.keys()].map((id) => [id, readOnly(id)])) };
  expect(menu(living, bare)).toBe("goTo captureId");
  expect(menu(withStatus(past, "exited"), bare)).toBe("resume purge");
});

test("an agent that is not known here neither tells its id nor resumes", () => {
  const strangers: Capabilities = { ...can, agents: new Map() };
  expect(menu(living, strangers)).not.toContain("captureId");
  expect(menu(past, strangers)).not.toContain("resume");
});

test("resume is not offered where the conversation is not known, or known to be lost", () => {
  expect(menu(aSession(without(aBook("mux", "ended"), "conversation")))).not.toContain("resume");
  expect(menu(aSession(aBook("mux", "ended", { conversation: talk("A", { resumable: seen(false) }) })))).not.toContain("resume");
});

test("our ledger keeps a name also of what no other book knows", () => {
  expect(menu(aSession(aRun()))).toContain("rename");
});

const asking = aTurn({ activity: seen("needsInput"), asks: { id: "per_1", tool: "bash", input: "ls" } });
const answering: Capabilities = {
  ...can,
  sources: new Map([...can.sources].map(([id, source]) => [id, { ...source, answerPermission: async () => undefined }])),
};
const listed = without(aRecord("tracking", { liveness: seen("unknown"), isOnlyListed: true }), "process");
const serversPast = without(aBook("opencode", "ended", { agent: "opencode", conversation: talk("s", { agent: "opencode" }) }), "process");

test("what a server runs can be answered while it asks, stopped and cleaned up, and our book keeps nothing of it", () => {
  expect(menu(aSession(asking), answering)).toBe("goTo answer stop terminate cleanUp");
  expect(menu(aSession(aTurn()), answering)).toBe("goTo stop terminate cleanUp");
  expect(menu(aSession(asking))).not.toContain("answer");
});

test("what a server or a list of names alone keeps can be cleaned up; neither is a book to archive, rename or forget in", () => {
  expect(menu(aSession(serversPast))).toBe("cleanUp");
  expect(menu(aSession(listed))).toBe("cleanUp");
  expect(menu(aSession(serversPast, { ...listed, agent: "opencode", conversation: talk("s", { agent: "opencode" }) }))).toBe("cleanUp");
});

test("what may run where nobody can look is not offered to be deleted", () => {
  expect(menu(aSession({ ...serversPast, liveness: seen("unknown") }))).not.toContain("cleanUp");
});

test("a session of an agent's own process is no server's to delete", () => {
  for (const status of ["idle", "exited", "stopped"] as const) expect(menu(withStatus(status === "idle" ? living : past, status))).not.toContain("cleanUp");
});

const hour = 60 * 60 * 1000;
const ours = (lastSeenAt: number | undefined) => aSession(aBook("ledger", "active", lastSeenAt === undefined ? {} : { lastSeenAt }));

test("an exit that our ledger alone keeps is finalized unasked after an hour", () => {
  expect(mayFinalizeUnasked(ours(now - hour - 1), now)).toBe(true);
});

test.each([
  ["it had not its hour among what a person is shown", ours(now - hour)],
  ["nobody knows when it was last seen", ours(undefined)],
  ["another book knows of it too", aSession(aBook("ledger", "active", { lastSeenAt: 0 }), aBook("mux", "active", { lastSeenAt: 0 }))],
  ["only another's book knows of it", aSession(aBook("mux", "active", { lastSeenAt: 0 }))],
  ["it is closed already", aSession(aBook("ledger", "ended", { lastSeenAt: 0 }))],
  ["it is in doubt", withStatus(ours(0), "exited", { why: "two could be it", candidates: [] })],
  ["it has no record", withStatus(aSession(aRun()), "exited")],
])("never unasked where %s", (_why, session) => {
  expect(mayFinalizeUnasked(session, now)).toBe(false);
});

const unsure = aSession(without(aRun(), "pidFile"));
const needsNothing: readonly Operation[] = ["captureId", "finalize", "goTo", "peek", "resume", "rename", "archive", "unarchive"];

test.each<[Operation, string, Session, boolean, readonly string[]]>([
  ["stop", "an idle, resumable session", living, false, []],
  ["stop", "one in the middle of a turn", withStatus(living, "working"), false, ["midTurn"]],
  ["stop", "one that waits for an answer", withStatus(living, "needsInput"), false, ["midTurn"]],
  ["stop", "one whose id is not known", { ...living, conversation: undefined }, false, ["notResumable"]],
  ["stop", "one that can't be resumed", { ...living, conversation: talk("A", { resumable: seen(false) }) }, false, ["notResumable"]],
  ["stop", "one that nobody has looked whether it can", { ...living, conversation: talk("A") }, false, ["notResumable"]],
  ["stop", "one that no record names", { ...unsure, conversation: living.conversation }, false, ["noWarrant"]],
  ["stop", "one that a person named", { ...unsure, conversation: living.conversation }, true, []],
  ["stop", "what has ended", past, false, []],
  ["terminate", "an idle, resumable session", living, false, ["force"]],
  ["terminate", "one in the middle of a turn that can't be resumed", withStatus(unsure, "working"), false, ["force", "midTurn", "notResumable", "noWarrant"]],
  ["forget", "what has ended", past, false, []],
  ["answer", "what asks in the middle of a turn", aSession(asking), false, []],
  ["purge", "what has ended", past, false, ["purges"]],
  ["purge", "what has work in its book that would be lost", aSession(aBook("entire", "ended", { pending: "2 checkpoints" })), false, ["purges", "pendingWork"]],
  ["cleanUp", "what has ended", past, false, ["deletes"]],
  ["cleanUp", "one in the middle of a turn", aSession(aTurn()), false, ["deletes", "midTurn"]],
])("%s of %s", (operation, _what, session, isNamed, concerns) => {
  expect(confirmationFor(operation, session, { isNamed })).toEqual(concerns);
});

test.each(needsNothing)("%s is never asked about", (operation) => {
  expect(confirmationFor(operation, withStatus(unsure, "working"), { isNamed: false })).toEqual([]);
});

test.each([
  ["a record of another's book", aSession(without(aRun(), "pidFile"), aRecord("mux")), true],
  ["the agent's own pid file", aSession(aRun()), true],
  ["a server that answers for its sessions", aSession(without(aTurn(), "pidFile")), true],
  ["our ledger", aSession(without(aRun(), "pidFile"), aRecord("ledger")), false],
  ["nothing", unsure, false],
])("as a warrant: %s", (_what, session, is) => {
  expect(hasWarrant(session)).toBe(is);
});
