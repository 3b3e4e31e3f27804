import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cline } from "../../../../src/agents/cline/cline.ts";
import { startChild } from "../../../support/children.ts";
import { identityOf, noAbort, put, runOf, withFolder } from "../seen.ts";
import { frame, handshake, requestsIn } from "../webSocketFrames.ts";

const id = "1795996951635_l3rhp";
const token = "0123456789abcdef";

test("what the hub still runs for a session is ended by its id, with the hub's own token", async () => {
  await withHub("takes", async (home, asked) => {
    await say(home, "running");
    expect(await end(home)).toEqual({ kind: "turn", where: "Cline's hub" });
    expect(asked).toMatchObject([{ kind: "command", envelope: { version: "v1", command: "run.abort", sessionId: id, payload: { sessionId: id } } }]);
  });
});

test("a hub is asked nothing where the session is at rest, or its id isn't known", async () => {
  await withHub("takes", async (home, asked) => {
    await say(home, "idle");
    expect(await end(home)).toBeUndefined();
    await say(home, "running");
    expect(await end(home, false)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

test.for(["refuses", "knows no such token"] as const)("nothing was ended where the hub %s", async (hub) => {
  await withHub(hub, async (home) => {
    await say(home, "running");
    expect(await end(home)).toBeUndefined();
  });
});

async function say(home: string, status: string): Promise<void> {
  await put(join(home, "sessions", id, `${id}.json`), JSON.stringify({ session_id: id, pid: 6993, status }));
}

async function end(home: string, isKnown = true) {
  const conversation = isKnown ? { conversation: { agent: "cline", id, toldBy: "agent", home } as const } : {};
  return cline.endTurnElsewhere?.(runOf("cline", identityOf(7038), conversation), noAbort);
}

/** A hub as Cline 3.0.65 has one: its file names a process with its mark, and a port where its token is asked for. */
async function withHub(does: "takes" | "refuses" | "knows no such token", use: (home: string, asked: readonly Command[]) => Promise<void>): Promise<void> {
  const asked: Command[] = [];
  const sockets: Duplex[] = [];
  const server = createServer().on("upgrade", (request, socket: Duplex) => {
    sockets.push(socket.on("error", () => undefined));
    if (does === "knows no such token" || request.headers["sec-websocket-protocol"] !== `cline-hub-auth.${token}`)
      return void socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
    socket.write(handshake(request, request.headers["sec-websocket-protocol"]));
    socket.on("data", (chunk: Buffer) => {
      for (const command of requestsIn(chunk) as readonly Command[]) {
        asked.push(command);
        const { requestId } = command.envelope;
        socket.write(frame(0x81, JSON.stringify({ kind: "event", envelope: { event: "session.updated" } })));
        socket.write(frame(0x81, JSON.stringify({ kind: "reply", envelope: { requestId, ok: does === "takes", payload: { applied: true } } })));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await withFolder(async (home) => {
      const hub = await startChild([process.execPath, "-e", "setInterval(() => {}, 60_000)", "--", "--cline-hub-daemon"]);
      const { port } = server.address() as AddressInfo;
      await put(join(home, "locks", "hub", "production.json"), JSON.stringify({ pid: hub.pid, host: "elsewhere.example", port, authToken: token }));
      await use(home, asked);
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  }
}

interface Command {
  readonly kind: string;
  readonly envelope: { readonly requestId: string };
}
