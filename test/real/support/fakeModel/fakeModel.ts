import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { sendJson } from "./answer.ts";
import type { Api, RequestBody } from "./answer.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { planFor } from "./plan.ts";
import type { Fault, Plan } from "./plan.ts";
import { responses } from "./responses.ts";

/** A model without a mind, on a free loopback port: it does what the words of `planFor` say, and keeps account of all that reached it. */
export interface FakeModel {
  readonly url: string;
  /** Every request for an answer, in the order they came; a later one is appended, none is removed. */
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

export interface ModelRequest {
  readonly api: Api["name"];
  readonly userText: string;
  readonly isToolResult: boolean;
  readonly tools: readonly string[];
  readonly plan: Plan | Fault;
  /** Open while the answer is being written; `hung up` if the caller left before its end. */
  state: "open" | "answered" | "hung up";
}

export async function startFakeModel(): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    serve(request, response, requests).catch((thrown: unknown) => response.destroy(thrown instanceof Error ? thrown : undefined));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** The turns of the dialogue itself, without what an agent asks for its own ends (titles, topics). */
export function turnsOf(model: FakeModel): readonly ModelRequest[] {
  return model.requests.filter((request) => request.tools.length > 0);
}

/** Answers that are being written at this moment: a turn that still runs, wherever its agent is. */
export function openTurns(model: FakeModel): readonly ModelRequest[] {
  return turnsOf(model).filter((request) => request.state === "open");
}

async function serve(request: IncomingMessage, response: ServerResponse, requests: ModelRequest[]): Promise<void> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const api = findApi(path);
  if (request.method !== "POST" || api === undefined) return sendRest(path, request, response);

  let raw = "";
  for await (const piece of request) raw += String(piece);
  const body = JSON.parse(raw) as RequestBody;
  const asked = api.asked(body);
  const noted: ModelRequest = { api: api.name, ...asked, plan: planFor(asked), state: "open" };
  requests.push(noted);
  response.on("close", () => (noted.state = response.writableFinished ? "answered" : "hung up"));
  if (noted.plan.kind === "hang") return response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  if (noted.plan.kind === "http") return sendFault(noted.plan, response);
  await api.answer(noted.plan, body, response);
}

function sendFault({ status, retryAfterSeconds }: Extract<Fault, { kind: "http" }>, response: ServerResponse): void {
  response.writeHead(status, { "content-type": "application/json", "retry-after": String(retryAfterSeconds) });
  response.end(JSON.stringify({ error: { type: "fake", message: `fake ${status}` } }));
}

function findApi(path: string): Api | undefined {
  if (path.endsWith("/messages")) return anthropic;
  if (path.endsWith("/responses")) return responses;
  if (path.endsWith("/chat/completions")) return chat;
  if (path.endsWith(":streamGenerateContent")) return gemini(true);
  if (path.endsWith(":generateContent")) return gemini(false);
  return undefined;
}

/** What agents ask besides an answer: whether anybody is there, how long a text is, which models there are. */
function sendRest(path: string, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (request.method === "HEAD") return void response.writeHead(200).end();
  if (path.endsWith("/count_tokens")) return sendJson(response, { input_tokens: 10 });
  if (path.endsWith(":countTokens")) return sendJson(response, { totalTokens: 10 });
  if (path.endsWith("/models")) {
    const model = { id: "fake-model", object: "model", type: "model", display_name: "Fake", created_at: "2025-01-01T00:00:00Z" };
    return sendJson(response, { object: "list", data: [model], has_more: false });
  }
  response.writeHead(404, { "content-type": "application/json" }).end('{"type":"error","error":{"type":"not_found_error","message":"fake"}}');
}
