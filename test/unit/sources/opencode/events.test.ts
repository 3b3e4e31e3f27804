import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { Paces } from "../../../../src/sources/opencode/events.ts";
import { followEvents } from "../../../../src/sources/opencode/events.ts";
import { stays, until } from "../../../real/support/until.ts";
import type { FakeServer } from "../../../support/fakeServer.ts";
import { fakeOpencode, json, locked, never, nothing, webPage } from "../../../support/fakeServer.ts";

const quick: Paces = { silenceMs: 20_000, firstBackOffMs: 20, longestBackOffMs: 80 };
const login = { user: "opencode", password: "secret" };
const frame = (type: string, properties: object = {}) => `data: ${JSON.stringify({ directory: "/srv/ö b", payload: { type, properties } })}\n\n`;
const connected = `data: ${JSON.stringify({ payload: { type: "server.connected", properties: {} } })}\n\n`;

/** A server whose streams the test writes, one for each connection; it starts each by saying that it is connected. */
async function streaming(first = connected): Promise<{ server: FakeServer; streams: ServerResponse[] }> {
  const streams: ServerResponse[] = [];
  const stream = (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    if (first !== "") response.write(first);
    streams.push(response);
  };
  const server = await fakeOpencode({ "GET /global/event": stream, "GET /api/event": stream });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, streams };
}

/** What was told, in order: "open", "closed", or an event. */
function following(server: FakeServer, paces = quick, version: "v1" | "v2" = "v1"): { told: unknown[]; over: Disposable } {
  const told: unknown[] = [];
  const over = followEvents(
    { origin: server.origin, version, login },
    { onOpen: () => told.push("open"), onEvent: (event) => told.push(event), onClosed: () => told.push("closed") },
    paces,
  );
  onTestFinished(() => over[Symbol.dispose]());
  return { told, over };
}

const asked = (server: FakeServer, path: string) => server.requests.filter(({ url }) => url === path).length;

test("an event tells its type, directory and session, however it is cut and whatever is between", async () => {
  const { server, streams } = await streaming();
  const { told } = following(server);
  const stream = await until(() => streams[0]);
  await until(() => told.length === 1);
  stream.write(
    `: heartbeat\n\n${frame("server.heartbeat")}data: {garbage\n\ndata: []\n\nevent: x\nid: 4\n${frame("session.created", { sessionID: "ses_a1" })}`,
  );
  const cutInTwo = Buffer.from(frame("session.status", { sessionID: "ses_a1", status: { type: "busy" } }));
  const withinTheUmlaut = cutInTwo.indexOf("ö") + 1;
  stream.write(Buffer.concat([Buffer.from(frame("session.updated")), cutInTwo.subarray(0, withinTheUmlaut)]));
  await until(() => told.length === 3);
  stream.write(cutInTwo.subarray(withinTheUmlaut));
  stream.write(frame("sync").replaceAll("\n", "\r\n") + frame("session.deleted", { sessionID: "ses_b2" }).replaceAll("\n", "\r\n"));
  await until(() => told.length >= 5);
  expect(told).toEqual([
    "open",
    { type: "session.created", directory: "/srv/ö b", sessionId: "ses_a1" },
    { type: "session.updated", directory: "/srv/ö b", sessionId: undefined },
    { type: "session.status", directory: "/srv/ö b", sessionId: "ses_a1" },
    { type: "session.deleted", directory: "/srv/ö b", sessionId: "ses_b2" },
  ]);
  expect(server.requests.map(({ url }) => url)).toEqual(["/global/health", "/doc", "/global/event"]);
});

test("a stream that ends is told, and followed again with a new look", async () => {
  const { server, streams } = await streaming();
  const { told } = following(server);
  (await until(() => streams[0])).end();
  (await until(() => streams[1])).destroy();
  (await until(() => streams[2])).write(frame("session.idle", { sessionID: "ses_a1" }));
  await until(() => told.length >= 6);
  expect(told).toEqual(["open", "closed", "open", "closed", "open", { type: "session.idle", directory: "/srv/ö b", sessionId: "ses_a1" }]);
});

test("a stream that falls silent is lost; a heartbeat keeps it", async () => {
  const { server, streams } = await streaming();
  const { told } = following(server, { ...quick, silenceMs: 1_000 });
  const first = await until(() => streams[0]);
  const beating = setInterval(() => first.write(": heartbeat\n\n"), 50);
  onTestFinished(() => clearInterval(beating));
  expect(await stays(() => streams.length === 1 && !told.includes("closed"), 2_500)).toBe(true);
  clearInterval(beating);
  await until(() => told.length >= 3);
  expect(told).toEqual(["open", "closed", "open"]);
  await until(() => first.destroyed);
});

