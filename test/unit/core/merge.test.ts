import { expect, test } from "vitest";
import type { Facet } from "../../../src/core/facet.ts";
import { merge } from "../../../src/core/merge.ts";
import { aBook, aRecord, aRun, aTurn, now, pid, seen, talk, without } from "../../support/facets.ts";

/** Each session as a picture: its key, then its facets, then whether it is in doubt. */
function picture(facets: readonly Facet[]): readonly string[] {
  return merge(facets, now).map(({ key, run, records, doubt }) =>
    [`${key}:`, ...(run ? ["run"] : []), ...records.map((record) => record.key), ...(doubt ? ["in doubt"] : [])].join(" "),
  );
}
const second = { key: "process:42", host: { kind: "process", process: pid(42) } } as const;

test("a row, its process and Entire's state are one session", () => {
  expect(picture([aRun(), aRecord("mux"), aRecord("entire"), aRecord("ledger", { firstKey: "process:41" })])).toEqual([
    "process:41: run mux:r entire:r ledger:r",
  ]);
});

test("what the run says goes before what the books say", () => {
  const [session] = merge([aRun(), aRecord("mux", { title: "an older name", cwd: "/app" })], now);
  expect(session).toMatchObject({ title: "fix login", cwd: "/app", conversation: { toldBy: "agent" }, status: { value: "idle" } });
});

test("the name that a person gave goes before what the agent calls it", () => {
  expect(merge([aRun(), aRecord("ledger", { givenName: "login form" })], now)[0]?.title).toBe("login form");
});

test("a session that nobody has named is called by its agent and folder", () => {
  expect(merge([{ ...without(aRun(), "title"), cwd: "/home/someone/app" }], now)[0]?.title).toBe("claude in app");
  expect(merge([without(aRun(), "title")], now)[0]?.title).toBe("claude");
  expect(merge([without(aRun(), "title", "agent")], now)[0]?.title).toBe("process:41");
});

test("a row keeps its key when its process is gone", () => {
  expect(merge([aBook("ledger", "active", { firstKey: "process:41" })], now)[0]?.key).toBe("process:41");
});

test("a server that serves listed sessions is no session of its own, and many share it", () => {
  const served = (id: string) =>
    aTurn({ key: `opencode:${id}`, conversation: talk(id, { agent: "opencode" }), host: { ...aTurn().host, server: pid(41) } as never });
  expect(picture([aRun(), served("s1"), served("s2")])).toEqual(["opencode:s1: run", "opencode:s2: run"]);
});

test("a server's process proves nothing about a record that names it", () => {
  expect(picture([aTurn(), aRecord("entire", { process: pid(9) })])).toEqual(["opencode:s: run", "entire:r: entire:r"]);
});

test("two records of one source that name one process: neither joins, and both say why", () => {
  const rivals = [aRecord("entire", { key: "entire:1" }), aRecord("entire", { key: "entire:2", conversation: talk("B") })];
  const sessions = merge([without(aRun(), "conversation"), ...rivals], now);
  expect(sessions.map(({ key, doubt }) => [key, doubt])).toEqual([
    ["process:41", undefined],
    ["entire:1", { why: "more than one record names its process", candidates: ["entire:1", "entire:2"] }],
    ["entire:2", { why: "more than one record names its process", candidates: ["entire:1", "entire:2"] }],
  ]);
});

test("of two records of one source, the one with the better claim joins", () => {
  expect(picture([aRun(), aRecord("mux", { key: "mux:stale", conversation: talk("B") }), aRecord("mux", { key: "mux:exact" })])).toEqual([
    "process:41: run mux:exact",
    "mux:stale: mux:stale",
  ]);
});

test("after /clear the closed state of the same process is of the past", () => {
  const facets = [
    aRun({ conversation: talk("B") }),
    aBook("entire", "ended", { key: "entire:old", liveness: seen("alive") }),
    aRecord("entire", { key: "entire:new", conversation: talk("B") }),
  ];
  expect(picture(facets)).toEqual(["process:41: run entire:new", "entire:old: entire:old"]);
});

test("a row that has not heard of /clear still meets its process", () => {
  expect(picture([aRun({ conversation: talk("B") }), aRecord("mux")])).toEqual(["process:41: run mux:r"]);
});

test("resumed in another process: a record of a dead one joins by its conversation", () => {
  expect(picture([aRun(), aRecord("entire", { process: pid(30), liveness: seen("gone") })])).toEqual(["process:41: run entire:r"]);
});

