import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers as OpenCode 1.18 does, as far as its sessions go; what is done to it is remembered. It runs no model. */
export interface FakeOpencode extends AsyncDisposable {
  readonly origin: string;
  /** Calls that change something, as they came: `DELETE /session/ses_a`. */
  readonly deeds: readonly string[];
  /** The passwords that were sent. */
  readonly logins: readonly string[];
  add(session: FakeSession): void;
  /** It begins a turn, or ends it. */
  turn(id: string, isBusy: boolean): void;
  asks(id: string, permission: { readonly id: string; readonly tool: string; readonly command: string }): void;
}

export interface FakeSession {
  readonly id: string;
  readonly title: string;
  readonly parent?: string;
  readonly touchedAt?: number;
  readonly isBusy?: boolean;
}

interface Permission {
  readonly id: string;
  readonly sessionID: string;
  readonly permission: string;
  readonly patterns: readonly string[];
  readonly metadata: { readonly command: string };
}

export async function startFakeOpencode(directory: string, { password }: { readonly password?: string } = {}): Promise<FakeOpencode> {
  const sessions = new Map<string, FakeSession>();
  const busy = new Set<string>();
  const permissions = new Map<string, Permission>();
  const deeds: string[] = [];
  const logins: string[] = [];
  const listeners = new Set<ServerResponse>();

  const tell = (type: string, properties: object): void => {
    for (const listener of listeners) listener.write(`data: ${JSON.stringify({ directory, payload: { type, properties } })}\n\n`);
  };
  const setBusy = (id: string, isBusy: boolean): void => {
    if (isBusy) busy.add(id);
    else busy.delete(id);
    tell("session.status", { sessionID: id, status: { type: isBusy ? "busy" : "idle" } });
  };
  const shown = ({ id, title, parent, touchedAt = Date.now() - 60_000 }: FakeSession): object => ({
    id,
    title,
    directory,
    version: "1.18.33",
    time: { created: touchedAt, updated: touchedAt },
    ...(parent !== undefined && { parentID: parent }),
  });
  const answers: Readonly<Record<string, (id: string) => unknown>> = {
    "GET /global/health": () => ({ healthy: true, version: "1.18.33" }),
    "GET /doc": () => ({ paths: declared(Object.keys(answers)) }),
    "GET /path": () => ({ directory }),
    "GET /experimental/session": () => [...sessions.values()].map(shown),
    "GET /session/status": () => Object.fromEntries([...busy].map((id) => [id, { type: "busy" }])),
    "GET /api/session/active": () => ({ data: {} }),
    "GET /permission": () => [...permissions.values()],
    "GET /question": () => [],
    "GET /session/{id}": (id) => find(id),
    "GET /api/session/{id}": (id) => find(id) && { data: find(id) },
    "GET /session/{id}/message": (id) =>
      find(id) && [{ info: { id: "msg_1", role: "user", time: { created: 1 } }, parts: [{ type: "text", text: `hello from ${id}` }] }],
    "POST /session/{id}/abort": (id) => {
      for (const { id: one, parent } of sessions.values()) if (one === id || parent === id) setBusy(one, false);
      return true;
    },
    "DELETE /session/{id}": (id) => {
      if (!sessions.delete(id)) return undefined;
      tell("session.deleted", { sessionID: id });
      return true;
    },
    "POST /permission/{id}/reply": (id) => {
      if (!permissions.delete(id)) return undefined;
      tell("permission.replied", { requestID: id });
      return true;
    },
  };
  const find = (id: string): object | undefined => [...sessions.values()].filter((session) => session.id === id).map(shown)[0];

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    deeds,
    logins,
    add(session) {
      sessions.set(session.id, session);
      if (session.isBusy) busy.add(session.id);
      tell("session.created", { sessionID: session.id });
    },
    turn: setBusy,
    asks(id, { id: request, tool, command }) {
      permissions.set(request, { id: request, sessionID: id, permission: tool, patterns: [command], metadata: { command } });
      tell("permission.asked", { id: request, sessionID: id });
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const sent = Buffer.from((headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
    if (sent !== "") logins.push(sent);
    if (password !== undefined && sent !== `opencode:${password}`)
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="Secure Area"' }).end();
    const { pathname } = new URL(url, "http://127.0.0.1");
    if (pathname === "/global/event") return listen(response);

    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (method !== "GET") deeds.push(`${method} ${pathname} ${body}`.trimEnd());
    const [id = ""] = /(ses|per)_\w+/.exec(pathname) ?? [];
    const act = answers[`${method} ${id === "" ? pathname : pathname.replace(id, "{id}")}`];
    // As the web page that it has for all that it does not know.
    if (!act) return void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
    const value = act(id);
    response.writeHead(value === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(value ?? { name: "NotFoundError", data: { message: `not found: ${id}` } }));
  }

  function listen(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ payload: { type: "server.connected", properties: {} } })}\n\n`);
    listeners.add(response);
    const beat = setInterval(() => response.write(`data: ${JSON.stringify({ payload: { type: "server.heartbeat", properties: {} } })}\n\n`), 5_000);
    response.on("close", () => {
      clearInterval(beat);
      listeners.delete(response);
    });
  }
}

function declared(calls: readonly string[]): object {
  const pairs = [...calls, "GET /global/event"].map((call) => call.split(" ") as [string, string]);
  const paths = Map.groupBy(pairs, ([, path]) => path);
  return Object.fromEntries([...paths].map(([path, methods]) => [path, Object.fromEntries(methods.map(([method]) => [method.toLowerCase(), {}]))]));
}
