import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Login } from "../../../../src/sources/opencode/client.ts";
import type { OpencodeProcess } from "../../../../src/sources/opencode/processes.ts";
import { originIn } from "../../../../src/sources/opencode/origin.ts";
import { openServerFinder } from "../../../../src/sources/opencode/servers.ts";
import type { Passwords } from "../../../../src/sources/opencode/servers.ts";
import { censusOf, now } from "../../../support/facets.ts";
import { fakeServer } from "../../../support/fakeServer.ts";
import { aFolder } from "../../../support/folder.ts";
import { anOpencode, portOf } from "../../../support/opencodes.ts";
import { json, never, nothing, playOpencode, webPage } from "../../../support/playedOpencode.ts";

const { signal } = new AbortController();
const login: Login = { user: "opencode", password: "secret" };
let state: Awaited<ReturnType<typeof aFolder>>;

beforeEach(async () => {
  state = await aFolder();
  vi.stubEnv("XDG_STATE_HOME", state.path);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await state[Symbol.asyncDispose]();
});

function keptFor(origin: string, isMeant = false): Passwords {
  return { of: async (asked) => (asked === origin ? login : undefined), isMeantFor: (asked) => isMeant && asked === origin };
}
const nobodys: Passwords = { of: async () => undefined, isMeantFor: () => false };

/** Of these origins alone: whatever listens on the usual port of this machine is found too. */
async function look(find: ReturnType<typeof openServerFinder>, processes: readonly OpencodeProcess[], origins: readonly string[], at = now) {
  const { servers, unreachable } = await find(processes, { ...censusOf(), at }, signal);
  return {
    servers: servers.filter(({ origin }) => origins.includes(origin)),
    unreachable: unreachable.filter(({ place }) => origins.includes(place)),
  };
}

function listening(origin: string, over: Parameters<typeof anOpencode>[1] = {}): OpencodeProcess {
  return anOpencode(77, { ports: [portOf(origin)], startedAt: now - 1_000, database: "/data/opencode.db", ...over });
}

test("a server is found by its process, which tells who it is, since when it runs and which database it has", async () => {
  await using server = await playOpencode();
  const process = listening(server.origin);
  const { servers, unreachable } = await look(openServerFinder([], nobodys), [process], [server.origin]);
  expect(servers).toMatchObject([
    { origin: server.origin, process: process.entry.identity, role: "server", startedAt: now - 1_000, database: "/data/opencode.db", login: undefined },
  ]);
  expect(unreachable).toEqual([]);
});

test("a server that a person names is found without a process, by any spelling of the loopback, and is one", async () => {
  await using server = await playOpencode();
  const told = [server.origin, `${server.origin}/`, server.origin.replace("127.0.0.1", "localhost"), server.origin.replace("http://", "")];
  const { servers } = await look(openServerFinder(told, nobodys), [], [server.origin, server.origin.replace("127.0.0.1", "localhost")]);
  expect(servers).toMatchObject([{ origin: server.origin, process: undefined, startedAt: undefined }]);
  const both = await look(openServerFinder(told, nobodys), [listening(server.origin)], [server.origin]);
  expect(both.servers).toMatchObject([{ origin: server.origin, database: "/data/opencode.db" }]);
  expect(server.requests.map(({ url }) => url)).toEqual(["/global/health", "/global/health"]);
});

test.each([
  ["127.0.0.1:4096", "http://127.0.0.1:4096"],
  ["localhost:4096/session", "http://127.0.0.1:4096"],
  ["https://build.example:8443/x?y", "https://build.example:8443"],
  ["http://someone:word@127.0.0.1:4096", "http://127.0.0.1:4096"],
  ["http://0.0.0.0:4096", "http://127.0.0.1:4096"],
  ["ftp://127.0.0.1:4096", undefined],
  ["file:///etc/passwd", undefined],
  ["nonsense nonsense", undefined],
  ["", undefined],
])("as an address: %s", (told, origin) => {
  expect(originIn(told)).toBe(origin);
});

test.each([
  ["a web page", webPage, "is not OpenCode"],
  ["a password", nothing(401, { "www-authenticate": 'Basic realm="Secure Area"' }), "is locked by a password"],
  ["true", json(true), "is not OpenCode"],
  ["nothing, for ever", never, "does not answer"],
])("a server that a person names and that answers with %s is said to be so", async (_what, answer, reason) => {
  await using server = await fakeServer(answer);
  const { servers, unreachable } = await look(openServerFinder([server.origin], nobodys), [], [server.origin]);
  expect([servers, unreachable]).toEqual([[], [expect.objectContaining({ place: server.origin, reason })]]);
});

test("a window of OpenCode's that listens for something else is no word", async () => {
  await using server = await fakeServer(webPage);
  expect(await look(openServerFinder([], nobodys), [listening(server.origin, { role: "agent" })], [server.origin])).toEqual({ servers: [], unreachable: [] });
});

