import * as z from "zod";
import type { Evidence } from "../../core/evidence.ts";
import type { AgentId, Conversation, FacetKey, Liveness, Recorded, SessionRecord } from "../../core/facet.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Survivor } from "../../core/source.ts";

/** One session as our ledger keeps it. A line of the file holds a whole entry; the last line of an id counts. */
export interface Entry {
  readonly id: string;
  readonly firstKey?: FacetKey | undefined;
  readonly agent: AgentId;
  readonly process: ProcessIdentity;
  readonly conversation?: Conversation | undefined;
  readonly title?: string | undefined;
  readonly givenName?: string | undefined;
  readonly cwd?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly seenAt: number;
  /** Records of other books that were the same session then. */
  readonly seenWith?: readonly FacetKey[] | undefined;
  readonly state: "active" | "ended" | "purged";
  readonly isArchived?: boolean | undefined;
  /** Who of it lived on after a stop. */
  readonly left?: readonly Survivor[] | undefined;
  /** How it ended: by which rung, or by itself. */
  readonly end?: End | undefined;
  readonly purgedAt?: number | undefined;
}
export interface End {
  readonly how: "graceful" | "hangUp" | "forced" | "exited" | "cleared";
  readonly at: number;
  readonly reason?: string | undefined;
  readonly lastScreen?: string | undefined;
}

const agentId = z.enum(["claude", "codex", "opencode", "cline", "gemini", "copilot", "agy", "hermes"]);
const Process = z.object({
  pid: z.number(),
  start: z.discriminatedUnion("kind", [z.object({ kind: z.literal("ticks"), ticks: z.string() }), z.object({ kind: z.literal("utc"), atMs: z.number() })]),
  bootId: z.string().exactOptional(),
  host: z.string().exactOptional(),
  pidNamespace: z.string().exactOptional(),
});
const ConversationShape = z.object({
  agent: agentId,
  id: z.string(),
  toldBy: z.enum(["agent", "exit", "record", "store", "ledger", "cache"]),
  home: z.string().exactOptional(),
  temporaryFolder: z.string().exactOptional(),
  resumable: z.object({ value: z.boolean(), seen: z.string(), at: z.number() }).exactOptional(),
});
const facetKey = z.templateLiteral([z.enum(["process", "ledger", "mux", "opencode", "tracking", "entire"]), ":", z.string()]);
const EntryShape = z.object({
  id: z.string(),
  firstKey: facetKey.optional(),
  seenWith: z.array(facetKey).optional(),
  agent: agentId,
  process: Process,
  conversation: ConversationShape.optional(),
  title: z.string().optional(),
  givenName: z.string().optional(),
  cwd: z.string().optional(),
  startedAt: z.number().optional(),
  seenAt: z.number(),
  state: z.enum(["active", "ended", "purged"]),
  isArchived: z.boolean().optional(),
  left: z.array(z.object({ process: Process, name: z.string() })).optional(),
  end: z
    .object({
      how: z.enum(["graceful", "hangUp", "forced", "exited", "cleared"]),
      at: z.number(),
      reason: z.string().optional(),
      lastScreen: z.string().optional(),
    })
    .optional(),
  purgedAt: z.number().optional(),
});
const Line = z.union([z.object({ forgotten: z.string() }), EntryShape]);

export type LedgerLine = Entry | { readonly forgotten: string };

/** Undefined where the line is none of ours. */
export function parseLine(text: string): LedgerLine | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function fold(entries: Map<string, Entry>, line: LedgerLine): void {
  if ("forgotten" in line) entries.delete(line.forgotten);
  else entries.set(line.id, line);
}

/** As a record of the roster. Liveness is the caller's look at the process it names: the agent's own, or one that lived on. */
export function recordOf(entry: Entry, place: string, liveness: Evidence<Liveness>, process = entry.process): SessionRecord {
  const { id, firstKey, agent, conversation, title, givenName, cwd, startedAt, seenAt } = entry;
  return {
    kind: "record",
    key: `ledger:${id}`,
    source: "ledger",
    place,
    liveness,
    says: says(entry),
    agent,
    // That process went on to another conversation: of this one nothing is left by which to tell them apart.
    ...(isOfAnother(entry) ? {} : { process }),
    lastSeenAt: seenAt,
    ...(firstKey !== undefined && { firstKey }),
    ...(entry.seenWith !== undefined && { seenWith: entry.seenWith }),
    ...(conversation && { conversation: { ...conversation, toldBy: "ledger" } }),
    ...(title !== undefined && { title }),
    ...(givenName !== undefined && { givenName }),
    ...(cwd !== undefined && { cwd }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

function isOfAnother({ state, end }: Entry): boolean {
  return state === "purged" && end?.how === "cleared";
}

function says({ state, isArchived, end, seenAt, purgedAt }: Entry): Evidence<Recorded> {
  if (isArchived) return { value: "archived", seen: "put away", at: end?.at ?? seenAt };
  if (state === "purged") return { value: state, seen: "its conversation was deleted", at: purgedAt ?? end?.at ?? seenAt };
  return { value: state, seen: end ? endWords[end.how] : "seen alive", at: end?.at ?? seenAt };
}
const endWords: Readonly<{ [how in End["how"]]: string }> = {
  graceful: "stopped",
  hangUp: "stopped, after hanging up",
  forced: "forced",
  exited: "exited by itself",
  cleared: "left for a new conversation",
};
