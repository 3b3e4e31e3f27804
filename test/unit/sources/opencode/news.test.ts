import { expect, test } from "vitest";
import type { Client } from "../../../../src/sources/opencode/client.ts";
import type { Followed, Listener } from "../../../../src/sources/opencode/events.ts";
import { openNews } from "../../../../src/sources/opencode/news.ts";
import type { Server } from "../../../../src/sources/opencode/servers.ts";
import { pid } from "../../../support/facets.ts";

function aServer(over: Partial<Server> = {}): Server {
  const origin = "http://127.0.0.1:4096";
  const client = { origin, version: "v1" } as Client;
  return { origin, client, login: undefined, process: pid(77), role: "server", startedAt: 0, database: undefined, ...over };
}

/** Streams that the test speaks for. */
function aNews() {
  const streams: { readonly of: Followed; readonly tell: Listener; isOver: boolean }[] = [];
  const news = openNews((of, tell) => {
    const stream = { of, tell, isOver: false };
    streams.push(stream);
    return { [Symbol.dispose]: () => void (stream.isOver = true) };
  });
  return { news, streams, say: (type: string, directory?: string) => streams.at(-1)?.tell.onEvent({ type, directory, sessionId: undefined }) };
}

/** Followed, open, and asked since. */
function quiet() {
  const server = aServer();
  const world = aNews();
  let heard = 0;
  const listening = world.news.listen(() => heard++);
  world.news.follow([server]);
  world.streams[0]?.tell.onOpen();
  world.news.asked(server);
  heard = 0;
  return { ...world, server, listening, heard: () => heard };
}

test("nobody is followed while nobody listens, and each server once while somebody does", () => {
  const { news, streams } = aNews();
  news.follow([aServer()]);
  expect(streams).toEqual([]);
  const listening = news.listen(() => undefined);
  news.follow([aServer()]);
  news.follow([aServer()]);
  expect(streams.map(({ of }) => of)).toEqual([{ origin: "http://127.0.0.1:4096", version: "v1", login: undefined }]);
  listening[Symbol.dispose]();
  expect(streams.map(({ isOver }) => isOver)).toEqual([true]);
});

test("a server is quiet only on an open stream, and only once it was asked since that opened", () => {
  const { news, streams } = aNews();
  const server = aServer();
  news.listen(() => undefined);
  news.follow([server]);
  news.asked(server);
  expect(news.isQuiet(server)).toBe(false);
  streams[0]?.tell.onOpen();
  expect(news.isQuiet(server)).toBe(false);
  news.asked(server);
  expect(news.isQuiet(server)).toBe(true);
  streams[0]?.tell.onClosed();
  expect(news.isQuiet(server)).toBe(false);
});

test.each([
  "session.created",
  "session.updated",
  "session.deleted",
  "session.status",
  "session.idle",
  "session.error",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "global.disposed",
  "session.next.prompted",
])("%s is news: it is told, and the server has to be asked", (type) => {
  const { news, server, say, heard } = quiet();
  say(type);
  expect([heard(), news.isQuiet(server)]).toEqual([1, false]);
});

test.each(["message.part.delta", "message.part.updated", "session.diff", "session.next.text.delta", "file.watcher.updated"])("%s is no news", (type) => {
  const { news, server, say, heard } = quiet();
  say(type);
  expect([heard(), news.isQuiet(server)]).toEqual([0, true]);
});

test("an event of a directory shows that it is open there, until it is disposed of; the first is news, whatever it is", () => {
  const { news, server, say, heard } = quiet();
  say("message.part.delta", "/app");
  say("message.part.delta", "/app");
  expect([heard(), [...news.openedBy(server)]]).toEqual([1, ["/app"]]);
  news.asked(server);
  say("server.instance.disposed", "/app");
  expect([[...news.openedBy(server)], news.isQuiet(server)]).toEqual([[], false]);
});

test("all that was open is not any more once the whole server was disposed of", () => {
  const { news, server, say } = quiet();
  say("message.part.delta", "/app");
  say("global.disposed");
  expect([...news.openedBy(server)]).toEqual([]);
});

test("a server that is no longer found is no longer followed, and one that began anew on its address knows nothing of the other's", () => {
  const { news, streams, server, say } = quiet();
  say("session.created", "/app");
  const anew = aServer({ process: pid(78) });
  news.follow([anew]);
  expect([streams.map(({ isOver }) => isOver), [...news.openedBy(anew)]]).toEqual([[true, false], []]);
  news.follow([]);
  expect(streams.every(({ isOver }) => isOver)).toBe(true);
  expect([...news.openedBy(server)]).toEqual([]);
});
