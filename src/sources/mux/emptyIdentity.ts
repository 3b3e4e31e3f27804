import type { AgentId } from "../../core/facet.ts";
import type { RowChange } from "./changeRow.ts";
import { isJsonObject } from "./exactJson.ts";
import type { JsonObject } from "./json.ts";

/** Whose cached id a purge takes away. */
export interface Emptied {
  readonly agent: AgentId;
  readonly id: string;
  readonly isWorkspace: (cwd: string) => boolean;
}

/** One agent's entry in the registry's cache, and what changes in it. */
export interface IdentityChange extends RowChange {
  readonly agent: AgentId;
}

/** The cache keeps one id for each agent: it is emptied as the registry's own program empties it, and only of this id in this workspace. */
export function emptyIdentity(identities: JsonObject | undefined, emptied: Emptied | undefined): IdentityChange | undefined {
  const entry = emptied && identities?.[emptied.agent];
  if (!emptied || !isJsonObject(entry)) return undefined;
  const { agent, id, isWorkspace } = emptied;
  const { project_cwd: cwd } = entry;
  if (typeof cwd !== "string" || !isWorkspace(cwd)) return undefined;
  switch (agent) {
    case "claude":
      return entry["session_id"] === id
        ? { agent, set: { session_id: null, session_jsonl: null }, remove: ["session_size_bytes", "session_lines"].filter((key) => Object.hasOwn(entry, key)) }
        : undefined;
    case "agy":
      return entry["conversation_id"] === id
        ? { agent, set: { conversation_id: null, conversation_db: null, conversation_brain_dir: null }, remove: [] }
        : undefined;
    default: {
      const keys = ["session_id", "conversation_id"].filter((key) => entry[key] === id);
      return keys.length > 0 ? { agent, set: Object.fromEntries(keys.map((key) => [key, null])), remove: [] } : undefined;
    }
  }
}

export const identitiesKey = "agent_identities";
