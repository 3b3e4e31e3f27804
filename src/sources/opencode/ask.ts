import type { Answer, Deadlines } from "./contract.ts";
import { isRequestId, isSessionId } from "./ids.ts";
import type { Call, Reply, ServerAddress } from "./request.ts";
import { request } from "./request.ts";

/** One call that OpenCode declares, with what goes into it. */
export interface Wanted {
  readonly method: Call["method"];
  /** "/session/{sessionID}/abort"; an id for each parameter follows. */
  readonly template: string;
  readonly ids?: readonly string[];
  readonly query?: { readonly [name: string]: string | undefined };
  readonly body?: unknown;
  readonly success: 200 | 204;
  readonly within: keyof Deadlines;
}

const parameter = /\{[^}]*\}/g;
export const notAnId = "was not asked: the id is none of OpenCode's";

/** Sends nothing where an id or a directory is none that OpenCode could mean. */
export async function ask(server: ServerAddress, wanted: Wanted, deadlines: Deadlines, signal: AbortSignal): Promise<Answer<Reply>> {
  const wrong = whatIsWrong(wanted);
  if (wrong !== undefined) return { kind: "failed", reason: wrong };
  const { method, body, success } = wanted;
  return request(server, { method, path: pathOf(wanted), success, withinMs: deadlines[wanted.within], ...(body !== undefined && { body }) }, signal);
}

/** Ok only where the answer has the shape that it ought to have. */
export function shaped<T>(reply: Answer<Reply>, read: (json: unknown) => T | undefined): Answer<T> {
  if (reply.kind !== "ok") return reply;
  const value = read(reply.value.json);
  return value === undefined ? { kind: "failed", reason: "sent an answer of another shape" } : { kind: "ok", value };
}

export function done(reply: Answer<Reply>): Answer<true> {
  return reply.kind === "ok" ? { kind: "ok", value: true } : reply;
}

function whatIsWrong({ template, ids = [], query = {} }: Wanted): string | undefined {
  const parameters = template.match(parameter) ?? [];
  const fits = parameters.every((name, nth) => (name === "{requestID}" ? isRequestId : isSessionId)(ids[nth] ?? ""));
  if (!fits) return notAnId;
  // A relative or empty one would mean the server's own directory.
  if (query["directory"] !== undefined && !isAbsolute(query["directory"])) return "was not asked: the directory has no full path";
  return undefined;
}

function isAbsolute(directory: string): boolean {
  return directory.isWellFormed() && /^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(directory);
}

function pathOf({ template, ids = [], query = {} }: Wanted): string {
  const left = [...ids];
  const path = template.replaceAll(parameter, () => encodeURIComponent(left.shift() ?? ""));
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]));
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}
