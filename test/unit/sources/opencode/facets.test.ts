import { expect, test } from "vitest";
import type { Facet } from "../../../../src/core/facet.ts";
import { merge } from "../../../../src/core/merge.ts";
import type { Client, ServerSession } from "../../../../src/sources/opencode/client.ts";
import { facetsOf } from "../../../../src/sources/opencode/facets.ts";
import type { Seen } from "../../../../src/sources/opencode/facets.ts";
import type { ServerLook, ServerRun } from "../../../../src/sources/opencode/look.ts";
import type { Mute } from "../../../../src/sources/opencode/mayRun.ts";
import type { Server } from "../../../../src/sources/opencode/servers.ts";
import { now, pid } from "../../../support/facets.ts";

const began = now - 60_000;

function aServer(port = 4096, over: Partial<Server> = {}): Server {
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    client: { origin } as Client,
    login: undefined,
    process: pid(port),
    role: "server",
    startedAt: began,
    database: "/data/opencode/opencode.db",
    ...over,
  };
}

function aSession(id: string, over: Partial<ServerSession> = {}): ServerSession {
  const updatedAt = began - 1_000;
  return { id, directory: "/app", title: id, parentId: undefined, createdAt: updatedAt, updatedAt, archivedAt: undefined, ...over };
}
const touched = { updatedAt: began + 1_000 } as const;

function aRun(id: string, over: Partial<ServerRun> = {}): ServerRun {
  return { id, engine: "classic", state: { kind: "busy" }, directory: "/app", ...over };
}

function aLook(sessions: readonly ServerSession[], over: Partial<ServerLook> = {}): ServerLook {
  return { server: aServer(), sessions, runs: [], opened: new Set(["/app"]), knowsAllOpened: true, permissions: [], questions: [], ...over };
}

/** Sessions whose last message is not at its end, begun a moment after the server. */
function unfinishedAre(...ids: readonly string[]): Seen["unfinished"] {
  return new Map([["/data/opencode/opencode.db", ids.map((id) => ({ id, directory: "/app", since: began + 1_000 }))]]);
}

function seen(looks: readonly ServerLook[], over: Partial<Seen> = {}): Seen {
  return { looks, mute: [], unfinished: unfinishedAre(), at: now, ...over };
}

function facets(looks: readonly ServerLook[], over: Partial<Seen> = {}): ReadonlyMap<string, Facet> {
  return new Map(facetsOf(seen(looks, over)).map((facet) => [facet.key.slice("opencode:".length), facet]));
}

/** As a person sees it. */
function statuses(looks: readonly ServerLook[], over: Partial<Seen> = {}): readonly string[] {
  return merge(facetsOf(seen(looks, over)), now).map(({ key, status }) => `${key.slice("opencode:".length)} ${status.value} (${status.seen})`);
}

test("what a server runs works, with its server and its folder", () => {
  const [run] = facetsOf(seen([aLook([aSession("ses_a")], { runs: [aRun("ses_a")] })]));
  expect(run).toMatchObject({
    kind: "run",
    key: "opencode:ses_a",
    place: "http://127.0.0.1:4096",
    agent: "opencode",
    title: "ses_a",
    cwd: "/app",
    runsIn: "appServer",
    activity: { value: "working", seen: "in a turn" },
    conversation: { agent: "opencode", id: "ses_a", home: "/data/opencode", resumable: { value: true } },
    host: { kind: "server", server: pid(4096), url: "http://127.0.0.1:4096", directory: "/app" },
  });
});

test("what waits to try again works, and says at which try and why", () => {
  const retry = aRun("ses_a", { state: { kind: "retry", attempt: 2, message: "429 from upstream" } });
  expect(statuses([aLook([aSession("ses_a")], { runs: [retry] })])).toEqual(["ses_a working (tries again, 2: 429 from upstream)"]);
});

test("idle is what was touched since its server began; what was not is of the past; an archived one is archived", () => {
  const sessions = [aSession("ses_new", touched), aSession("ses_old"), aSession("ses_put", { ...touched, archivedAt: now - 5 })];
  expect(statuses([aLook(sessions)])).toEqual([
    "ses_new idle (idle on 127.0.0.1:4096)",
    "ses_old stopped (127.0.0.1:4096 keeps it and does not run it)",
    "ses_put archived (archived in OpenCode)",
  ]);
});

