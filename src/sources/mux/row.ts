import * as z from "zod";
import type { AgentId, Conversation, Recorded } from "../../core/facet.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Json, JsonObject } from "./json.ts";

/** What we read in a row of the registry. It may hold much else, which is nobody's business but its own. */
export interface Row {
  readonly name: string;
  /** Of rows that share a name, the how many-th. */
  readonly nth: number;
  readonly says: Recorded;
  /** The row's own word: "running". */
  readonly status: string;
  readonly agent: AgentId | undefined;
  readonly cwd: string | undefined;
  /** Its own conversation; a cache may be asked for one, as a last resort. */
  readonly ownId: string | undefined;
  readonly resumable: boolean | undefined;
  readonly displayName: string | undefined;
  readonly delegateJob: string | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly stopReason: string | undefined;
  readonly isPurged: boolean;
  /** In rows that we wrote: whom they mean. */
  readonly process: ProcessIdentity | undefined;
  readonly tmuxSocket: string | undefined;
  readonly configHome: string | undefined;
}

const agentIds = ["claude", "codex", "opencode", "cline", "gemini", "copilot", "agy", "hermes"] as const satisfies readonly AgentId[];

/** Tolerant key by key: one that can't be used is as one that is not there. */
const text = z.string().min(1).optional().catch(undefined);
const epoch = z.number().optional().catch(undefined);
const RowShape = z.object({
  name: z.string(),
  status: z.string().catch("running"),
  agent: z.enum(agentIds).optional().catch(undefined),
  pane: z.object({ cwd: text }).optional().catch(undefined),
  resumable: z.boolean().optional().catch(undefined),
  display_name: text,
  delegate_job_id: z
    .union([z.string().min(1), z.int().transform(String)])
    .optional()
    .catch(undefined),
  created_at_epoch: epoch,
  stopped_at_epoch: epoch,
  terminated_at_epoch: epoch,
  stop_reason: text,
  termination_mode: text,
  session_warden: z
    .object({
      pid: z.number(),
      start: z.string(),
      host: z.string().exactOptional(),
      boot_id: z.string().exactOptional(),
      pid_namespace: z.string().exactOptional(),
      tmux_socket: text,
      config_home: text,
    })
    .optional()
    .catch(undefined),
});

export function parseRow(value: JsonObject, nth: number): Row | undefined {
  const parsed = RowShape.safeParse(value).data;
  if (!parsed) return undefined;
  const { name, status, pane, session_warden: ours } = parsed;
  const agent = parsed.agent ?? agentInName(name) ?? agentOfItsId(value);
  const ownId = agent && value[ownIdKey(agent)];
  const endedAt = parsed.terminated_at_epoch ?? parsed.stopped_at_epoch;
  return {
    name,
    nth,
    says: saysOf(status, parsed.termination_mode),
    status,
    agent,
    cwd: pane?.cwd,
    ownId: typeof ownId === "string" && ownId !== "" ? ownId : undefined,
    resumable: parsed.resumable,
    displayName: parsed.display_name,
    delegateJob: parsed.delegate_job_id,
    startedAt: parsed.created_at_epoch === undefined ? undefined : parsed.created_at_epoch * 1000,
    endedAt: endedAt === undefined ? undefined : endedAt * 1000,
    stopReason: parsed.stop_reason,
    isPurged: parsed.termination_mode === "purge",
    process: ours && identityOf(ours),
    tmuxSocket: ours?.tmux_socket,
    configHome: ours?.config_home,
  };
}

export function keyOf({ name, nth }: Row): `mux:${string}` {
  // Doubled, so that no name can look like the second of another.
  const own = name.replaceAll("#", "##");
  return nth === 1 ? `mux:${own}` : `mux:${own}#${nth}`;
}

/** `claude_session_id_own`, and for every other agent by one pattern. */
export function ownIdKey(agent: AgentId): string {
  return agent === "claude" ? "claude_session_id_own" : `${agent}_conversation_id_own`;
}

/** As we write down a process, and read it back. */
export function startWord({ start }: ProcessIdentity): string {
  switch (start.kind) {
    case "ticks":
      return `ticks:${start.ticks}`;
    case "utc":
      return `utc:${start.atMs}`;
    case "untold":
      return "untold";
  }
}

/** The agent's own cache of ids, of which a row may have use: its workspace and the id. */
export function cachedConversation(agent: AgentId, identities: JsonObject | undefined): { readonly cwd: string; readonly id: string } | undefined {
  const entry = identities?.[agent];
  if (!isObject(entry)) return undefined;
  const { project_cwd: cwd, session_id: sessionId, conversation_id: conversationId } = entry;
  const id = sessionId ?? conversationId;
  return typeof cwd === "string" && typeof id === "string" && id !== "" ? { cwd, id } : undefined;
}

/** In which the row says that it is. */
export function conversationOf({ agent, ownId, resumable, configHome }: Row, at: number): Conversation | undefined {
  if (!agent || ownId === undefined) return undefined;
  return {
    agent,
    id: ownId,
    toldBy: "record",
    ...(configHome !== undefined && { home: configHome }),
    ...(resumable !== undefined && { resumable: { value: resumable, seen: "the registry says so", at } }),
  };
}

function agentInName(name: string): AgentId | undefined {
  return agentIds.find((agent) => name.endsWith(`-creator-${agent}`));
}

function agentOfItsId(value: JsonObject): AgentId | undefined {
  const [agent, ...others] = agentIds.filter((each) => typeof value[ownIdKey(each)] === "string");
  return others.length === 0 ? agent : undefined;
}

/** `terminated` means purged, but for those that an older program marked so when it had only killed them. */
function saysOf(status: string, mode: string | undefined): Recorded {
  switch (status) {
    case "stopped":
      return "ended";
    case "archived":
      return "archived";
    case "terminated":
      return mode === undefined || mode === "purge" ? "purged" : "ended";
    default:
      return "active";
  }
}

function identityOf(ours: NonNullable<z.infer<typeof RowShape>["session_warden"]>): ProcessIdentity | undefined {
  const [, kind, value = ""] = /^(ticks|utc):(\d+)$/.exec(ours.start) ?? [];
  const start = kind === "ticks" ? ({ kind, ticks: value } as const) : kind === "utc" ? ({ kind, atMs: Number(value) } as const) : undefined;
  return (
    start && {
      pid: ours.pid,
      start,
      ...(ours.host !== undefined && { host: ours.host }),
      ...(ours.boot_id !== undefined && { bootId: ours.boot_id }),
      ...(ours.pid_namespace !== undefined && { pidNamespace: ours.pid_namespace }),
    }
  );
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
