import * as z from "zod";
import type { Message, PermissionRequest, QuestionRequest, RunState, RunningTool, ServerSession } from "./contract.ts";
import { isSessionId } from "./ids.ts";

/** Tolerant row by row: one that can't be read is left out. Undefined where the whole is of another shape, or none of its rows can be read. */
export interface Rows<T> {
  readonly rows: readonly T[];
  /** As many as came, readable or not. */
  readonly count: number;
}

export interface SessionPage extends Rows<ServerSession> {
  readonly cursor: string | undefined;
}

const text = z.string().optional().catch(undefined);
const number = z.number().optional().catch(undefined);
const sessionId = z.string().refine(isSessionId);

/** What no calendar holds says nothing, and takes nothing else of the row with it. */
const calendarTime = z.number().refine((at) => Math.abs(at) <= 8.64e15);
const time = calendarTime.catch(0);
const times = z.object({ created: time, updated: time, archived: calendarTime.optional().catch(undefined) });
const common = { id: sessionId, title: z.string().catch(""), parentID: text, time: times };
const SessionShape = z
  .union([z.object({ ...common, directory: z.string().min(1) }), z.object({ ...common, location: z.object({ directory: z.string().min(1) }) })])
  .transform((row): ServerSession => ({
    id: row.id,
    directory: "directory" in row ? row.directory : row.location.directory,
    title: row.title,
    parentId: row.parentID,
    createdAt: row.time.created,
    updatedAt: row.time.updated,
    archivedAt: row.time.archived,
  }));

export function sessionOf(json: unknown): ServerSession | undefined {
  return SessionShape.safeParse(json).data;
}

/** The session of an `/api/` answer. */
export function wrappedSession(json: unknown): ServerSession | undefined {
  return z.object({ data: SessionShape }).safeParse(json).data?.data;
}

export function sessionPage(json: unknown, cursor: string | undefined): SessionPage | undefined {
  const rows = rowsOf(json, SessionShape);
  return rows && { ...rows, cursor };
}

export function wrappedSessions(json: unknown): SessionPage | undefined {
  const page = z.object({ data: z.array(z.unknown()), cursor: z.object({ next: text }).optional().catch(undefined) }).safeParse(json).data;
  const rows = page && rowsOf(page.data, SessionShape);
  return rows && { ...rows, cursor: page.cursor?.next };
}

const DirectoryShape = z.object({ directory: z.string().min(1) });

export function directoryOf(json: unknown): string | undefined {
  return DirectoryShape.safeParse(json).data?.directory;
}

const StateShape = z.object({ type: z.string(), attempt: z.number().catch(0), message: z.string().catch("") });

/** A word that we don't know is of a run: only idle is idle. */
export function runsOf(json: unknown): ReadonlyMap<string, RunState> | undefined {
  const states = z.record(z.string(), z.unknown()).safeParse(json).data;
  if (!states) return undefined;
  const runs = new Map<string, RunState>();
  for (const [id, value] of Object.entries(states)) {
    const state = StateShape.safeParse(value).data;
    if (!state || !isSessionId(id) || state.type === "idle") continue;
    runs.set(id, state.type === "retry" ? { kind: "retry", attempt: state.attempt, message: state.message } : { kind: "busy" });
  }
  return runs;
}

const ActiveShape = z.object({ data: z.record(z.string(), z.unknown()) });

export function activeOf(json: unknown): ReadonlySet<string> | undefined {
  const active = ActiveShape.safeParse(json).data;
  return active && new Set(Object.keys(active.data).filter(isSessionId));
}

const strings = z.array(z.string()).catch([]);
const metadata = z.object({ command: text, filepath: text, diff: text }).catch({ command: undefined, filepath: undefined, diff: undefined });
const asking = z.object({ messageID: text }).optional().catch(undefined);
const PermissionShape = z
  .object({ id: z.string(), sessionID: sessionId, permission: z.string(), patterns: strings, metadata, tool: asking })
  .transform((row) => permission(row, row.permission, row.patterns));
