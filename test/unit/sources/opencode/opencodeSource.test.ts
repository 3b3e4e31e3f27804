import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { opencode } from "../../../../src/agents/opencode/opencode.ts";
import type { Facet, Run } from "../../../../src/core/facet.ts";
import type { Source } from "../../../../src/core/source.ts";
import { createOpencodeSource } from "../../../../src/sources/opencode/opencodeSource.ts";
import { openMachine } from "../../../../src/system/machine.ts";
import type { Machine } from "../../../../src/system/machine.ts";
import { censusOf } from "../../../support/facets.ts";
import { fakeServer } from "../../../support/fakeServer.ts";
import { aFolder } from "../../../support/folder.ts";
import { json, never, nothing, playOpencode } from "../../../support/playedOpencode.ts";
import type { PlayedOpencode } from "../../../support/playedOpencode.ts";

const { signal } = new AbortController();
const real = await openMachine({ tmuxProgram: "tmux", tmuxSockets: [] });
/** On which nothing runs: whatever else is at work on the real one is left out. */
const machine: Machine = { ...real, census: async () => ({ ...censusOf(), at: Date.now() }) };
let state: Awaited<ReturnType<typeof aFolder>>;

beforeEach(async () => {
  state = await aFolder();
  vi.stubEnv("XDG_STATE_HOME", state.path);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await state[Symbol.asyncDispose]();
});

function sourceOf(...servers: readonly { readonly origin: string }[]): Source {
  const passwords = { of: async () => undefined, isMeantFor: () => false };
  return createOpencodeSource({ agent: opencode, machine, servers: servers.map(({ origin }) => origin), passwords });
}

async function read(source: Source) {
  return source.read(await machine.census(signal), signal);
}

async function facetIn(source: Source, id: string): Promise<Facet> {
  const found = (await read(source)).facets.find(({ key }) => key === `opencode:${id}`);
  if (!found) throw new Error(`${id} is not told of`);
  return found;
}

async function storeFor(source: Source, facet: Facet) {
  const [store] = (await source.stores?.(facet, signal))?.stores ?? [];
  if (!store) throw new Error("no store");
  return store;
}

async function kept(...ids: readonly string[]): Promise<PlayedOpencode> {
  const played = await playOpencode("/app");
  for (const id of ids) played.sessions.set(id, { directory: "/app", title: id });
  return played;
}

test("a list asks about no folder that its server is not known to have open, and for nothing that it does not declare", async () => {
  await using played = await kept("ses_a");
  for (let nth = 0; nth < 40; nth++) played.sessions.set(`ses_${nth}x`, { directory: `/plugins of/${nth}`, touchedAt: Date.now() });
  const { facets, unreachable } = await read(sourceOf(played));
  expect([facets.filter(({ place }) => place === played.origin).length, unreachable.filter(({ place }) => place === played.origin)]).toEqual([41, []]);
  const directories = played.calls().flatMap((call) => /directory=([^&]*)/.exec(call)?.[1] ?? []);
  expect(new Set(directories)).toEqual(new Set(["/app"]));
  // To be asked for one session opens its folder.
  expect(played.calls().filter((call) => call.includes("/session/ses_"))).toEqual([]);
  expect(played.undeclared()).toEqual([]);
});

test("a server that falls silent is told of by its place, and takes nothing of another's away", async () => {
  await using well = await kept("ses_a");
  await using sick = await kept("ses_b");
  sick.instead.set("GET /experimental/session", json({ message: "database is locked" }, 500));
  const { facets, unreachable } = await read(sourceOf(well, sick));
  expect(facets.map(({ key }) => key)).toContain("opencode:ses_a");
  expect(unreachable).toContainEqual({ place: sick.origin, reason: "answered 500" });
});

test("what is nowhere in the lists is not there only if every server has answered", async () => {
  await using well = await kept("ses_a");
  const missing = { ...(await facetIn(sourceOf(well), "ses_a")), key: "opencode:ses_missing" } as Facet;
  expect(await sourceOf(well).lookAgain(missing, await machine.census(signal), signal)).toEqual({ kind: "notThere" });
  for (const answer of [never, nothing(401)]) {
    await using other = await fakeServer(answer);
    const looked = await sourceOf(well, other).lookAgain(missing, await machine.census(signal), signal);
    expect(looked).toMatchObject({ kind: "unreachable", reason: expect.stringContaining(other.origin) as string });
  }
});

test("before it acts, a source looks afresh: what began meanwhile is seen", async () => {
  await using played = await kept("ses_a");
  const source = sourceOf(played);
  const before = await facetIn(source, "ses_a");
  played.busy.set("ses_a", "/app");
  expect(await source.lookAgain(before, await machine.census(signal), signal)).toMatchObject({ kind: "seen", facet: { activity: { value: "working" } } });
});

