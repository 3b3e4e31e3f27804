import { allSessions, findAmong, pageSize } from "./allSessions.ts";
import { activeOf, wrappedSessions } from "./answers.ts";
import { ask, done, shaped } from "./ask.ts";
import type { Answer, Client, Deadlines } from "./contract.ts";
import type { ServerAddress } from "./request.ts";

/** A server of OpenCode 2.x. What it declares is not known here, so only the four calls that others are known to make are made. */
export function serviceClient(server: ServerAddress, deadlines: Deadlines): Client {
  const sessions = (signal: AbortSignal) =>
    allSessions(async (cursor) => {
      const query = { limit: String(pageSize), cursor };
      return shaped(await ask(server, { method: "GET", template: "/api/session", query, success: 200, within: "listMs" }, deadlines, signal), wrappedSessions);
    });
  const noSuchCall = async <T>(): Promise<Answer<T>> => ({ kind: "noSuchCall" });

  return {
    origin: server.origin,
    version: "v2",
    sessions,
    findSession: async (id, signal) => findAmong(() => sessions(signal), id),
    read: async (id, _, signal) => findAmong(() => sessions(signal), id),
    ownDirectory: noSuchCall,
    // The first engine is no more.
    runs: async () => ({ kind: "ok", value: new Map() }),
    active: async (signal) =>
      shaped(await ask(server, { method: "GET", template: "/api/session/active", success: 200, within: "lookMs" }, deadlines, signal), activeOf),
    permissions: noSuchCall,
    activePermissions: noSuchCall,
    questions: noSuchCall,
    messages: noSuchCall,
    abort: noSuchCall,
    interrupt: async (id, signal) =>
      done(await ask(server, { method: "POST", template: "/api/session/{sessionID}/interrupt", ids: [id], success: 204, within: "actMs" }, deadlines, signal)),
    remove: async (id, _, signal) =>
      done(await ask(server, { method: "DELETE", template: "/api/session/{sessionID}", ids: [id], success: 204, within: "actMs" }, deadlines, signal)),
    reply: noSuchCall,
    replyActive: noSuchCall,
    disposeDirectory: noSuchCall,
    disposeServer: noSuchCall,
  };
}