test("an archived one that runs all the same works", () => {
  expect(statuses([aLook([aSession("ses_a", { archivedAt: now - 5 })], { runs: [aRun("ses_a")] })])).toEqual(["ses_a working (in a turn)"]);
});

test("of a server of which nobody knows when it began, only what it runs is running", () => {
  const server = aServer(4096, { startedAt: undefined, process: undefined, database: undefined });
  expect(statuses([aLook([aSession("ses_a", touched), aSession("ses_b")], { server, runs: [aRun("ses_b")] })])).toEqual([
    "ses_b working (in a turn)",
    "ses_a stopped (127.0.0.1:4096 keeps it and does not run it)",
  ]);
});

test("a permission that it waits for needs a person, and can be answered; a question too, which can't", () => {
  const permissions = [{ id: "per_1", sessionId: "ses_a", tool: "bash", input: "rm -rf build", messageId: undefined }];
  const questions = [{ id: "que_1", sessionId: "ses_b", question: "Which port?", messageId: undefined }];
  const look = aLook([aSession("ses_a"), aSession("ses_b")], { runs: [aRun("ses_a"), aRun("ses_b")], permissions, questions });
  expect(statuses([look])).toEqual(["ses_a needsInput (permission: bash)", "ses_b needsInput (question: Which port?)"]);
  const all = facets([look]);
  expect([all.get("ses_a"), all.get("ses_b")]).toMatchObject([{ asks: { id: "per_1", tool: "bash", input: "rm -rf build" } }, {}]);
  expect(all.get("ses_b")).not.toHaveProperty("asks");
});

test("what a sub-agent asks its root asks, and while a sub-agent works its root does, however deep", () => {
  const sessions = [
    aSession("ses_root"),
    aSession("ses_child", { parentId: "ses_root", title: "docs" }),
    aSession("ses_grandchild", { parentId: "ses_child", title: "links" }),
  ];
  const runs = [aRun("ses_grandchild")];
  expect(statuses([aLook(sessions, { runs })])).toEqual([
    "ses_root working (a sub-agent of it is in a turn)",
    "ses_child working (a sub-agent of it is in a turn)",
    "ses_grandchild working (in a turn)",
  ]);
  const permissions = [{ id: "per_1", sessionId: "ses_grandchild", tool: "bash", input: "ls", messageId: undefined }];
  const asking = facets([aLook(sessions, { runs, permissions })]);
  expect(asking.get("ses_root")).toMatchObject({
    activity: { value: "needsInput", seen: "its sub-agent links asks: permission: bash" },
    asks: { id: "per_1" },
  });
  expect(asking.get("ses_grandchild")).toMatchObject({ parent: "opencode:ses_child", activity: { seen: "permission: bash" } });
});

test("sessions that name each other as parents in a circle are shown, each once", () => {
  const sessions = [aSession("ses_a", { parentId: "ses_b" }), aSession("ses_b", { parentId: "ses_a" })];
  expect(statuses([aLook(sessions, { runs: [aRun("ses_a")] })])).toHaveLength(2);
});

test("what was deleted and runs on is shown as that, in the folder that was asked about", () => {
  const look = aLook([], { runs: [aRun("ses_ghost", { directory: "/app" })] });
  expect(statuses([look])).toEqual(["ses_ghost working (deleted, but it still runs)"]);
  expect(facets([look]).get("ses_ghost")).toMatchObject({
    title: "deleted session ses_ghost",
    host: { directory: "/app" },
    conversation: { resumable: { value: false } },
  });
});

test("of two servers on one database the one that runs it is its host, whichever was asked first", () => {
  const sessions = [aSession("ses_a", touched)];
  const idle = aLook(sessions);
  const busy = aLook(sessions, { server: aServer(4097), runs: [aRun("ses_a")] });
  for (const looks of [
    [idle, busy],
    [busy, idle],
  ])
    expect(facetsOf(seen(looks))).toMatchObject([{ activity: { value: "working" }, host: { url: "http://127.0.0.1:4097" } }]);
});

test("of two servers on one database an idle one is on the one that has its folder open, and of two records the newer tells", () => {
  const elsewhere = aLook([aSession("ses_a", { ...touched, title: "older" })], { opened: new Set(["/other"]) });
  const open = aLook([aSession("ses_a", { updatedAt: began + 2_000, title: "newer" })], { server: aServer(4097) });
  expect(facetsOf(seen([elsewhere, open]))).toMatchObject([{ title: "newer", host: { url: "http://127.0.0.1:4097" } }]);
});

