import { expect, test } from "vitest";
import type { Call } from "../../../../src/sources/opencode/request.ts";
import { request } from "../../../../src/sources/opencode/request.ts";
import type { Answering } from "../../../support/fakeServer.ts";
import { until } from "../../../real/support/until.ts";
import { fakeServer, json, locked, never, nothing, webPage } from "../../../support/fakeServer.ts";

const untouched = new AbortController().signal;
const look: Call = { method: "GET", path: "/session/status", success: 200, withinMs: 10_000 };
const login = { user: "opencode", password: "pässword:with:colons" };

async function kindOf(answer: Answering, call: Partial<Call> = {}) {
  await using server = await fakeServer(answer);
  const { kind } = await request({ origin: server.origin, login: undefined }, { ...look, ...call }, untouched);
  return kind;
}

test.for<readonly [string, Answering, Partial<Call>, string]>([
  ["the JSON that was expected is a success", json({}), {}, "ok"],
  ["a web page with 200 is no success", webPage, {}, "noSuchCall"],
  [
    "a web page with 404 is no word of OpenCode",
    (_, response) => void response.writeHead(404, { "content-type": "text/html" }).end("<h1>no</h1>"),
    {},
    "noSuchCall",
  ],
  ["a web page is no success where 204 is declared", webPage, { method: "POST", success: 204 }, "noSuchCall"],
  ["204 is a success where it is declared", nothing(204), { method: "POST", success: 204 }, "ok"],
  ["204 is no success where JSON is declared", nothing(204), {}, "failed"],
  ["JSON is no success where 204 is declared", json(true), { method: "POST", success: 204 }, "failed"],
  ["another 2xx is no success", json(true, 202), {}, "failed"],
  ["text is no success", (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("true"), {}, "failed"],
  ["an answer of no kind is no success", nothing(200), {}, "failed"],
  ["JSON that is cut off is no success", (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"a":'), {}, "failed"],
  ["401 says that it is locked", locked, {}, "locked"],
  ["500 has failed", json({ name: "UnknownError" }, 500), {}, "failed"],
  ["a 404 of OpenCode's first engine is not found", json({ name: "NotFoundError", data: { message: "Session not found" } }, 404), {}, "notFound"],
  ["a 404 of OpenCode's second engine is not found", json({ _tag: "SessionNotFoundError", sessionID: "ses_a", message: "no" }, 404), {}, "notFound"],
  ["a 404 of another program has failed", json({ error: "not found" }, 404), {}, "failed"],
  ["a 404 without a body has failed", nothing(404), {}, "failed"],
  ["OpenCode's not found with 200 is a success of the wrong kind, never not found", json({ name: "NotFoundError" }), {}, "ok"],
  ["a server that hangs up unasked is unreachable", (_, response) => void response.destroy(), {}, "unreachable"],
  [
    "a server that dies in the middle of its answer is unreachable",
    (_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"ses_a":', () => response.destroy());
    },
    {},
    "unreachable",
  ],
])("%s", async ([, answer, call, kind]) => {
  expect(await kindOf(answer, call)).toBe(kind);
});

test("a server that is not there is unreachable, and the reason says so", async () => {
  const server = await fakeServer(never);
  await server[Symbol.asyncDispose]();
  expect(await request({ origin: server.origin, login }, look, untouched)).toEqual({ kind: "unreachable", reason: "refuses the connection" });
});

test("a server that never answers is given up at the deadline, with its connection", async () => {
  await using server = await fakeServer(never);
  expect(await request({ origin: server.origin, login: undefined }, { ...look, withinMs: 100 }, untouched)).toEqual({ kind: "timedOut" });
  await until(async () => (await server.openConnections()) === 0);
});

test("the deadline covers an answer that drips for ever", async () => {
  let dripping: NodeJS.Timeout | undefined;
  await using server = await fakeServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    dripping = setInterval(() => response.write(" "), 5);
  });
  try {
    expect(await request({ origin: server.origin, login: undefined }, { ...look, withinMs: 150 }, untouched)).toEqual({ kind: "timedOut" });
    await until(async () => (await server.openConnections()) === 0);
  } finally {
    clearInterval(dripping);
  }
});

test("an answer that is too large is not read to its end", async () => {
  let sent = 0;
  const megabyte = Buffer.alloc(1024 * 1024, " ");
  await using server = await fakeServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const send = (): void => {
      if (response.destroyed || sent >= 200) return;
      sent++;
      response.write(megabyte, send);
    };
    send();
  });
  expect(await request({ origin: server.origin, login: undefined }, look, untouched)).toEqual({ kind: "failed", reason: "sent an answer that is too large" });
  expect(sent).toBeLessThan(100);
});

test("a wait that is cancelled throws the caller's own reason, before the call and within it", async () => {
  await using server = await fakeServer(never);
  const address = { origin: server.origin, login: undefined };
  const cancelling = new AbortController();
  const call = request(address, look, cancelling.signal);
  await until(() => server.requests.length === 1);
  cancelling.abort(new Error("the window closed"));
  await expect(call).rejects.toThrow("the window closed");
  await expect(request(address, look, cancelling.signal)).rejects.toThrow("the window closed");
  expect(server.requests).toHaveLength(1);
  await until(async () => (await server.openConnections()) === 0);
});

test.for([301, 302, 303, 307, 308])("a redirect (%i) is not followed, and the credential reaches no other server", async (status) => {
  await using elsewhere = await fakeServer(json({}));
  await using server = await fakeServer(nothing(status, { location: `${elsewhere.origin}/session/status` }));
  for (const method of ["GET", "POST", "DELETE"] as const) {
    const answer = await request({ origin: server.origin, login }, { ...look, method }, untouched);
    expect(answer).toEqual({ kind: "failed", reason: "sends elsewhere" });
  }
  expect(server.requests).toHaveLength(3);
  expect(elsewhere.connections()).toBe(0);
});

test("a credential goes in the header only, and only where a login is given", async () => {
  await using server = await fakeServer(json({}));
  await request({ origin: server.origin, login }, look, untouched);
  await request({ origin: server.origin, login: undefined }, look, untouched);
  const [first, second] = server.requests;
  expect(Buffer.from(first?.headers.authorization?.replace("Basic ", "") ?? "", "base64").toString("utf8")).toBe("opencode:pässword:with:colons");
  expect(first?.url).toBe("/session/status");
  expect(second?.headers.authorization).toBeUndefined();
});

test("every call has a connection of its own", async () => {
  await using server = await fakeServer((noted, response) => (noted.method === "POST" ? nothing(204) : json({}))(noted, response));
  const address = { origin: server.origin, login: undefined };
  for (let nth = 0; nth < 5; nth++) await request(address, look, untouched);
  await Promise.all([1, 2, 3].map(() => request(address, { ...look, method: "POST", body: { reply: "once" }, success: 204 }, untouched)));
  expect(server.requests).toHaveLength(8);
  expect(server.connections()).toBe(8);
});

test("what is sent arrives as JSON", async () => {
  await using server = await fakeServer(json(true));
  await request({ origin: server.origin, login: undefined }, { ...look, method: "POST", body: { reply: "once" } }, untouched);
  await request({ origin: server.origin, login: undefined }, { ...look, method: "POST" }, untouched);
  const [withBody, without] = server.requests;
  expect([withBody?.body, withBody?.headers["content-type"]]).toEqual(['{"reply":"once"}', "application/json"]);
  expect([without?.body, without?.headers["content-type"]]).toEqual(["", undefined]);
});