test("a record of another process that lives never joins", () => {
  expect(picture([aRun(), aRecord("entire", { process: pid(30) })])).toEqual(["process:41: run", "entire:r: entire:r"]);
});

test("a record that two processes could be joins neither, and names both", () => {
  const past = aRecord("entire", { process: pid(30), liveness: seen("gone") });
  expect(merge([aRun(), aRun(second), past], now).map(({ doubt }) => doubt)).toEqual([
    undefined,
    undefined,
    { why: "more than one process could be it", candidates: ["process:41", "process:42"] },
  ]);
});

test("the same id of another agent is another conversation", () => {
  const other = without(aRecord("mux", { agent: "codex", conversation: talk("A", { agent: "codex" }) }), "process");
  expect(picture([aRun(), other])).toHaveLength(2);
});

test("books without a run are one session where they tell of one conversation", () => {
  const row = without(aBook("mux", "ended"), "process");
  expect(picture([row, aBook("ledger", "ended", { process: pid(30) })])).toEqual(["mux:r: mux:r ledger:r"]);
});

test("books that name one process which is gone stay the session that they were", () => {
  expect(picture([aBook("ledger", "active", { conversation: talk("B") }), aBook("mux", "active")])).toEqual(["ledger:r: ledger:r mux:r"]);
});

test("a reused pid makes no session of two books", () => {
  const before = aBook("ledger", "ended", { process: pid(41, "7"), conversation: talk("A") });
  const after = aBook("mux", "ended", { process: pid(41, "9"), conversation: talk("B") });
  expect(picture([before, after])).toHaveLength(2);
});

test("two conversations that one process had are two sessions once one of them is closed", () => {
  const left = aBook("ledger", "ended", { conversation: talk("A") });
  const last = aBook("mux", "active", { conversation: talk("B") });
  expect(picture([left, last])).toHaveLength(2);
});

test("two books whose processes both live are never one session, though they tell of one conversation", () => {
  expect(picture([aRecord("mux", { process: pid(51) }), aRecord("entire", { process: pid(52) })])).toHaveLength(2);
});

test("two records of one source never stand in one session", () => {
  expect(picture([aBook("mux", "ended", { key: "mux:1" }), aBook("mux", "ended", { key: "mux:2" })])).toHaveLength(2);
});

test("300 runs and 1,000 rows make 1,000 sessions", () => {
  const runs = Array.from({ length: 300 }, (_, i) => aRun({ key: `process:${i}`, host: { kind: "process", process: pid(i) }, conversation: talk(`c${i}`) }));
  const rows = Array.from({ length: 1000 }, (_, i) =>
    aRecord("mux", { key: `mux:${i}`, process: pid(i), conversation: talk(`c${i}`), liveness: seen(i < 300 ? "alive" : "gone") }),
  );
  const sessions = merge([...runs, ...rows], now);
  expect(sessions.filter(({ run, records }) => run && records.length === 1)).toHaveLength(300);
  expect(sessions).toHaveLength(1000);
});

const listed = without(
  aRecord("tracking", {
    key: "tracking:s",
    agent: "opencode",
    conversation: talk("s", { agent: "opencode", toldBy: "record" }),
    liveness: seen("unknown", "known only from the tracking files"),
    isOnlyListed: true,
    title: "AUTO-1",
  }),
  "process",
);
const ofThePast = without(aBook("opencode", "ended", { key: "opencode:s", agent: "opencode", conversation: talk("s", { agent: "opencode" }) }), "process");

test("a session that a script has listed is one with what its server tells of it, and only the server's word counts", () => {
  const told = (...facets: readonly Facet[]) => merge(facets, now).map(({ key, status }) => `${key} ${status.value}`);
  expect(told(aTurn(), listed)).toEqual(["opencode:s working"]);
  expect(told(ofThePast, listed)).toEqual(["opencode:s stopped"]);
  expect(told(listed)).toEqual(["tracking:s unknown"]);
  expect(told(aTurn({ key: "opencode:t", conversation: talk("t", { agent: "opencode" }) }), listed)).toEqual(["opencode:t working", "tracking:s unknown"]);
});

test("a sub-agent keeps the session that began it, whoever else tells of it", () => {
  expect(merge([aTurn({ parent: "opencode:root" }), listed], now)[0]?.parent).toBe("opencode:root");
});