const mute: Mute = { name: "opencode (99)", startedAt: began, database: "/data/opencode/opencode.db" };

test("what no server runs, and is not at its end, may run in an OpenCode that can't be asked", () => {
  const sessions = [aSession("ses_open", touched), aSession("ses_done", touched), aSession("ses_old")];
  expect(statuses([aLook(sessions)], { mute: [mute], unfinished: unfinishedAre("ses_open") })).toEqual([
    "ses_done idle (idle on 127.0.0.1:4096)",
    "ses_open unknown (it may run in opencode (99), which can't be asked)",
    "ses_old stopped (127.0.0.1:4096 keeps it and does not run it)",
  ]);
});

test("what was cut off before that began, or lies in another's database, does not run there", () => {
  const later = { ...mute, startedAt: now };
  const elsewhere = { ...mute, database: "/other.db" };
  for (const silent of [later, elsewhere])
    expect(statuses([aLook([aSession("ses_a", touched)])], { mute: [silent], unfinished: unfinishedAre("ses_a") })).toEqual([
      "ses_a idle (idle on 127.0.0.1:4096)",
    ]);
});

test("where the database can't be read, all that was touched since that began may run there", () => {
  const looks = [aLook([aSession("ses_a", touched), aSession("ses_b")])];
  for (const unfinished of [new Map(), new Map([["/data/opencode/opencode.db", undefined]])])
    expect(statuses(looks, { mute: [mute], unfinished })[0]).toBe("ses_a unknown (it may run in opencode (99), which can't be asked)");
});

test("what is not at its end in a folder that its server was not asked about may run there, and is not said to be idle", () => {
  const look = aLook([aSession("ses_far", { ...touched, directory: "/far" }), aSession("ses_near", touched)], { knowsAllOpened: false });
  expect(statuses([look], { unfinished: unfinishedAre("ses_far") })).toEqual([
    "ses_near idle (idle on 127.0.0.1:4096)",
    "ses_far unknown (it may run on 127.0.0.1:4096, which can't be asked about its folder)",
  ]);
  expect(statuses([{ ...look, knowsAllOpened: true }], { unfinished: unfinishedAre("ses_far") })).toContain("ses_far idle (idle on 127.0.0.1:4096)");
});

test("a database in memory is nobody else's, and lies in no folder", () => {
  const look = aLook([aSession("ses_a", touched)], { server: aServer(4096, { database: "the memory of 77" }) });
  const another = { ...mute, database: "the memory of 99" };
  expect(statuses([look], { mute: [another], unfinished: new Map() })).toEqual(["ses_a idle (idle on 127.0.0.1:4096)"]);
  expect(facets([look]).get("ses_a")?.conversation).not.toHaveProperty("home");
});

test("what a known server runs does not run elsewhere, and is not in doubt for it", () => {
  const look = aLook([aSession("ses_a", touched)], { runs: [aRun("ses_a")] });
  expect(statuses([look], { mute: [mute], unfinished: unfinishedAre("ses_a") })).toEqual(["ses_a working (in a turn)"]);
});

test("a sub-agent of what may run elsewhere is not idle either", () => {
  const look = aLook([aSession("ses_root", touched), aSession("ses_child", { ...touched, parentId: "ses_root" })]);
  const told = statuses([look], { mute: [mute], unfinished: unfinishedAre("ses_child") });
  expect(told).toContain("ses_child unknown (it may run in opencode (99), which can't be asked)");
});

test("a run of the second engine, which tells no folder, has its session's", () => {
  const look = aLook([aSession("ses_a", { directory: "/deep in/ünïcode" })], { runs: [aRun("ses_a", { engine: "second", directory: undefined })] });
  expect(facets([look]).get("ses_a")).toMatchObject({ activity: { value: "working" }, host: { directory: "/deep in/ünïcode" } });
});

test("hundreds of sessions are told in one look", () => {
  const sessions = Array.from({ length: 3_000 }, (_each, nth) => aSession(`ses_${nth}`, nth % 3 === 0 ? {} : { parentId: `ses_${nth - (nth % 3)}` }));
  expect(facetsOf(seen([aLook(sessions), aLook(sessions, { server: aServer(4097) })]))).toHaveLength(3_000);
});
