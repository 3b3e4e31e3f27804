import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { fakeServer } from "../../support/fakeServer.ts";
import type { Answering, FakeServer } from "../../support/fakeServer.ts";
import { json, never, nothing, playOpencode, webPage } from "../../support/playedOpencode.ts";
import type { PlayedOpencode } from "../../support/playedOpencode.ts";
import { openStage } from "../../support/stage.ts";
import type { Stage } from "../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());
afterEach(() => settings([]));

const id = "ses_abc";
const password = "only for one";

function settings(servers: readonly string[]): void {
  mkdirSync(stage.stateFolder, { recursive: true });
  const tracking = { "tracking.env": join(stage.folder, "sessions.env"), "tracking.details": join(stage.folder, "sessions.json") };
  writeFileSync(join(stage.stateFolder, "settings.json"), JSON.stringify({ "opencode.servers": servers, ...tracking }));
}

/** Takes it off the lists only if it is proved gone. */
function track(): string {
  const file = join(stage.folder, "tracked.env");
  writeFileSync(file, `NIGHTLY=${id}\n`);
  return file;
}

const dies: Answering = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('[{"id":');
  response.destroy();
};
const hangsUp: Answering = (_, response) => void response.destroy();
const lies: readonly [string, Answering][] = [
  ["answers everything with a web page and 200", webPage],
  ["never answers", never],
  ["is locked", nothing(401, { "www-authenticate": 'Basic realm="Secure Area"' })],
  ["hangs up", hangsUp],
  ["dies in the middle of an answer", dies],
  ["answers everything with true", json(true)],
  ["answers everything with an empty list", json([])],
  ["answers everything with 204", nothing(204)],
];

test.each(lies)("a server that %s: no session, no success, and nothing is asked but who it is", async (_what, answer) => {
  await using server = await fakeServer(answer);
  const at = ["--server-url", server.origin];
  const listed = await stage.warden(["list", "--json", ...at]);
  // Of this server alone: others of the machine's are listed too, as they should be.
  expect([listed.code, listed.stdout.includes(`"url": "${server.origin}"`), listed.stdout.includes(id)]).toEqual([0, false, false]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ unreachable: expect.arrayContaining([expect.objectContaining({ place: server.origin })]) });
  expect((await stage.warden(["stop", `opencode:${id}`, ...at])).code).toBe(1);
  const cleaned = await stage.warden(["cleanup", id, "--json", "--tracking-env", track(), ...at]);
  expect([cleaned.code, cleaned.json()]).toEqual([
    1,
    expect.objectContaining({ status: "partial", termination_method: "failed", verification_result: "session_may_still_exist" }),
  ]);
  expect(new Set(server.requests.map(({ method, url }) => `${method} ${url}`)).difference(new Set(["GET /global/health", "GET /api/info"]))).toEqual(new Set());
  expect(server.requests.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
});

test("a server that sends elsewhere is not followed there, and what it was given does not go there either", async () => {
  await using other = await fakeServer(json(true));
  for (const status of [301, 302, 307, 308]) {
    await using server = await playOpencode("/app", { password });
    const elsewhere = (_: unknown, response: Parameters<Answering>[1]): void =>
      void response.writeHead(status, { location: `${other.origin}/session/${id}` }).end();
    server.sessions.set(id, { directory: "/app" });
    for (const call of ["DELETE /session/{}", "GET /session/{}", "POST /session/{}/abort"]) server.instead.set(call, elsewhere);
    const cleaned = await stage.warden(["cleanup", id, "--json", "--server-url", server.origin], { OPENCODE_SERVER_PASSWORD: password });
    expect([cleaned.code, cleaned.json().verification_result]).toEqual([1, "session_may_still_exist"]);
    expect(server.credentials().length).toBeGreaterThan(0);
  }
  expect(other.requests).toEqual([]);
});

