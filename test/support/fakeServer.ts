import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { join } from "node:path";

/** One request, as it came. */
export interface Noted {
  readonly method: string;
  /** With its query, still encoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeServer extends AsyncDisposable {
  readonly origin: string;
  /** All that came, in order. */
  readonly requests: readonly Noted[];
  readonly connections: () => number;
  readonly openConnections: () => Promise<number>;
}

export type Answering = (request: Noted, response: ServerResponse) => void;

/** A real server on a free port of the loopback, which answers as it is told to. */
export async function fakeServer(answer: Answering): Promise<FakeServer> {
  const requests: Noted[] = [];
  let connections = 0;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const noted = { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
      requests.push(noted);
      answer(noted, response);
    });
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    connections: () => connections,
    openConnections: () => new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count)))),
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

let servers = 0;

/**
 * Answers as OpenCode 1.18.33 does: its health, what it declares, a web page and 200 for everything else,
 * and what is given for "GET /session/status": a value as JSON, or as a function says. The query is not compared.
 */
export async function fakeOpencode(answers: Readonly<{ [call: string]: unknown }> = {}): Promise<FakeServer> {
  const declared = await readFile(join(import.meta.dirname, "../fixtures/opencode/doc-1.18.33.json"), "utf8");
  // What a release declares is remembered for its origin, and a port may come again.
  const version = `1.18.33-fake.${servers++}`;
  return fakeServer((request, response) => {
    const call = `${request.method} ${request.url.split("?")[0]}`;
    const answer = answers[call];
    if (typeof answer === "function") (answer as Answering)(request, response);
    else if (answer !== undefined) json(answer)(request, response);
    else if (call === "GET /global/health") json({ healthy: true, version })(request, response);
    else if (call === "GET /doc") response.setHeader("content-type", "application/json").end(declared);
    else webPage(request, response);
  });
}

export function json(value: unknown, status = 200, headers: Readonly<{ [name: string]: string }> = {}): Answering {
  return (_, response) => void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

export function nothing(status: number, headers: Readonly<{ [name: string]: string }> = {}): Answering {
  return (_, response) => void response.writeHead(status, headers).end();
}

export const webPage: Answering = (_, response) =>
  void response.writeHead(200, { "content-type": "text/html;charset=utf-8" }).end("<!doctype html><title>OpenCode</title>");

export const locked: Answering = nothing(401, { "www-authenticate": 'Basic realm="Secure Area"' });

/** Takes the call and says nothing more for ever. */
export const never: Answering = () => undefined;
