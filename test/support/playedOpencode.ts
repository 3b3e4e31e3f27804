import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fakeServer, json, locked, never, nothing, webPage } from "./fakeServer.ts";
import type { Answering, FakeServer, Noted } from "./fakeServer.ts";

export { json, locked, never, nothing, webPage };

export interface PlayedSession {
  readonly directory: string;
  readonly title?: string;
  readonly parentID?: string;
  readonly touchedAt?: number;
  readonly archivedAt?: number;
}

export interface PlayedPermission {
  readonly id: string;
  readonly sessionID: string;
  readonly command: string;
}

/** Its state: tests change it as they go. Two engines, as in 1.18.33: each stop call answers success for the other's run and does nothing. */
export interface Played {
  readonly sessions: Map<string, PlayedSession>;
  /** By id, of the first engine: in which directory. A run goes on when its session is deleted. */
  readonly busy: Map<string, string>;
  /** Of the second. */
  readonly active: Set<string>;
  readonly permissions: PlayedPermission[];
  /** Of the second engine. */
  readonly activePermissions: PlayedPermission[];
  /** So many aborts are answered with true and do nothing. */
  aborts: { lost: number };
  /** Instead of what it would answer: "POST /session/{}/abort". */
  readonly instead: Map<string, Answering>;
}

export interface PlayedOpencode extends Played, FakeServer {
  /** All that was asked, but for its health and what it declares: "POST /session/ses_a/abort?directory=/app". */
  readonly calls: (only?: string) => readonly string[];
  /** What was asked and stands nowhere in its declaration, its health and its identity left out. */
  readonly undeclared: () => readonly string[];
  /** Every credential that was sent. */
  readonly credentials: () => readonly string[];
}

