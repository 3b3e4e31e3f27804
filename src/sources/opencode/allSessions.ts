import type { SessionPage } from "./answers.ts";
import { notAnId } from "./ask.ts";
import type { Answer, ServerSession } from "./contract.ts";
import { isSessionId } from "./ids.ts";

export const pageSize = 1_000;
const mostPages = 50;

/**
 * All of them, page by page. A full page alone says that there may be more: a cursor comes with the last one too.
 * A list that can't be had whole is no list, since what it lacks would be taken for deleted.
 */
export async function allSessions(page: (cursor: string | undefined) => Promise<Answer<SessionPage>>): Promise<Answer<readonly ServerSession[]>> {
  const found = new Map<string, ServerSession>();
  let cursor: string | undefined;
  for (let nth = 0; nth < mostPages; nth++) {
    const answer = await page(cursor);
    if (answer.kind !== "ok") return answer;
    const before = found.size;
    for (const session of answer.value.rows) if (!found.has(session.id)) found.set(session.id, session);
    if (answer.value.count !== pageSize || answer.value.cursor === undefined) return { kind: "ok", value: [...found.values()] };
    if (found.size === before) return { kind: "failed", reason: "sends the same sessions again and again" };
    cursor = answer.value.cursor;
  }
  return { kind: "failed", reason: "has too many sessions to list" };
}

/** The one with this id, where a server has no call for one. */
export async function findAmong(sessions: () => Promise<Answer<readonly ServerSession[]>>, id: string): Promise<Answer<ServerSession>> {
  if (!isSessionId(id)) return { kind: "failed", reason: notAnId };
  const answer = await sessions();
  if (answer.kind !== "ok") return answer;
  const session = answer.value.find((session) => session.id === id);
  return session ? { kind: "ok", value: session } : { kind: "notFound" };
}
