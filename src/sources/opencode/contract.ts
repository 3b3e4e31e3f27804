/** What one call brought: a server that can't or won't answer is a value, and only a cancelled wait throws. */
export type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  /** OpenCode's own word that there is no such session or request; a 404 of any other kind has failed. */
  | { readonly kind: "notFound" }
  | { readonly kind: "locked" }
  /** This release does not declare the call, so nothing was sent; or a web page came. */
  | { readonly kind: "noSuchCall" }
  | { readonly kind: "timedOut" }
  | { readonly kind: "unreachable"; readonly reason: string }
  /** It answered, and not as a success does. The reason reads on after the server's name. */
  | { readonly kind: "failed"; readonly reason: string };

export interface Login {
  readonly user: string;
  readonly password: string;
}

export interface ServerSession {
  readonly id: string;
  readonly directory: string;
  readonly title: string;
  readonly parentId: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archivedAt: number | undefined;
}

export type RunState = { readonly kind: "busy" } | { readonly kind: "retry"; readonly attempt: number; readonly message: string };

export interface PermissionRequest {
  readonly id: string;
  readonly sessionId: string;
  readonly tool: string;
  /** The command, the file or the patterns, as one text. */
  readonly input: string;
  /** In which it was asked: once that is at its end, nobody waits for the answer any more. */
  readonly messageId: string | undefined;
}

export interface QuestionRequest {
  readonly id: string;
  readonly sessionId: string;
  readonly question: string;
  readonly messageId: string | undefined;
}

export interface RunningTool {
  readonly tool: string;
  readonly input: Readonly<{ [name: string]: unknown }>;
}

export interface Message {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly createdAt: number;
  /** False for ever after a crash in the middle of a turn: it proves no run. */
  readonly isFinished: boolean;
  readonly texts: readonly string[];
  readonly runningTools: readonly RunningTool[];
}

/**
 * One server, asked through declared calls only, each on a connection and with a deadline of its own.
 * A call that names a directory has the server open it and run its plugins, if it has not yet.
 */
export interface Client {
  /** "http://127.0.0.1:4096" */
  readonly origin: string;
  readonly version: "v1" | "v2";
  /** All of every directory, archived and children too, or no ok at all. Opens no directory. */
  sessions(signal: AbortSignal): Promise<Answer<readonly ServerSession[]>>;
  /** Opens no directory. */
  findSession(id: string, signal: AbortSignal): Promise<Answer<ServerSession>>;
  /** The session as the server itself has it, its own directory opened. */
  read(id: string, directory: string | undefined, signal: AbortSignal): Promise<Answer<ServerSession>>;
  ownDirectory(signal: AbortSignal): Promise<Answer<string>>;
  /** Runs of the first engine in this directory; a session that is not in it is idle here. */
  runs(directory: string, signal: AbortSignal): Promise<Answer<ReadonlyMap<string, RunState>>>;
  /** Runs of the second engine, of all directories. */
  active(signal: AbortSignal): Promise<Answer<ReadonlySet<string>>>;
  /** Entries go stale: they stay listed after an abort or a delete. */
  permissions(directory: string, signal: AbortSignal): Promise<Answer<readonly PermissionRequest[]>>;
  /** Those of the second engine. */
  activePermissions(id: string, signal: AbortSignal): Promise<Answer<readonly PermissionRequest[]>>;
  questions(directory: string, signal: AbortSignal): Promise<Answer<readonly QuestionRequest[]>>;
  /** The last ones, oldest first. */
  messages(id: string, directory: string, limit: number, signal: AbortSignal): Promise<Answer<readonly Message[]>>;
  /** The answer proves nothing: it is the same for an idle, an unknown and a foreign session. */
  abort(id: string, directory: string, signal: AbortSignal): Promise<Answer<true>>;
  /** As abort, of the second engine. */
  interrupt(id: string, signal: AbortSignal): Promise<Answer<true>>;
  /** Deletes the session and its children. A run goes on. */
  remove(id: string, directory: string | undefined, signal: AbortSignal): Promise<Answer<true>>;
  reply(requestId: string, directory: string, reply: "once" | "reject", signal: AbortSignal): Promise<Answer<true>>;
  /** As reply, of the second engine. */
  replyActive(id: string, requestId: string, reply: "once" | "reject", signal: AbortSignal): Promise<Answer<true>>;
  /** Ends every run of that directory on this server. */
  disposeDirectory(directory: string, signal: AbortSignal): Promise<Answer<true>>;
  /** Ends every run of this server. */
  disposeServer(signal: AbortSignal): Promise<Answer<true>>;
}

export interface Deadlines {
  readonly lookMs: number;
  /** All sessions, and what the server declares: large answers. */
  readonly listMs: number;
  /** What changes something: an abort waits for its tools. */
  readonly actMs: number;
}

export const usualDeadlines: Deadlines = { lookMs: 2_000, listMs: 5_000, actMs: 10_000 };