test.each<[string, (server: PlayedOpencode, another: PlayedOpencode) => unknown]>([
  ["it runs itself", (server) => server.busy.set("ses_root", "/app")],
  ["it runs in the second engine", (server) => server.active.add("ses_root")],
  ["a sub-agent of it runs", (server) => server.busy.set("ses_child", "/app")],
  ["another server runs it", (_, another) => another.busy.set("ses_root", "/app")],
])("nothing is deleted while %s", async (_what, begin) => {
  await using server = await kept("ses_root");
  server.sessions.set("ses_child", { directory: "/app", parentID: "ses_root" });
  await using another = await kept();
  const source = sourceOf(server, another);
  const store = await storeFor(source, await facetIn(source, "ses_root"));
  begin(server, another);
  expect(await store.erase(signal)).toMatchObject({ kind: "blocked", reason: expect.stringContaining("it still runs on") as string });
  expect([server.calls("DELETE"), another.calls("DELETE")]).toEqual([[], []]);
});

test("a run that goes on after its session was deleted is no proof of its end, and is found as a ghost", async () => {
  await using server = await kept("ses_root");
  const source = sourceOf(server);
  const store = await storeFor(source, await facetIn(source, "ses_root"));
  expect(await store.erase(signal)).toEqual({ kind: "erased" });
  expect(await store.residue(signal)).toEqual([]);
  server.busy.set("ses_root", "/app");
  expect(await store.residue(signal)).toEqual([`it still runs on ${server.origin}`]);
  expect(await facetIn(source, "ses_root")).toMatchObject({ activity: { value: "working", seen: "deleted, but it still runs" } });
});

test("what was deleted is looked for where it was, and not on servers that never had it", async () => {
  await using server = await kept("ses_root");
  await using another = await kept("ses_other");
  const source = sourceOf(server, another);
  const facet = await facetIn(source, "ses_root");
  const store = await storeFor(source, facet);
  expect([store.path, await store.erase(signal), await store.residue(signal)]).toEqual([server.origin, { kind: "erased" }, []]);
  expect((await source.stores?.(facet, signal))?.stores.map(({ path }) => path)).toEqual([server.origin]);
});

test("a server that dies after the delete has not said that anything is gone", async () => {
  await using server = await kept("ses_root");
  const source = sourceOf(server);
  const store = await storeFor(source, await facetIn(source, "ses_root"));
  expect(await store.erase(signal)).toEqual({ kind: "erased" });
  await server[Symbol.asyncDispose]();
  expect(await store.residue(signal)).not.toEqual([]);
});

test("another server that gives no answer when it comes to deleting might run it: nothing is deleted", async () => {
  await using server = await kept("ses_root");
  await using another = await kept("ses_root");
  const source = sourceOf(server, another);
  const store = await storeFor(source, await facetIn(source, "ses_root"));
  another.instead.set("GET /session/status", (_, response) => void response.destroy());
  expect(await store.erase(signal)).toMatchObject({ kind: "blocked" });
  expect([server.calls("DELETE"), another.calls("DELETE")]).toEqual([[], []]);
});

test("the last messages are read where the folder is open, and not where to read them would open it", async () => {
  await using played = await kept("ses_a");
  played.sessions.set("ses_far", { directory: "/far" });
  played.active.add("ses_far");
  played.busy.set("ses_a", "/app");
  played.instead.set(
    "GET /session/{}/message",
    json([{ info: { id: "msg_1", role: "user", time: { created: 1 } }, parts: [{ type: "text", text: "hello" }] }]),
  );
  const source = sourceOf(played);
  expect(await source.peek?.((await facetIn(source, "ses_a")) as Run, signal)).toBe("> hello");
  expect(await source.peek?.((await facetIn(source, "ses_far")) as Run, signal)).toBeUndefined();
  expect(played.calls("GET /session/ses_far")).toEqual([]);
});

test("a permission is answered on the server that asks for it", async () => {
  await using played = await kept("ses_a");
  played.busy.set("ses_a", "/app");
  played.permissions.push({ id: "per_1", sessionID: "ses_a", command: "ls" });
  const source = sourceOf(played);
  const run = (await facetIn(source, "ses_a")) as Run;
  expect(run.asks).toMatchObject({ id: "per_1" });
  expect(await source.answerPermission?.(run, "allow", signal)).toBeUndefined();
  expect(await source.answerPermission?.(run, "allow", signal)).toMatchObject({ kind: "refused" });
  expect(played.calls("POST")).toEqual(["POST /permission/per_1/reply?directory=/app"]);
});
