import { join } from "node:path";
import * as z from "zod";
import type { Activity } from "../../core/facet.ts";
import { isListening } from "../../system/listening.ts";
import { parseJson } from "../jsonText.ts";
import { withWebSocket } from "./webSocket.ts";
import type { Connection } from "./webSocket.ts";

/** A conversation that the daemon has open. */
export interface Thread {
  readonly id: string;
  readonly cwd: string;
  /** Its first prompt until it has a name. */
  readonly name: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number | undefined;
  /** Begun in a terminal, not by a remote client. */
  readonly isOfTerminal: boolean;
  readonly activity: Activity;
  readonly seen: string;
}

/**
 * The threads that Codex's daemon has open: loaded, and with at least one prompt; hidden threads of its own are in one list only.
 * Undefined where no daemon answers. It is an internal interface: any other answer is no evidence.
 */
export function readOpenThreads(home: string, signal: AbortSignal): Promise<readonly Thread[] | undefined> {
  return withAppServer(home, openThreads, signal);
}

/**
 * Ends the turn that the daemon runs for exactly this thread, as its window would; resolves with whether there was one. No window or keyboard is needed.
 * The daemon itself refuses where that turn has ended by then and another has begun.
 */
export async function interruptTurn(home: string, threadId: string, signal: AbortSignal): Promise<boolean> {
  const interrupt = async (connection: Connection): Promise<boolean> => {
    const newest = { threadId, limit: 1, sortDirection: "desc", itemsView: "notLoaded" };
    const { data } = await call(connection, 2, "thread/turns/list", newest, z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) }));
    const turn = data.find(({ status }) => status === "inProgress");
    if (turn) await call(connection, 3, "turn/interrupt", { threadId, turnId: turn.id }, z.unknown());
    return turn !== undefined;
  };
  return (await withAppServer(home, interrupt, signal)) ?? false;
}

/** Whether the daemon has exactly this thread open; undefined where no daemon answers. */
export function isThreadLoaded(home: string, threadId: string, signal: AbortSignal): Promise<boolean | undefined> {
  return withAppServer(home, async (connection) => (await loadedIn(connection)).includes(threadId), signal);
}

/** A daemon is there, whether or not it answers. */
export function isAppServerThere(home: string): Promise<boolean> {
  return isListening(socketIn(home));
}

function socketIn(home: string): string {
  return join(home, "app-server-control", "app-server-control.sock");
}

async function withAppServer<T>(home: string, use: (connection: Connection) => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const introduced = async (connection: Connection): Promise<T> => {
    await call(connection, 1, "initialize", { clientInfo: { name: "session-warden", title: "Session Warden", version: "1" } }, z.unknown());
    connection.send(JSON.stringify({ method: "initialized" }));
    return use(connection);
  };
  try {
    return await withWebSocket(socketIn(home), introduced, AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
const answerWithinMs = 1_500;

async function openThreads(connection: Connection): Promise<readonly Thread[]> {
  const loaded = await loadedIn(connection);
  if (loaded.length === 0) return [];
  const { data: listed } = await call(connection, 3, "thread/list", { limit: newestLooked }, z.object({ data: z.array(z.unknown()) }));
  return listed.flatMap((row) => thread.safeParse(row).data ?? []).filter(({ id }) => loaded.includes(id));
}
const newestLooked = 100;

async function loadedIn(connection: Connection): Promise<readonly string[]> {
  return (await call(connection, 2, "thread/loaded/list", {}, z.object({ data: z.array(z.string()) }))).data;
}

async function call<T>(connection: Connection, id: number, method: string, params: object, result: z.ZodType<T>): Promise<T> {
  connection.send(JSON.stringify({ id, method, params }));
  const answer = await connection.next((text) => {
    const its = z.literal(id);
    const { data } = z.union([z.object({ id: its, result: z.unknown() }), z.object({ id: its, error: z.unknown() })]).safeParse(parseJson(text));
    return data;
  });
  if ("error" in answer) throw new Error(`${method} was refused`, { cause: answer.error });
  return result.parse(answer.result);
}

const thread = z
  .object({
    id: z.string(),
    cwd: z.string(),
    createdAt: z.number(),
    updatedAt: z.number().optional().catch(undefined),
    name: z.string().nullish().catch(undefined),
    preview: z.string().optional().catch(undefined),
    originator: z.string().optional().catch(undefined),
    status: z.object({ type: z.string(), activeFlags: z.array(z.string()).default([]) }).catch({ type: "", activeFlags: [] }),
  })
  .transform(({ id, cwd, createdAt, updatedAt, name, preview, originator, status }): Thread => ({
    id,
    cwd,
    name: name ?? preview,
    createdAt: createdAt * 1_000,
    updatedAt: updatedAt === undefined ? undefined : updatedAt * 1_000,
    isOfTerminal: originator === "codex-tui",
    ...activityOf(status),
  }));

function activityOf({ type, activeFlags }: { readonly type: string; readonly activeFlags: readonly string[] }): Pick<Thread, "activity" | "seen"> {
  if (type === "idle") return { activity: "idle", seen: "waits for a prompt" };
  if (type !== "active") return { activity: "silent", seen: "Codex's server does not say what it does" };
  if (activeFlags.includes("waitingOnApproval")) return { activity: "needsInput", seen: "waits for an approval" };
  if (activeFlags.includes("waitingOnUserInput")) return { activity: "needsInput", seen: "waits for an answer" };
  return { activity: "working", seen: "Codex's server says that it works" };
}
