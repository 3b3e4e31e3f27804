import type { Refusal } from "../core/refusal.ts";
import type { Session } from "../core/session.ts";
import { facetsOf } from "../core/session.ts";

export type Found = { readonly kind: "found"; readonly session: Session; /** By its key: it can mean no other. */ readonly isNamed: boolean } | Refusal;

/** `source:key` of the session or of one of its facets, or a unique name, id or conversation id. Never a part of one. */
export function findSession(asked: string, sessions: readonly Session[]): Found {
  const byKey = sessions.filter((session) => session.key === asked || facetsOf(session).some(({ key }) => key === asked));
  const [session, ...others] = byKey.length > 0 ? byKey : sessions.filter((candidate) => namesOf(candidate).includes(asked));
  if (!session) return { kind: "refused", reason: "notFound", asked };
  if (others.length > 0) return { kind: "refused", reason: "ambiguous", candidates: [session, ...others].map(({ key }) => key) };
  return { kind: "found", session, isNamed: byKey.length > 0 };
}

function namesOf({ key, title, conversation, run }: Session): readonly string[] {
  const process = run?.host.kind === "process" ? run.host : undefined;
  const pids = process ? [String(process.process.pid)] : [];
  const ids = conversation ? [conversation.id] : [];
  return [title, key.slice(key.indexOf(":") + 1), ...ids, ...pids, ...(process?.pane ? [process.pane.sessionName] : [])];
}
