import type { Conversation } from "../../core/facet.ts";
import type { KeyedRow } from "./keyedRow.ts";
import type { RegistryReading } from "./registry.ts";
import { cachedConversation, conversationOf } from "./row.ts";
import type { Row } from "./row.ts";

/**
 * The conversation of a row: its own; else, as a last resort, the one that the registry's cache keeps for its agent, if that is of this workspace, no other
 * row's own, and no other row could claim it.
 */
export function cacheOf({ rows, identities }: Extract<RegistryReading, { kind: "read" }>): (row: KeyedRow) => Conversation | undefined {
  const taken = new Set(rows.flatMap(({ row }) => row.ownId ?? []));
  const withoutId = Map.groupBy(
    rows.filter(({ row }) => row.ownId === undefined),
    ({ row }) => placeOf(row),
  );
  return ({ row }) => {
    const own = conversationOf(row, 0);
    if (own || !row.agent) return own;
    const cached = cachedConversation(row.agent, identities);
    if (!cached || cached.cwd !== row.cwd || taken.has(cached.id)) return undefined;
    return withoutId.get(placeOf(row))?.length === 1 ? { agent: row.agent, id: cached.id, toldBy: "cache" } : undefined;
  };
}

function placeOf({ agent, cwd }: Row): string {
  return `${agent} ${cwd}`;
}
