import { expect, test } from "vitest";
import type { Answering } from "../../../support/fakeServer.ts";
import { json } from "../../../support/fakeServer.ts";
import { classic, service, session, untouched } from "./aClient.ts";

const many = (from: number, count: number) => Array.from({ length: count }, (_, nth) => session(`ses_${from + nth}`));
const wrapped = (id: string) => ({ id, location: { directory: "/srv/api" }, title: "migrate", time: { created: 1, updated: 2 } });

test.for<readonly [count: number, pages: number]>([
  [0, 1],
  [999, 1],
  [1_000, 2],
  [1_001, 2],
  [2_000, 3],
])("of %i sessions all are listed, once each, in %i pages", async ([count, pages]) => {
  const cursors: (string | null)[] = [];
  const page: Answering = (request, response) => {
    const cursor = new URL(request.url, "http://x").searchParams.get("cursor");
    cursors.push(cursor);
    const from = Number(cursor ?? 0);
    // A page begins with the last session of the one before.
    const rows = many(Math.max(0, from - 1), Math.min(1_000, count - Math.max(0, from - 1)));
    const next = Math.max(0, from - 1) + rows.length;
    json(rows, 200, { "x-next-cursor": String(next) })(request, response);
  };
  const { client } = await classic({ "GET /experimental/session": page });
  const answer = await client.sessions(untouched);
  expect(answer.kind === "ok" && answer.value.map(({ id }) => id)).toEqual(many(0, count).map(({ id }) => id));
  expect(cursors).toHaveLength(pages);
  expect(cursors[0]).toBeNull();
});

test("a server that goes on with the same page for ever has no list", async () => {
  const { client, server } = await classic({ "GET /experimental/session": json(many(0, 1_000), 200, { "x-next-cursor": "5" }) });
  expect(await client.sessions(untouched)).toEqual({ kind: "failed", reason: "sends the same sessions again and again" });
  expect(server.requests.length).toBeLessThan(6);
});

test("a list of which a page fails is no list", async () => {
  const page: Answering = (request, response) =>
    (request.url.includes("cursor") ? json({}, 500) : json(many(0, 1_000), 200, { "x-next-cursor": "5" }))(request, response);
  const { client } = await classic({ "GET /experimental/session": page });
  expect(await client.sessions(untouched)).toEqual({ kind: "failed", reason: "answered 500" });
});

test("a 2.x server's sessions are paged by its own cursor", async () => {
  const rows = Array.from({ length: 1_001 }, (_, nth) => wrapped(`ses_${nth}`));
  const page: Answering = (request, response) => {
    const isSecond = new URL(request.url, "http://x").searchParams.get("cursor") === "b/2=";
    json({ data: isSecond ? rows.slice(1_000) : rows.slice(0, 1_000), cursor: { next: isSecond ? "c" : "b/2=" } })(request, response);
  };
  const { client } = await service({ "GET /api/session": page });
  const answer = await client.sessions(untouched);
  expect(answer.kind === "ok" && answer.value.length).toBe(1_001);
  expect(await client.findSession("ses_1000", untouched)).toMatchObject({ kind: "ok", value: { directory: "/srv/api" } });
  expect(await client.read("ses_gone", undefined, untouched)).toEqual({ kind: "notFound" });
});
