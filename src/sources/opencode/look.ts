import pLimit from "p-limit";
import type { Answer, RunState, ServerSession } from "./client.ts";
import type { OpenOn } from "./openDirectories.ts";
import type { Server } from "./servers.ts";
import { waitsOn } from "./waits.ts";
import type { Waits } from "./waits.ts";

/** What one server said at one moment. */
export interface ServerLook extends Waits {
  readonly server: Server;
  readonly sessions: readonly ServerSession[];
  readonly runs: readonly ServerRun[];
  /** The directories that it has open, as far as that is known: only those were asked about. */
  readonly opened: ReadonlySet<string>;
  /** It can't be at work in any other. */
  readonly knowsAllOpened: boolean;
}

/** A turn in the memory of this server. Two engines live in one, and neither knows of the other's turns. */
export interface ServerRun {
  readonly id: string;
  readonly engine: "classic" | "second";
  readonly state: RunState;
  /** That was asked about; undefined for the second engine, which tells of all at once. */
  readonly directory: string | undefined;
}

export type Looked = ServerLook | { readonly kind: "silent"; readonly reason: string; readonly isLocked: boolean };

/**
 * Its list, and what it runs now. A directory that it has not opened is never asked about: the question would run that directory's plugins.
 */
export async function lookAt(server: Server, { directories, areAll }: OpenOn, signal: AbortSignal): Promise<Looked> {
  const { client } = server;
  const [sessions, active, own] = await Promise.all([client.sessions(signal), client.active(signal), client.ownDirectory(signal)]);
  if (sessions.kind !== "ok") return silent(sessions);
  if (active.kind !== "ok" && active.kind !== "noSuchCall") return silent(active);
  const opened = new Set([...directories, ...(own.kind === "ok" ? [own.value] : [])]);

  const limit = pLimit(atOnce);
  const asked = await Promise.all([...opened].map((directory) => limit(async () => ({ directory, answer: await client.runs(directory, signal) }))));
  const failed = asked.find(({ answer }) => answer.kind !== "ok" && answer.kind !== "noSuchCall");
  if (failed && failed.answer.kind !== "ok") return silent(failed.answer);
  const classic = asked.flatMap(({ directory, answer }) =>
    answer.kind === "ok" ? [...answer.value].map(([id, state]): ServerRun => ({ id, engine: "classic", state, directory })) : [],
  );
  const second =
    active.kind === "ok" ? [...active.value].map((id): ServerRun => ({ id, engine: "second", state: { kind: "busy" }, directory: undefined })) : [];

  const runs = [...classic, ...second];
  // One of 2.x tells of all its directories at once.
  const knowsAllOpened = areAll || client.version === "v2";
  return { server, sessions: sessions.value, runs, opened, knowsAllOpened, ...(await waitsOn(client, runs, signal)) };
}
const atOnce = 4;

export function isLook(looked: Looked): looked is ServerLook {
  return !("kind" in looked);
}

function silent(answer: Exclude<Answer<unknown>, { readonly kind: "ok" }>): Looked {
  return { kind: "silent", reason: reasonOf(answer), isLocked: answer.kind === "locked" };
}

/** Why there is no answer, as a clause. */
export function reasonOf(answer: Exclude<Answer<unknown>, { readonly kind: "ok" }>): string {
  switch (answer.kind) {
    case "notFound":
      return "knows of no such session";
    case "locked":
      return "is locked by a password";
    case "noSuchCall":
      return "is a version of OpenCode without such a call";
    case "timedOut":
      return "did not answer in time";
    case "unreachable":
    case "failed":
      return answer.reason;
  }
}