const ActivePermissionShape = z
  .object({ id: z.string(), sessionID: sessionId, action: z.string(), resources: strings, metadata })
  .transform((row) => permission(row, row.action, row.resources));

function permission(
  row: { id: string; sessionID: string; metadata: z.infer<typeof metadata>; tool?: z.infer<typeof asking> },
  tool: string,
  named: readonly string[],
): PermissionRequest {
  const { command, filepath, diff } = row.metadata;
  const changed = filepath === undefined ? undefined : [filepath, ...(diff === undefined ? [] : [diff])].join("\n");
  return { id: row.id, sessionId: row.sessionID, tool, input: command ?? changed ?? named.join(", "), messageId: row.tool?.messageID };
}

export function permissionsOf(json: unknown): readonly PermissionRequest[] | undefined {
  return rowsOf(json, PermissionShape)?.rows;
}

export function activePermissionsOf(json: unknown): readonly PermissionRequest[] | undefined {
  const data = z.object({ data: z.unknown() }).safeParse(json).data?.data;
  return rowsOf(data, ActivePermissionShape)?.rows;
}

const QuestionShape = z
  .object({ id: z.string(), sessionID: sessionId, questions: z.array(z.object({ question: z.string() })).min(1), tool: asking })
  .transform((row): QuestionRequest => ({
    id: row.id,
    sessionId: row.sessionID,
    question: row.questions.map(({ question }) => question).join("\n"),
    messageId: row.tool?.messageID,
  }));

export function questionsOf(json: unknown): readonly QuestionRequest[] | undefined {
  return rowsOf(json, QuestionShape)?.rows;
}

const TextPart = z.object({ type: z.literal("text"), text: z.string(), synthetic: z.literal(true).optional().catch(undefined) });
const RunningPart = z.object({
  type: z.literal("tool"),
  tool: z.string(),
  state: z.object({ status: z.literal("running"), input: z.record(z.string(), z.unknown()).catch({}) }),
});
const MessageShape = z
  .object({
    info: z.object({ id: z.string(), role: z.enum(["user", "assistant"]), time: z.object({ created: time, completed: number }) }),
    parts: z.array(z.unknown()).catch([]),
  })
  .transform(({ info, parts }): Message => ({
    id: info.id,
    role: info.role,
    createdAt: info.time.created,
    isFinished: info.role === "user" || info.time.completed !== undefined,
    texts: readable(parts, TextPart)
      .filter((part) => !part.synthetic)
      .map((part) => part.text),
    runningTools: readable(parts, RunningPart).map((part): RunningTool => ({ tool: part.tool, input: part.state.input })),
  }));

export function messagesOf(json: unknown): readonly Message[] | undefined {
  return rowsOf(json, MessageShape)?.rows;
}

export function isTrue(json: unknown): true | undefined {
  return json === true ? true : undefined;
}

const Health = z.object({ healthy: z.literal(true), version: z.string() });

export function releaseIn(json: unknown): string | undefined {
  return Health.safeParse(json).data?.version;
}

const Service = z.object({ version: z.string().min(1), pid: z.int().positive() }).transform(({ version, pid }) => ({ release: version, pid }));

export function serviceIn(json: unknown): { readonly release: string; readonly pid: number } | undefined {
  return Service.safeParse(json).data;
}

const NotFound = z.union([z.object({ name: z.string().endsWith("NotFoundError") }), z.object({ _tag: z.string().endsWith("NotFoundError") })]);

/** Whether a 404 is OpenCode's own. */
export function isNotFound(json: unknown): boolean {
  return NotFound.safeParse(json).success;
}

function rowsOf<T>(json: unknown, shape: z.ZodType<T>): Rows<T> | undefined {
  if (!Array.isArray(json)) return undefined;
  const rows = readable(json, shape);
  return rows.length === 0 && json.length > 0 ? undefined : { rows, count: json.length };
}

function readable<T>(values: readonly unknown[], shape: z.ZodType<T>): readonly T[] {
  return values.flatMap((value) => {
    const row = shape.safeParse(value);
    return row.success ? [row.data] : [];
  });
}