const declaration = readFileSync(join(import.meta.dirname, "../fixtures/opencode/doc-1.18.33.json"), "utf8");
const paths = (JSON.parse(declaration) as { paths: { [path: string]: object } }).paths;
const declared = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${template(path)}`));
let played = 0;

/** OpenCode 1.18.33 as its sessions see it, on a free port: what it was not asked for by its declaration it answers with a web page and 200. */
export async function playOpencode(directory = "/app", { password }: { readonly password?: string } = {}): Promise<PlayedOpencode> {
  const state: Played = {
    sessions: new Map(),
    busy: new Map(),
    active: new Set(),
    permissions: [],
    activePermissions: [],
    aborts: { lost: 0 },
    instead: new Map(),
  };
  // What a release declares is remembered for its origin, and a port may come again.
  const version = `1.18.33-played.${process.pid}.${played++}`;
  const server = await fakeServer((request, response) => {
    if (password !== undefined && request.headers.authorization !== `Basic ${btoa(`opencode:${password}`)}`) return locked(request, response);
    const call = `${request.method} ${template(request.url)}`;
    const instead = state.instead.get(call);
    if (instead) return instead(request, response);
    if (call === "GET /global/health") return json({ healthy: true, version })(request, response);
    if (call === "GET /doc") return void response.setHeader("content-type", "application/json").end(declaration);
    return (answer(state, call, request, directory) ?? webPage)(request, response);
  });
  const asked = (): readonly Noted[] => server.requests.filter(({ url }) => !["/global/health", "/doc", "/api/info"].includes(pathOf(url)));
  return {
    ...server,
    ...state,
    calls: (only = "") =>
      asked()
        .map(({ method, url }) => `${method} ${decodeURIComponent(url)}`)
        .filter((call) => call.startsWith(only)),
    undeclared: () =>
      asked()
        .map(({ method, url }) => `${method} ${template(url)}`)
        .filter((call) => !declared.includes(call)),
    credentials: () => server.requests.flatMap(({ headers }) => headers.authorization ?? []),
  };
}

function answer(state: Played, call: string, { url, body }: Noted, own: string): Answering | undefined {
  const { sessions, busy, active, permissions, activePermissions } = state;
  const query = new URL(url, "http://127.0.0.1").searchParams;
  const [id = ""] = /ses_\w+/.exec(pathOf(url)) ?? [];
  const [requestId = ""] = /per_\w+/.exec(pathOf(url)) ?? [];
  const directory = query.get("directory") ?? sessions.get(id)?.directory ?? own;
  const notFound = json({ name: "NotFoundError", data: { message: `Session not found: ${id}` } }, 404);
  switch (call) {
    case "GET /path":
      return json({ directory: own });
    case "GET /experimental/session":
      return json([...sessions].map(shown));
    case "GET /api/session":
      return json({ data: [...sessions].map(shown), cursor: {} });
    case "GET /session/{}":
      return sessions.has(id) ? json(shown([id, sessions.get(id) ?? { directory }])) : notFound;
    case "GET /api/session/{}":
      return sessions.has(id) ? json({ data: shown([id, sessions.get(id) ?? { directory }]) }) : notFound;
    case "GET /session/{}/message":
      return sessions.has(id) ? json([]) : notFound;
    case "GET /session/status":
      return json(Object.fromEntries([...busy].filter(([, at]) => at === directory).map(([busyId]) => [busyId, { type: "busy" }])));
    case "GET /api/session/active":
      return json({ data: Object.fromEntries([...active].map((activeId) => [activeId, { type: "running" }])) });
    case "GET /permission":
      return json(
        permissions
          .filter(({ sessionID }) => (sessions.get(sessionID)?.directory ?? own) === directory)
          .map(({ id: request, sessionID, command }) => ({ id: request, sessionID, permission: "bash", patterns: [command], metadata: { command } })),
      );
    case "GET /api/session/{}/permission":
      return json({
        data: activePermissions
          .filter(({ sessionID }) => sessionID === id)
          .map(({ id: request, sessionID, command }) => ({ id: request, sessionID, action: "bash", resources: [command], metadata: { command } })),
      });
    case "GET /question":
      return json([]);
    case "POST /session/{}/abort":
      if (state.aborts.lost > 0) state.aborts.lost--;
      else if (sessions.has(id) || busy.get(id) === directory) for (const each of familyOf(id, sessions)) busy.delete(each);
      return json(true);
    case "POST /api/session/{}/interrupt":
      active.delete(id);
      return nothing(204);
    case "DELETE /session/{}":
      if (!sessions.has(id)) return notFound;
      for (const each of familyOf(id, sessions)) sessions.delete(each);
      return json(true);
    case "POST /permission/{}/reply":
      return removed(permissions, requestId) && isReply(body) ? json(true) : notFound;
    case "POST /api/session/{}/permission/{}/reply":
      return removed(activePermissions, requestId) && isReply(body) ? nothing(204) : notFound;
    case "POST /instance/dispose":
      for (const [busyId, at] of busy) if (at === directory) busy.delete(busyId);
      return json(true);
    case "POST /global/dispose":
      busy.clear();
      active.clear();
      return json(true);
    default:
      return undefined;
  }
}

function shown([id, { directory, title = id, parentID, touchedAt = 1_000, archivedAt }]: [string, PlayedSession]): object {
  const time = { created: touchedAt, updated: touchedAt, ...(archivedAt !== undefined && { archived: archivedAt }) };
  return { id, directory, title, version: "1.18.33", time, location: { directory }, ...(parentID !== undefined && { parentID }) };
}

function familyOf(id: string, sessions: ReadonlyMap<string, PlayedSession>): readonly string[] {
  const family = [id];
  for (const member of family) for (const [other, { parentID }] of sessions) if (parentID === member) family.push(other);
  return family;
}

function removed(permissions: PlayedPermission[], id: string): boolean {
  const at = permissions.findIndex((permission) => permission.id === id);
  if (at >= 0) permissions.splice(at, 1);
  return at >= 0;
}

function isReply(body: string): boolean {
  return ["once", "always", "reject"].includes((JSON.parse(body) as { reply?: string }).reply ?? "");
}

function pathOf(url: string): string {
  return url.split("?")[0] ?? url;
}

/** "/session/ses_a/abort?directory=%2Fapp" → "/session/{}/abort" */
function template(url: string): string {
  return pathOf(url).replaceAll(/\{[^}]*\}|\b(?:ses|per|que)_\w+/g, "{}");
}
