import { expect, onTestFinished, test } from "vitest";
import type { Client, Deadlines } from "../../../../src/sources/opencode/client.ts";
import { probe, serviceOf } from "../../../../src/sources/opencode/client.ts";
import type { Answering } from "../../../support/fakeServer.ts";
import { fakeOpencode, fakeServer, json, locked, never, nothing, webPage } from "../../../support/fakeServer.ts";
import { calledOf, classic, pathsOf, service, session, untouched } from "./aClient.ts";

const login = { user: "opencode", password: "secret" };
const short: Deadlines = { lookMs: 200, listMs: 200, actMs: 200 };
const info = json({ version: "2.0.1", pid: 4711 });

/** Every call there is, rightly asked. */
const everyCall: readonly (readonly [string, (client: Client) => Promise<{ readonly kind: string }>])[] = [
  ["sessions", (client) => client.sessions(untouched)],
  ["findSession", (client) => client.findSession("ses_a1", untouched)],
  ["read", (client) => client.read("ses_a1", "/srv/api", untouched)],
  ["ownDirectory", (client) => client.ownDirectory(untouched)],
  ["runs", (client) => client.runs("/srv/api", untouched)],
  ["active", (client) => client.active(untouched)],
  ["permissions", (client) => client.permissions("/srv/api", untouched)],
  ["activePermissions", (client) => client.activePermissions("ses_a1", untouched)],
  ["questions", (client) => client.questions("/srv/api", untouched)],
  ["messages", (client) => client.messages("ses_a1", "/srv/api", 2, untouched)],
  ["abort", (client) => client.abort("ses_a1", "/srv/api", untouched)],
  ["interrupt", (client) => client.interrupt("ses_a1", untouched)],
  ["remove", (client) => client.remove("ses_a1", "/srv/api", untouched)],
  ["reply", (client) => client.reply("per_b2", "/srv/api", "once", untouched)],
  ["replyActive", (client) => client.replyActive("ses_a1", "per_b2", "reject", untouched)],
  ["disposeDirectory", (client) => client.disposeDirectory("/srv/api", untouched)],
  ["disposeServer", (client) => client.disposeServer(untouched)],
];

test.for<readonly [string, Answering, unknown]>([
  ["a program that answers everything with a web page is not OpenCode", webPage, { kind: "notOpencode" }],
  ["a program with another health is not OpenCode", json({ status: "ok" }), { kind: "notOpencode" }],
  ["an unhealthy word is no server", json({ healthy: false, version: "1" }), { kind: "notOpencode" }],
  ["a program without such a path is not OpenCode", json({ error: "no" }, 404), { kind: "notOpencode" }],
  ["a redirect is not OpenCode", nothing(302, { location: "/login" }), { kind: "notOpencode" }],
  ["a locked server is told as such", locked, { kind: "locked" }],
  ["a server that never answers is silent", never, { kind: "silent", reason: "does not answer" }],
  ["a server that hangs up is silent", (_, response) => void response.destroy(), { kind: "silent", reason: "ended the connection" }],
])("%s", async ([, answer, expected]) => {
  await using server = await fakeServer(answer);
  expect(await probe(server.origin, undefined, untouched, short)).toEqual(expected);
});

test("a 1.x server is known by its health, a 2.x server by its web page there and its own word", async () => {
  const one = await fakeOpencode({ "GET /global/health": { healthy: true, version: "1.18.33" } });
  const two = await fakeOpencode({ "GET /global/health": webPage, "GET /api/info": info });
  onTestFinished(async () => void (await Promise.all([one, two].map((server) => server[Symbol.asyncDispose]()))));
  expect(await probe(one.origin, login, untouched)).toMatchObject({ kind: "server", release: "1.18.33", client: { version: "v1", origin: one.origin } });
  expect(await probe(two.origin, login, untouched)).toMatchObject({ kind: "server", release: "2.0.1", client: { version: "v2", origin: two.origin } });
  expect(await serviceOf(two.origin, login, untouched)).toEqual({ kind: "ok", value: { release: "2.0.1", pid: 4711 } });
  expect(pathsOf(one)).toEqual(["GET /global/health"]);
  expect(one.requests[0]?.headers.authorization).toBe(`Basic ${btoa("opencode:secret")}`);
});

test("without a login no call carries one", async () => {
  const { client, server } = await classic();
  for (const [, call] of everyCall) await call(client);
  expect(server.requests.some(({ headers }) => "authorization" in headers)).toBe(false);
});

test("of a release that answers every call with a web page, nothing is a success", async () => {
  const { client, server } = await classic();
  for (const [name, call] of everyCall) expect([name, (await call(client)).kind]).toEqual([name, "noSuchCall"]);
  expect(calledOf(server).length).toBeGreaterThanOrEqual(everyCall.length);
});

test("of a 2.x server that answers every call with a web page, nothing is a success but that the first engine runs nothing", async () => {
  const { client, server } = await service();
  for (const [name, call] of everyCall) expect([name, (await call(client)).kind]).toEqual([name, name === "runs" ? "ok" : "noSuchCall"]);
  const known = ["GET /api/session?limit=1000", "GET /api/session/active", "POST /api/session/ses_a1/interrupt", "DELETE /api/session/ses_a1"];
  expect(new Set(calledOf(server))).toEqual(new Set(known));
});

