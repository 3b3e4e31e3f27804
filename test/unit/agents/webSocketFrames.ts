import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** A server's answer to a client that asks for a WebSocket; with the subprotocol that it has taken. */
export function handshake({ headers }: IncomingMessage, protocol?: string): string {
  const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const taken = protocol === undefined ? "" : `Sec-WebSocket-Protocol: ${protocol}\r\n`;
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${taken}\r\n`;
}

export function frame(first: number, text: string): Buffer {
  const payload = Buffer.from(text);
  const length = Buffer.alloc(payload.length < 126 ? 1 : payload.length < 65_536 ? 3 : 9);
  if (payload.length < 126) length.writeUInt8(payload.length);
  else if (payload.length < 65_536) length.writeUIntBE(126 * 65_536 + payload.length, 0, 3);
  else length.fill(127, 0, 1).writeBigUInt64BE(BigInt(payload.length), 1);
  return Buffer.concat([Buffer.from([first]), length, payload]);
}

/** Clients mask, and their requests here are short. A frame that closes the connection holds none. */
export function requestsIn(chunk: Buffer): readonly unknown[] {
  const found: unknown[] = [];
  for (let at = 0; at < chunk.length;) {
    const short = chunk.readUInt8(at + 1) & 0x7f;
    const start = at + (short === 126 ? 4 : 2);
    const length = short === 126 ? chunk.readUInt16BE(at + 2) : short;
    const mask = chunk.subarray(start, start + 4);
    const payload = chunk.subarray(start + 4, start + 4 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    if ((chunk.readUInt8(at) & 0x0f) === 1) found.push(JSON.parse(Buffer.from(payload).toString("utf8")));
    at = start + 4 + length;
  }
  return found;
}
