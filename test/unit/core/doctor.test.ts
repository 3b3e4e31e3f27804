import { expect, test } from "vitest";
import type { Agent } from "../../../src/core/agent.ts";
import { examine, reportOf } from "../../../src/core/doctor.ts";
import type { Finding } from "../../../src/core/doctor.ts";
import type { Capabilities } from "../../../src/core/lifecycle.ts";
import type { Snapshot } from "../../../src/core/roster.ts";
import type { Session } from "../../../src/core/session.ts";
import { aBook, aPane, aRecord, aRun, aSession, now, pid, seen, withStatus, without } from "../../support/facets.ts";
import { aWorld } from "../../support/world.ts";

const can: Capabilities = { sources: aWorld([aRun()]).context.sources, agents: new Map([["claude", { id: "claude" } as Agent]]) };

function found(sessions: readonly Session[], rest: Partial<Snapshot> = {}): readonly Finding[] {
  return examine({ at: now, sessions, unreachable: [], notices: [], ...rest }, can);
}

test("an exited session is told with what it is known by, and the command that finalizes it", () => {
  const exited = aSession(aBook("entire", "active", { key: "entire:a@1", liveness: seen("gone", "its owner claude (41) is gone") }));
  expect(found([exited])).toMatchObject([
    {
      ailment: "exited",
      about: "entire:a@1",
      evidence: ["its owner claude (41) is gone", "entire:a@1: says active (active), its owner claude (41) is gone"],
      mend: "session-warden finalize 'entire:a@1'",
    },
  ]);
});

test("what is stuck, in doubt, or recorded without a process is told with its pending work, and nothing is offered that would end it", () => {
  const stuck = withStatus(aSession(aBook("entire", "active", { liveness: seen("unknown"), pending: "2 files" })), "stuck");
  const unknown = withStatus(aSession(aBook("mux", "active", { liveness: seen("unknown") })), "unknown");
  const doubtful = { ...aSession(), doubt: { why: "two could be it", candidates: ["mux:a", "mux:b"] as const } };
  expect(found([stuck, unknown, doubtful]).map(({ ailment, mend }) => [ailment, mend])).toEqual([
    ["stuck", "entire doctor"],
    ["recordWithoutProcess", undefined],
    ["contradictory", undefined],
  ]);
  expect(found([stuck])[0]?.evidence.at(-1)).toContain("pending: 2 files");
  expect(found([doubtful])[0]?.evidence[0]).toBe("two could be it: mux:a, mux:b");
});

test("what only the tracking files know can be cleaned up", () => {
  const listed = aSession(without(aRecord("tracking", { key: "tracking:ses_a", isOnlyListed: true, liveness: seen("unknown") }), "process"));
  expect(found([listed])).toMatchObject([{ ailment: "recordWithoutProcess", mend: "session-warden cleanup 'ses_a'" }]);
});

test("an agent that the registry could have and has not is told; without a registry none is", () => {
  const host = { kind: "process", process: pid(41), pane: aPane() } as const;
  const inPane = aSession(aRun({ host }));
  const withAdd: Capabilities = {
    ...can,
    sources: new Map([...can.sources].map(([id, source]) => [id, id === "mux" ? { ...source, add: async () => ({ kind: "recorded" }) as const } : source])),
  };
  const tell = (capabilities: Capabilities): readonly string[] =>
    examine({ at: now, sessions: [inPane], unreachable: [], notices: [] }, capabilities).map(({ ailment }) => ailment);
  expect(tell(withAdd)).toEqual(["agentWithoutRecord"]);
  expect(tell(can)).toEqual([]);
});

test("what works, and what is over and done, is not ailing", () => {
  expect(found([aSession(), aSession(aBook("mux", "ended"))])).toEqual([]);
});

test("places that give no answer and files that can't be read are told", () => {
  const rest = { unreachable: [{ place: "tmux", reason: "does not answer" }], notices: [{ place: "/r/.git", sentence: "1 file can't be read" }] };
  expect(found([], rest).map(({ ailment, about, evidence }) => [ailment, about, ...evidence])).toEqual([
    ["unreachable", "tmux", "does not answer"],
    ["unreadable", "/r/.git", "1 file can't be read"],
  ]);
});

test("the report names what looking costs: as it is at first, and by the minute once there is one", () => {
  const cost = { sinceMs: 500, subprocesses: 2, subprocessMs: 40.4, watchers: 3, sockets: 1 };
  expect(reportOf([], cost)).toEqual(["Nothing is wrong.", "", "Watching costs 2 subprocesses and 40 ms in them, in 0.5 s, 3 watchers, 1 socket."]);
  expect(reportOf([], { ...cost, sinceMs: 120_000, subprocesses: 24 }).at(-1)).toBe(
    "Watching costs 12.0 subprocesses and 20 ms in them a minute, 3 watchers, 1 socket.",
  );
});