test("a stream is open once a byte has come, and not before", async () => {
  const { server, streams } = await streaming("");
  const { told } = following(server);
  const stream = await until(() => streams[0]);
  expect(await stays(() => told.length === 0, 200)).toBe(true);
  stream.write(connected);
  await until(() => told.length === 1);
  expect(told).toEqual(["open"]);
});

test.for<readonly [string, unknown]>([
  ["a web page", webPage],
  ["JSON", json({})],
  ["a redirect", nothing(302, { location: "/elsewhere" })],
  ["a lock", locked],
  ["no answer at all", never],
  ["a failure", (_: unknown, response: ServerResponse) => response.writeHead(500, { "content-type": "text/event-stream" }).end(connected)],
])("%s is no stream: nothing is told, and it is tried again", async ([, answer]) => {
  const server = await fakeOpencode({ "GET /global/event": answer });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { told } = following(server, { ...quick, silenceMs: 300 });
  await until(() => asked(server, "/global/event") >= 3);
  expect(told).toEqual([]);
});

test("a stream that the release does not declare is never asked for", async () => {
  const server = await fakeOpencode({ "GET /doc": { paths: { "/event": { get: {} } } } });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { told } = following(server);
  await until(() => asked(server, "/global/health") >= 3);
  expect([asked(server, "/global/event"), told]).toEqual([0, []]);
});

test("a server that is not there yet is followed once it is", async () => {
  let isThere = false;
  const server = await fakeOpencode({
    "GET /global/event": (_: unknown, response: ServerResponse) =>
      isThere ? response.writeHead(200, { "content-type": "text/event-stream" }).write(connected) : response.destroy(),
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { told } = following(server);
  await until(() => asked(server, "/global/event") >= 2);
  expect(told).toEqual([]);
  isThere = true;
  await until(() => told.length > 0);
  expect(told).toEqual(["open"]);
});

test("a silent stream is closed as soon as it is disposed", async () => {
  const { server, streams } = await streaming();
  const { told, over } = following(server);
  await until(() => streams.length === 1 && told.length === 1);
  over[Symbol.dispose]();
  await until(async () => (await server.openConnections()) === 0, 10_000);
  expect(told).toEqual(["open"]);
});

test("once disposed its connection is closed, nothing more is told and nothing more is tried", async () => {
  const { server, streams } = await streaming();
  const { told, over } = following(server);
  const stream = await until(() => streams[0]);
  await until(() => told.length === 1);
  stream.write(frame("session.idle", { sessionID: "ses_a1" }));
  over[Symbol.dispose]();
  const before = [...told];
  await until(async () => (await server.openConnections()) === 0);
  expect(await stays(() => streams.length === 1 && told.length === before.length, 300)).toBe(true);
});

test("disposed while it waits to try again, it does not", async () => {
  const server = await fakeOpencode({ "GET /global/health": locked });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { over } = following(server, { ...quick, firstBackOffMs: 150 });
  await until(() => server.requests.length === 1);
  over[Symbol.dispose]();
  expect(await stays(() => server.requests.length === 1, 500)).toBe(true);
});

test("losses in a row are tried less and less often", async () => {
  const { server, streams } = await streaming();
  let previous = performance.now();
  const gaps: number[] = [];
  following(server, { silenceMs: 20_000, firstBackOffMs: 40, longestBackOffMs: 100_000 });
  for (let nth = 0; nth < 6; nth++) {
    const stream = await until(() => streams[nth]);
    gaps.push(performance.now() - previous);
    previous = performance.now();
    stream.end();
  }
  // The waits are 40…80, 80…160, … 640…1,280 ms; a slow machine only makes them longer.
  expect(gaps[5]).toBeGreaterThan(640);
});

test("a 2.x server is followed by its own stream, with its own shape", async () => {
  const { server, streams } = await streaming(`data: ${JSON.stringify({ type: "server.connected", data: {} })}\n\n`);
  const { told } = following(server, quick, "v2");
  const event = { id: "evt_1", type: "session.created", location: { directory: "/srv/api" }, data: { sessionID: "ses_a1" } };
  (await until(() => streams[0])).write(`data: ${JSON.stringify(event)}\n\n`);
  await until(() => told.length >= 2);
  expect(told).toEqual(["open", { type: "session.created", directory: "/srv/api", sessionId: "ses_a1" }]);
  expect(server.requests.map(({ url }) => url)).toEqual(["/api/event"]);
});
