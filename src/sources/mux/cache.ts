import type { Conversation } from "../../core/facet.ts";
import type { RegistryReading, KeyedRow } from "./registry.ts";
import { cachedConversation, conversationOf } from "./row.ts";
import type { Row } from "./row.ts";

/**
 * The conversation of a row: its own; else, as a last resort, the one that the registry's cache keeps for its agent, if that is of this workspace, no other
 * row's own, and no other row could claim it.
 */
export function cacheOf({ rows, identities }: Extract<RegistryReading, { kind: "read" }>): (row: KeyedRow) => Conversation | undefined {
  return ({ row }) => {
    const own = conversationOf(row, 0);
    if (own || !row.agent) return own;
    const cached = cachedConversation(row.agent, identities);
    if (!cached || cached.cwd !== row.cwd || rows.some((other) => other.row.ownId === cached.id)) return undefined;
    const claimants = rows.filter((other) => isWithoutId(other.row, row));
    return claimants.length === 1 ? { agent: row.agent, id: cached.id, toldBy: "cache" } : undefined;
  };
}

function isWithoutId(other: Row, { agent, cwd }: Row): boolean {
  return other.agent === agent && other.cwd === cwd && other.ownId === undefined;
}