test("a server that dies while it is asked has not said that anything is gone", async () => {
  for (const call of ["GET /experimental/session", "GET /session/status", "DELETE /session/{}", "GET /session/{}", "GET /api/session/active"]) {
    await using server = await playOpencode();
    server.sessions.set(id, { directory: "/app" });
    server.instead.set(call, dies);
    const cleaned = await stage.warden(["cleanup", id, "--json", "--server-url", server.origin]);
    expect([call, cleaned.code, cleaned.json().verification_result]).toEqual([call, 1, "session_may_still_exist"]);
    expect(server.undeclared()).toEqual([]);
  }
});

test("a server that says that it has aborted and goes on: no success, not deleted, and it stays on the lists", async () => {
  await using server = await playOpencode();
  atWork(server);
  server.instead.set("POST /session/{}/abort", json(true));
  const at = ["--server-url", server.origin];
  expect((await rowOf(id, at))?.status).toBe("working");
  const stopped = await stage.warden(["stop", `opencode:${id}`, "--yes", "--json", ...at]);
  expect([stopped.code, stopped.json().status, stopped.json().verification_result]).toEqual([1, "partial", "session_may_still_exist"]);
  expect(stopped.json().survivors).toEqual([expect.objectContaining({ pid: null })]);

  const cleaned = await stage.warden(["cleanup", id, "--json", ...at]);
  expect([cleaned.code, cleaned.json().termination_method, cleaned.json().verification_result]).toEqual([1, "failed", "session_may_still_exist"]);
  expect(server.calls("DELETE")).toEqual([]);
  expect(server.sessions.has(id)).toBe(true);
  expect(server.undeclared()).toEqual([]);
});

test("a server that says that it has deleted and lists it still: no success", async () => {
  await using server = await playOpencode();
  server.sessions.set(id, { directory: "/app" });
  server.instead.set("DELETE /session/{}", json(true));
  const cleaned = await stage.warden(["cleanup", id, "--server-url", server.origin]);
  expect([cleaned.code, cleaned.stdout]).toEqual([1, ""]);
  expect(cleaned.stderr).toContain(`${server.origin} still has it`);
});

test("an abort that is lost is asked for again, and a stop ends both engines' turns and those of its sub-agents", async () => {
  await using server = await playOpencode();
  atWork(server);
  server.sessions.set("ses_child", { directory: "/app", parentID: id });
  server.busy.set("ses_child", "/app");
  server.active.add(id);
  server.aborts.lost = 1;
  const stopped = await stage.warden(["stop", `opencode:${id}`, "--yes", "--json", "--server-url", server.origin]);
  expect([stopped.code, stopped.json().status, [...server.busy.keys()], [...server.active]]).toEqual([0, "success", [], []]);
  expect(server.sessions.has(id)).toBe(true);
  expect(server.undeclared()).toEqual([]);
});

test("a force that reaches others names them and asks for --yes first, and goes no farther than it was told", async () => {
  await using server = await playOpencode();
  atWork(server);
  server.sessions.set("ses_beside", { directory: "/app", title: "beside it" });
  server.busy.set("ses_beside", "/app").set("ses_far", "/far");
  server.instead.set("POST /session/{}/abort", json(true));
  const force = ["terminate", `opencode:${id}`, "--reach", "directory", "--json", "--server-url", server.origin];
  const asked = await stage.warden(force);
  expect([asked.code, asked.json().message.includes("“beside it” too"), server.calls("POST")]).toEqual([3, true, []]);
  const forced = await stage.warden([...force, "--yes"]);
  expect([forced.code, forced.json().termination_method, [...server.busy.keys()]]).toEqual([0, "forced", ["ses_far"]]);
  expect(server.calls("POST /global")).toEqual([]);
  expect(server.undeclared()).toEqual([]);
});

test("sub-agents stand below their root in the list, and only roots are counted", async () => {
  await using server = await playOpencode();
  atWork(server);
  server.sessions.set("ses_child", { directory: "/app", title: "docs", parentID: id });
  server.busy.set("ses_child", "/app");
  const { stdout } = await stage.warden(["list", "--server-url", server.origin]);
  const lines = stdout.split("\n");
  const at = lines.findIndex((line) => line.includes(`opencode:${id}`));
  expect([lines[at]?.startsWith("  nightly"), lines[at + 1]?.startsWith("    docs")]).toEqual([true, true]);
});

