import type { Refusal } from "../core/refusal.ts";
import type { Session } from "../core/session.ts";
import { facetsOf, nameInRegistry } from "../core/session.ts";

export type Found = { readonly kind: "found"; readonly session: Session; readonly by: By } | Refusal;
/** A key means no other. A title is what the agent calls it now, often its last prompt: it may be another's in a moment. */
export type By = "key" | "name" | "title";

/** `source:key` of the session or of one of its facets, or a unique name, id, conversation id or title. Never a part of one. */
export function findSession(asked: string, sessions: readonly Session[], isRowsName = false): Found {
  const byRow = ["name", (session: Session) => nameInRegistry(session) === asked] as const;
  const ways: readonly (readonly [By, (session: Session) => boolean])[] = [
    ...(isRowsName ? [byRow] : []),
    ["key", (session) => session.key === asked || facetsOf(session).some(({ key }) => key === asked)],
    // A registry's name is one row's; what else happens to be called so is not meant.
    byRow,
    ["name", (session) => namesOf(session).includes(asked)],
    ["title", ({ title }) => title === asked],
  ];
  for (const [by, isMeant] of ways) {
    const [session, ...others] = sessions.filter(isMeant);
    if (session && others.length > 0) return { kind: "refused", reason: "ambiguous", candidates: [session, ...others].map(({ key }) => key) };
    if (session) return { kind: "found", session, by };
  }
  return { kind: "refused", reason: "notFound", asked };
}

function namesOf({ key, conversation, run, records }: Session): readonly string[] {
  const host = run?.host.kind === "process" ? run.host : undefined;
  const given = records.flatMap(({ givenName }) => givenName ?? []);
  const id = key.slice(key.indexOf(":") + 1);
  // What follows the @ tells in which repository.
  const ids = [id, id.replace(/@[0-9a-f]{6}$/, ""), ...(conversation ? [conversation.id] : []), ...(host ? [String(host.process.pid)] : [])];
  return [...ids, ...given, ...(host?.pane ? [host.pane.sessionName] : [])];
}