test("a kept password opens a server of ours that needs it, and one that needs none is sent none", async () => {
  await using locked = await playOpencode("/app", { password: "secret" });
  const { servers } = await look(openServerFinder([], keptFor(locked.origin)), [listening(locked.origin)], [locked.origin]);
  expect(servers).toMatchObject([{ origin: locked.origin, login }]);
  expect(locked.credentials()).toEqual([`Basic ${btoa("opencode:secret")}`]);

  await using open = await playOpencode();
  const found = await look(openServerFinder([], keptFor(open.origin)), [listening(open.origin)], [open.origin]);
  expect([found.servers.map((server) => server.login), open.credentials()]).toEqual([[undefined], []]);
});

test("a kept password is sent to no listener of this machine that is not recognised as ours, though a person named its address", async () => {
  await using stranger = await playOpencode("/app", { password: "secret" });
  const find = openServerFinder([stranger.origin], keptFor(stranger.origin));
  const { servers, unreachable } = await look(find, [anOpencode(77, { ports: [{ host: "127.0.0.1", port: 1 }] })], [stranger.origin]);
  expect([servers, unreachable]).toEqual([[], [expect.objectContaining({ reason: "is locked by a password", remedy: "enterPassword" })]]);
  expect(stranger.credentials()).toEqual([]);
});

test("a password that was given together with the address is sent there, and nowhere else", async () => {
  await using named = await playOpencode("/app", { password: "secret" });
  await using other = await playOpencode("/app", { password: "secret" });
  const { servers } = await look(openServerFinder([named.origin, other.origin], keptFor(named.origin, true)), [], [named.origin, other.origin]);
  expect(servers.map(({ origin }) => origin)).toEqual([named.origin]);
  expect(other.credentials()).toEqual([]);
});

test("a password that is wrong is said to be, and the right one opens it at the next look", async () => {
  await using locked = await playOpencode("/app", { password: "right" });
  let kept: Login = { user: "opencode", password: "wrong" };
  const find = openServerFinder([], { of: async (origin) => (origin === locked.origin ? kept : undefined), isMeantFor: () => false });
  const process = listening(locked.origin);
  const { unreachable } = await look(find, [process], [locked.origin]);
  expect(unreachable).toMatchObject([{ reason: "does not take the password that is kept for it", remedy: "enterPassword" }]);
  kept = { user: "opencode", password: "right" };
  expect((await look(find, [process], [locked.origin])).servers).toHaveLength(1);
});

test("who is behind an address is asked once for a process, however often it is looked at; another process on it is asked anew", async () => {
  await using server = await playOpencode();
  const find = openServerFinder([], nobodys);
  for (let nth = 0; nth < 3; nth++) await look(find, [listening(server.origin)], [server.origin], now + nth * 100_000);
  expect(server.requests).toHaveLength(1);
  await look(find, [anOpencode(78, { ports: [portOf(server.origin)] })], [server.origin], now + 400_000);
  expect(server.requests).toHaveLength(2);
});

test("without a process it is asked again after a while, since anybody may sit there by then", async () => {
  await using server = await playOpencode();
  const find = openServerFinder([server.origin], nobodys);
  for (const after of [0, 1_000, 29_000]) await look(find, [], [server.origin], now + after);
  expect(server.requests).toHaveLength(1);
  await look(find, [], [server.origin], now + 31_000);
  expect(server.requests).toHaveLength(2);
});

test("a server that was about to begin is found at the next look", async () => {
  let answer = never;
  await using server = await fakeServer((request, response) => answer(request, response));
  const find = openServerFinder([], nobodys);
  expect((await look(find, [listening(server.origin)], [server.origin])).unreachable).toMatchObject([{ reason: "does not answer" }]);
  answer = json({ healthy: true, version: "1.18.33" });
  expect((await look(find, [listening(server.origin)], [server.origin])).servers).toHaveLength(1);
});

test("the service that registered itself is asked where its process listens, once, with its own password", async () => {
  await using server = await fakeServer((request, response) =>
    request.url === "/api/info" && request.headers.authorization === `Basic ${btoa("opencode:of its own")}`
      ? json({ version: "2.0.0", pid: 77 })(request, response)
      : request.headers.authorization === undefined
        ? nothing(401)(request, response)
        : webPage(request, response),
  );
  await mkdir(join(state.path, "opencode"));
  const registered = { url: server.origin.replace("127.0.0.1", "localhost"), pid: 77, password: "of its own" };
  await writeFile(join(state.path, "opencode", "service.json"), JSON.stringify(registered), { mode: 0o600 });
  const { servers } = await look(openServerFinder([], nobodys), [listening(server.origin)], [server.origin, registered.url]);
  expect(servers).toMatchObject([{ origin: server.origin, client: { version: "v2" } }]);
});

test("a service that says to be another process than the one that listens is not believed", async () => {
  await using server = await fakeServer((request, response) =>
    (request.url === "/api/info" ? json({ version: "2.0.0", pid: 78 }) : webPage)(request, response),
  );
  const { servers } = await look(openServerFinder([], nobodys), [listening(server.origin)], [server.origin]);
  expect(servers).toEqual([]);
});
