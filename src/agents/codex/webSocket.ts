import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Duplex } from "node:stream";

export interface Connection {
  send(text: string): void;
  /** Resolves with the next message that `wanted` accepts; rejects when the other side leaves. */
  next<T>(wanted: (text: string) => T | undefined): Promise<T>;
}

/** A WebSocket client on a unix socket, which Node's own can't open. It speaks text and always closes. */
export async function withWebSocket<T>(socketPath: string, use: (connection: Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
  const { socket, head } = await upgrade(socketPath, signal);
  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => undefined);
  const inbox: string[] = [];
  let wake = Promise.withResolvers<void>();
  const take = readFrames((text) => {
    inbox.push(text);
    wake.resolve();
    wake = Promise.withResolvers();
  });
  const leave = (why: unknown) => closed.reject(why instanceof Error ? why : new Error("The server closed the connection"));
  const abort = () => socket.destroy(new Error("Stopped waiting for the server", { cause: signal.reason }));
  const onBytes = (chunk: Buffer) => {
    try {
      take(chunk);
    } catch (error) {
      leave(error);
    }
  };
  socket.on("data", onBytes).on("error", leave).on("close", leave);
  signal.addEventListener("abort", abort);
  try {
    onBytes(head);
    return await use({
      send: (text) => void socket.write(frameOf(text)),
      next: async (wanted) => {
        for (;;) {
          for (let text = inbox.shift(); text !== undefined; text = inbox.shift()) {
            const found = wanted(text);
            if (found !== undefined) return found;
          }
          await Promise.race([wake.promise, closed.promise]);
        }
      },
    });
  } finally {
    signal.removeEventListener("abort", abort);
    socket.destroy();
  }
}

function upgrade(socketPath: string, signal: AbortSignal): Promise<{ readonly socket: Duplex; readonly head: Buffer }> {
  const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": randomBytes(16).toString("base64") };
  return new Promise((resolve, reject) => {
    request({ socketPath, path: "/", headers, signal })
      .on("upgrade", (_, socket, head) => resolve({ socket, head }))
      .on("response", (response) => {
        response.resume();
        reject(new Error(`The server answered ${response.statusCode}`));
      })
      .on("error", reject)
      .end();
  });
}

/** RFC 6455 §5.2. A client has to mask what it sends. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  const mask = randomBytes(4);
  const length = payload.length < 126 ? Buffer.from([payload.length | 0x80]) : Buffer.from([126 | 0x80, payload.length >> 8, payload.length & 0xff]);
  if (payload.length > 0xffff) throw new Error("too long for a request");
  return Buffer.concat([Buffer.from([0x81]), length, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

/** Puts bytes together again to whole text messages; pings and the like are dropped, since no connection lives that long. */
function readFrames(onText: (text: string) => void): (chunk: Buffer) => void {
  let bytes: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  return (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let frame = frameIn(bytes); frame; frame = frameIn(bytes)) {
      bytes = bytes.subarray(frame.end);
      if (frame.opcode > 2) continue;
      parts.push(frame.payload);
      if (!frame.isLast) continue;
      onText(Buffer.concat(parts).toString("utf8"));
      parts = [];
    }
  };
}

function frameIn(bytes: Buffer): { readonly opcode: number; readonly isLast: boolean; readonly payload: Buffer; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (length > longestMessage) throw new Error("too long for an answer");
  const end = start + length;
  if (bytes.length < end) return undefined;
  const first = bytes.readUInt8(0);
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload: bytes.subarray(start, end), end };
}
const longestMessage = 32 * 1024 * 1024;
