import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { expect, test } from "vitest";
import { listenersIn, listenersOfLsof, listeningPortsOf, originOf } from "../../../src/system/listeningPorts.ts";
import { until } from "../../real/support/until.ts";
import { startChild } from "../../support/children.ts";

const { signal } = new AbortController();

async function listen(host: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const server: Server = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) };
}

test("where a process listens is told by its own sockets, and what it has connected is no such place", async () => {
  const program = `const { createServer, connect } = require("node:net");
    const server = createServer(); server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      connect(port, "127.0.0.1", () => console.log(JSON.stringify({ port })));
    });`;
  const child = await startChild([process.execPath, "-e", program]);
  await until(() => child.said().includes("\n"));
  const told = JSON.parse(child.said()) as { port: number };
  expect(await listeningPortsOf(child.identity, signal)).toEqual([{ host: "127.0.0.1", port: told.port }]);
  await using ours = await listen("127.0.0.1");
  expect(await listeningPortsOf(child.identity, signal)).not.toContainEqual({ host: "127.0.0.1", port: ours.port });
});

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["127.0.0.5", "127.0.0.5"],
  ["0.0.0.0", "127.0.0.1"],
])("who listens on %s is reached at %s", async (told, reached) => {
  await using server = await listen(told);
  expect(await listeningPortsOf({ pid: process.pid }, signal)).toContainEqual({ host: reached, port: server.port });
  const socket = connect(server.port, reached);
  await once(socket, "connect");
  socket.destroy();
});

test("a process that listens nowhere has no port, nor has one that is gone", async () => {
  const child = await startChild(["sleep", "60"]);
  expect(await listeningPortsOf(child.identity, signal)).toEqual([]);
  child.process.kill("SIGKILL");
  await child.ended;
  expect(await listeningPortsOf(child.identity, signal)).toEqual([]);
});

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1000 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 501 1 0000000000000000 100 0 0 10 0
   1: 00000000:1001 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 502 1 0000000000000000 100 0 0 10 0
   2: 0100007F:1002 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 503 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:1003 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 504 1 0000000000000000 100 0 0 10 0
`;

test("of the kernel's table only the lines of its own sockets count, and only those that listen", () => {
  expect(listenersIn(table, new Set(["501", "502", "503"]))).toEqual([
    { host: "127.0.0.1", port: 4096 },
    { host: "127.0.0.1", port: 4097 },
  ]);
  expect(listenersIn(table, new Set())).toEqual([]);
  expect(listenersIn("", new Set(["501"]))).toEqual([]);
});

test.each([
  ["00000000000000000000000001000000", "::1", "http://[::1]:4096"],
  ["00000000000000000000000000000000", "127.0.0.1", "http://127.0.0.1:4096"],
  ["0000000000000000FFFF00000100007F", "127.0.0.1", "http://127.0.0.1:4096"],
])("an address of the second table: %s", (hex, host, origin) => {
  const line = `   0: ${hex}:1000 ${"0".repeat(32)}:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 501 1 0000000000000000 100 0 0 10 0`;
  const found = listenersIn(line, new Set(["501"]));
  expect(found).toEqual([{ host, port: 4096 }]);
  expect(found.map(originOf)).toEqual([origin]);
});

test("lsof's lines, of which the same port on both address families is one", () => {
  expect(listenersOfLsof("p501\nf12\nn127.0.0.1:4096\nf13\nn*:4097\nf14\nn*:4097\nf15\nn[::1]:4098\n")).toEqual([
    { host: "127.0.0.1", port: 4096 },
    { host: "127.0.0.1", port: 4097 },
    { host: "::1", port: 4098 },
  ]);
  expect(listenersOfLsof("")).toEqual([]);
});
