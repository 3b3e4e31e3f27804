import type { Evidence } from "../../core/evidence.ts";
import type { Conversation, Recorded, SessionRecord } from "../../core/facet.ts";
import type { Meeting } from "./processOfRow.ts";
import { keyOf } from "./row.ts";
import type { Row } from "./row.ts";

/** A row as a record of the roster. */
export function recordOf(row: Row, place: string, meeting: Meeting, conversation: Conversation | undefined, at: number): SessionRecord {
  const { name, agent, cwd, displayName, delegateJob, startedAt } = row;
  return {
    kind: "record",
    key: keyOf(row),
    source: "mux",
    place,
    ...meeting,
    says: says(row, at),
    title: name,
    name,
    ...(agent && { agent }),
    ...(conversation && { conversation }),
    ...(cwd !== undefined && { cwd }),
    ...(displayName !== undefined && { givenName: displayName }),
    ...(delegateJob !== undefined && { delegateJob }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

function says({ says, status, stopReason, endedAt }: Row, at: number): Evidence<Recorded> {
  const why = stopReason === undefined || says === "active" ? "" : ` (${stopReason})`;
  return { value: says, seen: says === "active" ? `the registry says ${status}` : `${status}${why}`, at: endedAt ?? at };
}
