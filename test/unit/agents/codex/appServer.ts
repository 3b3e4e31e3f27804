import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { join } from "node:path";
import { frame, handshake, requestsIn } from "../webSocketFrames.ts";

/** A thread as Codex 0.171.0 lists it, the parts that matter. */
export interface OpenThread {
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly updatedAt?: number;
  readonly name: string;
  readonly originator: string;
  readonly status: { readonly type: string; readonly activeFlags?: readonly string[] };
  readonly isLoaded?: boolean;
  /** Oldest first. */
  readonly turns?: readonly { readonly id: string; readonly status: string }[];
}

export interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly threadId?: string; readonly turnId?: string };
}

/** Codex's app server on a real unix socket, below the given home; `silent` accepts a client and answers nothing. */
export async function withAppServer<T>(home: string, threads: readonly OpenThread[] | "silent", use: (asked: readonly Request[]) => Promise<T>): Promise<T> {
  const asked: Request[] = [];
  const folder = join(home, "app-server-control");
  await mkdir(folder, { recursive: true });
  const sockets: Duplex[] = [];
  const server = createServer().on("upgrade", (request, socket: Duplex) => {
    sockets.push(socket);
    socket.write(handshake(request));
    if (threads === "silent") return;
    socket.on("data", (chunk: Buffer) => {
      for (const request of requestsIn(chunk) as readonly Request[]) {
        const { id } = request;
        if (id === undefined) continue;
        asked.push(request);
        // What a client that only initialised is told without asking, in two frames.
        socket.write(frame(0x01, '{"method":"thread/status/'), () => undefined);
        socket.write(frame(0x80, 'changed","params":{}}'));
        socket.write(frame(0x81, JSON.stringify({ id, ...answerTo(request, threads) })));
      }
    });
  });
  server.listen(join(folder, "app-server-control.sock"));
  await once(server, "listening");
  try {
    return await use(asked);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  }
}

function answerTo({ method, params }: Request, threads: readonly OpenThread[]): object {
  const named = threads.find(({ id }) => id === params?.threadId);
  if (method === "thread/turns/list" && !named) return { error: { code: -32600, message: "no such thread" } };
  if (method === "thread/turns/list") return { result: { data: (named?.turns ?? []).toReversed().slice(0, 1) } };
  return { result: resultOf(method, threads) };
}

function resultOf(method: string, threads: readonly OpenThread[]): object {
  if (method === "thread/loaded/list")
    return { data: ["01a22a3e-0000-7963-9cb4-000000000000", ...threads.filter(({ isLoaded }) => isLoaded !== false).map(({ id }) => id)] };
  if (method === "thread/list") return { data: [{ id: "not a thread" }, ...threads.map((thread) => ({ ...thread, preview: "x".repeat(70_000) }))] };
  return { userAgent: "codex-tui/0.171.0" };
}
