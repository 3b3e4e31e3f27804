import type { Answer, Login } from "./contract.ts";
import { isNotFound } from "./answers.ts";

export interface ServerAddress {
  readonly origin: string;
  /** Sent to this origin only, and nothing of the kind without it. */
  readonly login: Login | undefined;
}

export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  /** With its query; every segment encoded. */
  readonly path: string;
  readonly body?: unknown;
  readonly success: 200 | 204;
  /** Covers the body too. */
  readonly withinMs: number;
}

export interface Reply {
  /** Undefined for a 204. */
  readonly json: unknown;
  readonly headers: Headers;
}

const mostBytes = 32 * 1024 * 1024;

/**
 * One call on a connection of its own. Ok means the very status that was expected, with JSON where that has a body:
 * OpenCode answers unknown paths with a web page and 200. A redirect is never followed. Throws only when the caller's signal does.
 */
export async function request(server: ServerAddress, call: Call, signal: AbortSignal): Promise<Answer<Reply>> {
  signal.throwIfAborted();
  const ending = new AbortController();
  const end = () => ending.abort();
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    end();
  }, call.withinMs);
  signal.addEventListener("abort", end, { once: true });
  try {
    const response = await fetch(`${server.origin}${call.path}`, {
      method: call.method,
      // A connection that was accepted before the server listened is never answered, so none is ever used twice.
      headers: {
        accept: "application/json",
        connection: "close",
        ...credential(server.login),
        ...(call.body !== undefined && { "content-type": "application/json" }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      redirect: "manual",
      signal: ending.signal,
    });
    return await judge(response, call.success);
  } catch (error) {
    signal.throwIfAborted();
    if (isLate) return { kind: "timedOut" };
    return { kind: "unreachable", reason: whyUnreachable(error) };
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener("abort", end);
    // What was not read of the answer is not waited for.
    end();
  }
}

export function credential(login: Login | undefined): { readonly authorization?: string } {
  if (!login) return {};
  return { authorization: `Basic ${Buffer.from(`${login.user}:${login.password}`).toString("base64")}` };
}

async function judge(response: Response, success: 200 | 204): Promise<Answer<Reply>> {
  const { status, headers } = response;
  if (status === 401) return { kind: "locked" };
  // 0 is what a browser's fetch makes of a redirect.
  if (status === 0 || (status >= 300 && status < 400)) return failed("sends elsewhere");
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  if (type.startsWith("text/html")) return { kind: "noSuchCall" };
  if (status === 204 && success === 204) return { kind: "ok", value: { json: undefined, headers } };
  if (!type.startsWith("application/json")) return failed(`answered ${status} without JSON`);
  if (status !== success && status !== 404) return failed(`answered ${status}`);
  const text = await readText(response);
  if (text === undefined) return failed("sent an answer that is too large");
  const json = parsed(text);
  if (json === undefined) return failed("sent an answer that is no JSON");
  if (status === success) return { kind: "ok", value: { json, headers } };
  return isNotFound(json) ? { kind: "notFound" } : failed(`answered ${status}`);
}

async function readText({ body }: Response): Promise<string | undefined> {
  if (!body) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(reason: string): { readonly kind: "failed"; readonly reason: string } {
  return { kind: "failed", reason };
}

function whyUnreachable(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = cause && "code" in cause ? cause.code : undefined;
  if (code === "ECONNREFUSED") return "refuses the connection";
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "EPIPE") return "ended the connection";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "has a name that can't be found";
  return `can't be reached (${typeof code === "string" ? code : (cause?.message ?? String(error))})`;
}