test("what a release does not declare is never sent", async () => {
  const { client, server } = await classic({ "GET /doc": { paths: { "/session/{sessionID}/abort": { get: {} } } }, "POST /session/ses_a1/abort": true });
  for (const [name, call] of everyCall) expect([name, (await call(client)).kind]).toEqual([name, "noSuchCall"]);
  expect(calledOf(server)).toEqual([]);
});

test("asked many things at once, a server is asked once what it declares, and one who cancels takes nothing from the others", async () => {
  const { client, server } = await classic({ "GET /session/status": {}, "GET /permission": [] });
  const cancelling = new AbortController();
  const cancelled = client.runs("/srv/api", cancelling.signal);
  const others = Promise.all([client.runs("/srv/api", untouched), client.permissions("/srv/api", untouched)]);
  cancelling.abort(new Error("the window closed"));
  await expect(cancelled).rejects.toThrow("the window closed");
  expect((await others).map(({ kind }) => kind)).toEqual(["ok", "ok"]);
  await client.runs("/srv/api", untouched);
  expect(pathsOf(server).filter((path) => path === "GET /doc")).toHaveLength(1);
});

test("where it can't be known what is declared, every call tells that, and nothing is sent", async () => {
  const { client, server } = await classic({ "GET /doc": never }, short);
  for (const [name, call] of everyCall) expect([name, await call(client)]).toEqual([name, { kind: "timedOut" }]);
  expect(calledOf(server)).toEqual([]);
});

test("an abort that is not answered with true has failed", async () => {
  const { client } = await classic({ "POST /session/ses_a1/abort": false, "DELETE /session/ses_a1": json({ ok: true }), "POST /instance/dispose": "true" });
  expect((await client.abort("ses_a1", "/srv/api", untouched)).kind).toBe("failed");
  expect((await client.remove("ses_a1", undefined, untouched)).kind).toBe("failed");
  expect((await client.disposeDirectory("/srv/api", untouched)).kind).toBe("failed");
});

test("what is done is sent by its method, with its directory and its word", async () => {
  const done = nothing(204);
  const { client, server } = await classic({
    "POST /session/ses_a1/abort": true,
    "POST /api/session/ses_a1/interrupt": done,
    "DELETE /session/ses_a1": true,
    "POST /permission/per_b2/reply": true,
    "POST /api/session/ses_a1/permission/per_b2/reply": done,
    "POST /instance/dispose": true,
    "POST /global/dispose": true,
  });
  const acts = new Set(["abort", "interrupt", "remove", "reply", "replyActive", "disposeDirectory", "disposeServer"]);
  for (const [name, call] of everyCall) if (acts.has(name)) expect([name, await call(client)]).toEqual([name, { kind: "ok", value: true }]);
  expect(calledOf(server)).toEqual([
    "POST /session/ses_a1/abort?directory=%2Fsrv%2Fapi",
    "POST /api/session/ses_a1/interrupt",
    "DELETE /session/ses_a1?directory=%2Fsrv%2Fapi",
    "POST /permission/per_b2/reply?directory=%2Fsrv%2Fapi",
    "POST /api/session/ses_a1/permission/per_b2/reply",
    "POST /instance/dispose?directory=%2Fsrv%2Fapi",
    "POST /global/dispose",
  ]);
  expect(server.requests.map(({ body }) => body).filter((body) => body !== "")).toEqual(['{"reply":"once"}', '{"reply":"reject"}']);
});

test("a deleted session is not found, one that can't be asked for is not gone", async () => {
  const gone = json({ name: "NotFoundError", data: { message: "Session not found: ses_a1" } }, 404);
  const { client } = await classic({
    "GET /session/ses_a1": gone,
    "GET /session/ses_b2": json({ message: "not here" }, 404),
    "GET /session/ses_c3": session("ses_other", { id: 3 }),
  });
  expect(await client.read("ses_a1", undefined, untouched)).toEqual({ kind: "notFound" });
  expect((await client.read("ses_b2", undefined, untouched)).kind).toBe("failed");
  expect((await client.read("ses_c3", undefined, untouched)).kind).toBe("failed");
});

test("a session is found without its directory being opened, in the list where there is no call for one", async () => {
  const { client, server } = await classic({
    "GET /api/session/ses_a1": { data: session("ses_a1", { directory: undefined, location: { directory: "/srv/ö b" } }) },
  });
  expect(await client.findSession("ses_a1", untouched)).toMatchObject({ kind: "ok", value: { id: "ses_a1", directory: "/srv/ö b" } });
  expect(calledOf(server)).toEqual(["GET /api/session/ses_a1"]);

  const older = await classic({ "GET /doc": { paths: { "/experimental/session": { get: {} } } }, "GET /experimental/session": [session("ses_a1")] });
  expect(await older.client.findSession("ses_a1", untouched)).toMatchObject({ kind: "ok", value: { id: "ses_a1" } });
  expect(await older.client.findSession("ses_b2", untouched)).toEqual({ kind: "notFound" });
  expect(new Set(calledOf(older.server))).toEqual(new Set(["GET /experimental/session?archived=true&limit=1000"]));
});
