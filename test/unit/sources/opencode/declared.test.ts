import { expect, test } from "vitest";
import { callKey, declaredCalls, isDeclaredNow } from "../../../../src/sources/opencode/declared.ts";
import type { Answering } from "../../../support/fakeServer.ts";
import { fakeOpencode, fakeServer, json, locked } from "../../../support/fakeServer.ts";

const untouched = new AbortController().signal;

test("what a release declares is read once for each origin and release", async () => {
  await using one = await fakeOpencode();
  await using other = await fakeOpencode();
  const ask = (origin: string, release: string) => declaredCalls({ origin, login: undefined }, release, 5_000, untouched);
  const first = await ask(one.origin, "1.18.33-once");
  expect(first.kind === "ok" && first.value.has("POST /session/{}/abort")).toBe(true);
  expect(first.kind === "ok" && first.value.has("GET /session/{}/abort")).toBe(false);
  await ask(one.origin, "1.18.33-once");
  expect(one.requests).toHaveLength(1);
  await ask(one.origin, "1.18.34-once");
  await ask(other.origin, "1.18.33-once");
  expect([one.requests.length, other.requests.length]).toEqual([2, 1]);
});

test("a failure to say so is told, and not remembered", async () => {
  let isWell = false;
  await using server = await fakeOpencode({
    "GET /doc": (...call: Parameters<Answering>) => (isWell ? json({ paths: { "/path": { get: {} } } }) : locked)(...call),
  });
  const ask = () => declaredCalls({ origin: server.origin, login: undefined }, "1.18.33-sick", 5_000, untouched);
  expect(await ask()).toEqual({ kind: "locked" });
  isWell = true;
  expect(await ask()).toEqual({ kind: "ok", value: new Set(["GET /path"]) });
});

test.for<readonly [string, unknown]>([
  ["an array", []],
  ["no paths", { openapi: "3.1.0" }],
  ["paths that are none", { paths: "all" }],
])("%s declares nothing, and has failed", async ([, answer]) => {
  await using server = await fakeServer(json(answer));
  expect(await declaredCalls({ origin: server.origin, login: undefined }, "1.18.33-odd", 5_000, untouched)).toMatchObject({ kind: "failed" });
});

test("a path whose declaration can't be read is not declared, the others are", async () => {
  await using server = await fakeServer(json({ paths: { "/path": null, "/permission": { get: {} } } }));
  const calls = await declaredCalls({ origin: server.origin, login: undefined }, "1.18.33-half", 5_000, untouched);
  expect(calls).toEqual({ kind: "ok", value: new Set(["GET /permission"]) });
});

test("releases that name a parameter otherwise declare the same call", () => {
  expect(callKey("post", "/session/{id}/abort")).toBe(callKey("POST", "/session/{sessionID}/abort"));
});

test("a server that has changed meanwhile is asked what it declares now", async () => {
  let version = "1.18.33-before";
  let paths: unknown = { "/global/event": { get: {} } };
  await using server = await fakeOpencode({
    "GET /global/health": (...call: Parameters<Answering>) => json({ healthy: true, version })(...call),
    "GET /doc": (...call: Parameters<Answering>) => json({ paths })(...call),
  });
  const ask = () => isDeclaredNow({ origin: server.origin, login: undefined }, "GET", "/global/event", 5_000, untouched);
  expect(await ask()).toBe(true);
  version = "1.19.0-after";
  paths = {};
  expect(await ask()).toBe(false);
});
