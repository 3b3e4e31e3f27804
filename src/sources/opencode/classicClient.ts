import { inTime } from "../../core/inTime.ts";
import { allSessions, findAmong, pageSize } from "./allSessions.ts";
import type { SessionPage } from "./answers.ts";
import {
  activeOf,
  activePermissionsOf,
  directoryOf,
  isTrue,
  messagesOf,
  permissionsOf,
  questionsOf,
  runsOf,
  sessionOf,
  sessionPage,
  wrappedSession,
} from "./answers.ts";
import type { Wanted } from "./ask.ts";
import { ask, done, shaped } from "./ask.ts";
import type { Answer, Client, Deadlines } from "./contract.ts";
import type { DeclaredCalls } from "./declared.ts";
import { callKey, declaredCalls } from "./declared.ts";
import type { Reply, ServerAddress } from "./request.ts";

/** A server of OpenCode 1.x, where two engines live side by side: each stop call answers success for the other's run and does nothing. */
export function classicClient(server: ServerAddress, release: string, deadlines: Deadlines): Client {
  let reading: Promise<Answer<DeclaredCalls>> | undefined;
  const declares = (signal: AbortSignal): Promise<Answer<DeclaredCalls>> => {
    // Shared by all who ask at once, so none of them can cancel it; it ends by its own deadline.
    reading ??= declaredCalls(server, release, deadlines.listMs, new AbortController().signal).finally(() => (reading = undefined));
    return inTime(reading, 2 * deadlines.listMs, signal);
  };
  const call = async (wanted: Wanted, signal: AbortSignal): Promise<Answer<Reply>> => {
    const declared = await declares(signal);
    if (declared.kind !== "ok") return declared;
    if (!declared.value.has(callKey(wanted.method, wanted.template))) return { kind: "noSuchCall" };
    return ask(server, wanted, deadlines, signal);
  };
  const look = (template: string, given: Pick<Wanted, "ids" | "query">, signal: AbortSignal) =>
    call({ method: "GET", template, ...given, success: 200, within: "lookMs" }, signal);
  const act = (template: string, given: Pick<Wanted, "ids" | "query" | "body">, signal: AbortSignal) =>
    call({ method: "POST", template, ...given, success: 200, within: "actMs" }, signal);
  const actActive = (template: string, given: Pick<Wanted, "ids" | "body">, signal: AbortSignal) =>
    call({ method: "POST", template, ...given, success: 204, within: "actMs" }, signal);

  const page = async (after: string | undefined, signal: AbortSignal): Promise<Answer<SessionPage>> => {
    const query = { archived: "true", limit: String(pageSize), cursor: after };
    const reply = await call({ method: "GET", template: "/experimental/session", query, success: 200, within: "listMs" }, signal);
    const cursor = reply.kind === "ok" ? (reply.value.headers.get("x-next-cursor") ?? undefined) : undefined;
    return shaped(reply, (json) => sessionPage(json, cursor));
  };
  const sessions = (signal: AbortSignal) => allSessions((cursor) => page(cursor, signal));

  return {
    origin: server.origin,
    version: "v1",
    sessions,
    findSession: async (id, signal) => {
      const session = shaped(await look("/api/session/{sessionID}", { ids: [id] }, signal), wrappedSession);
      return session.kind === "noSuchCall" ? findAmong(() => sessions(signal), id) : session;
    },
    read: async (id, directory, signal) => shaped(await look("/session/{sessionID}", { ids: [id], query: { directory } }, signal), sessionOf),
    ownDirectory: async (signal) => shaped(await look("/path", {}, signal), directoryOf),
    runs: async (directory, signal) => shaped(await look("/session/status", { query: { directory } }, signal), runsOf),
    active: async (signal) => shaped(await look("/api/session/active", {}, signal), activeOf),
    permissions: async (directory, signal) => shaped(await look("/permission", { query: { directory } }, signal), permissionsOf),
    activePermissions: async (id, signal) => shaped(await look("/api/session/{sessionID}/permission", { ids: [id] }, signal), activePermissionsOf),
    questions: async (directory, signal) => shaped(await look("/question", { query: { directory } }, signal), questionsOf),
    messages: async (id, directory, limit, signal) =>
      shaped(await look("/session/{sessionID}/message", { ids: [id], query: { directory, limit: String(limit) } }, signal), messagesOf),
    abort: async (id, directory, signal) => shaped(await act("/session/{sessionID}/abort", { ids: [id], query: { directory } }, signal), isTrue),
    interrupt: async (id, signal) => done(await actActive("/api/session/{sessionID}/interrupt", { ids: [id] }, signal)),
    remove: async (id, directory, signal) =>
      shaped(
        await call({ method: "DELETE", template: "/session/{sessionID}", ids: [id], query: { directory }, success: 200, within: "actMs" }, signal),
        isTrue,
      ),
    reply: async (requestId, directory, reply, signal) =>
      shaped(await act("/permission/{requestID}/reply", { ids: [requestId], query: { directory }, body: { reply } }, signal), isTrue),
    replyActive: async (id, requestId, reply, signal) =>
      done(await actActive("/api/session/{sessionID}/permission/{requestID}/reply", { ids: [id, requestId], body: { reply } }, signal)),
    disposeDirectory: async (directory, signal) => shaped(await act("/instance/dispose", { query: { directory } }, signal), isTrue),
    disposeServer: async (signal) => shaped(await act("/global/dispose", {}, signal), isTrue),
  };
}