test("the password of the environment goes to --server-url's origin, and to no other", async () => {
  await using named = await playOpencode("/app", { password });
  await using another = await playOpencode("/app", { password });
  await using open = await playOpencode("/app");
  for (const server of [named, another, open]) server.sessions.set(id, { directory: "/app", title: "nightly" });
  settings([another.origin, open.origin]);
  const secret = { OPENCODE_SERVER_PASSWORD: password };
  const listed = JSON.parse((await stage.warden(["list", "--json", "--server-url", named.origin], secret)).stdout) as {
    unreachable: readonly { place: string; reason: string }[];
  };
  expect(listed.unreachable).toContainEqual(expect.objectContaining({ place: another.origin, reason: "is locked by a password" }));
  expect(listed.unreachable.map(({ place }) => place)).not.toContain(named.origin);
  expect(new Set(named.credentials())).toEqual(new Set([`Basic ${btoa(`opencode:${password}`)}`]));
  expect([another.credentials(), open.credentials()]).toEqual([[], []]);

  const without = await playOpencode("/app", { password });
  settings([without.origin]);
  await stage.warden(["list", "--json"], secret);
  expect(without.credentials()).toEqual([]);
  await without[Symbol.asyncDispose]();
});

test("a server that needs no password is sent none, though it was named with one", async () => {
  await using server = await playOpencode();
  await stage.warden(["list", "--server-url", server.origin], { OPENCODE_SERVER_PASSWORD: password });
  expect([server.requests.length > 0, server.credentials()]).toEqual([true, []]);
});

test("what listens under another user's name is sent no credential", async () => {
  const settled = await listenAsAnother();
  settings([settled.origin]);
  const listed = await stage.warden(["list"], { OPENCODE_SERVER_PASSWORD: password });
  expect(listed.stdout).toContain(`! ${settled.origin}: is locked by a password`);
  expect((await stage.warden(["cleanup", id], { OPENCODE_SERVER_PASSWORD: password })).code).toBe(1);
  expect(await settled.close()).toEqual({ requests: expect.any(Number) as number, credentials: [] });
});

test("localhost and 127.0.0.1 are one server, which is asked once", async () => {
  await using server = await playOpencode();
  server.sessions.set(id, { directory: "/app", title: "nightly" });
  settings([server.origin.replace("127.0.0.1", "localhost"), server.origin, `${server.origin}/`, server.origin.replace("http://", "")]);
  const rows = await stage.warden(["list", "--json", "--server-url", server.origin.replace("127.0.0.1", "localhost")]);
  expect(rows.json().sessions.filter(({ key }) => key === `opencode:${id}`)).toHaveLength(1);
  expect(server.calls("GET /experimental/session")).toHaveLength(1);
});

function atWork(server: PlayedOpencode): void {
  server.sessions.set(id, { directory: "/app", title: "nightly" });
  server.busy.set(id, "/app");
}

async function rowOf(session: string, at: readonly string[]) {
  return (await stage.warden(["list", "--json", ...at])).json().sessions.find(({ key }) => key === `opencode:${session}`);
}

/** A locked server of nobody's, where that can be had; else of a program that is not OpenCode. It listens only once it is no longer ours. */
async function listenAsAnother(): Promise<Pick<FakeServer, "origin"> & { readonly close: () => Promise<unknown> }> {
  const script = `
    const { createServer } = require("node:http");
    const seen = { requests: 0, credentials: [] };
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
    const server = createServer((request, response) => {
      seen.requests++;
      if (request.headers.authorization) seen.credentials.push(request.headers.authorization);
      response.writeHead(401, { "www-authenticate": 'Basic realm="Secure Area"' }).end();
    });
    server.listen(0, "127.0.0.1", () => process.send(server.address().port));
    process.on("message", () => process.send(seen, () => process.exit()));
    process.on("disconnect", () => process.exit());`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [port] = (await once(child, "message")) as [number];
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      const told = once(child, "message");
      child.send("enough");
      const [seen] = (await told) as [unknown];
      await once(child, "exit");
      return seen;
    },
  };
}
