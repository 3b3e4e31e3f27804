import * as z from "zod";
import { releaseIn } from "./answers.ts";
import { shaped } from "./ask.ts";
import type { Answer } from "./contract.ts";
import type { ServerAddress } from "./request.ts";
import { request } from "./request.ts";

/** "GET /session/{}": the names of parameters differ between releases. */
export type DeclaredCalls = ReadonlySet<string>;

const known = new Map<string, DeclaredCalls>();
const mostKnown = 16;

/**
 * What this release says that it answers. An undeclared path is never tried: it is answered with a web page,
 * or sent on with its credential to a host outside. Read once for an origin and release; a failure is not kept.
 */
export async function declaredCalls(server: ServerAddress, release: string, withinMs: number, signal: AbortSignal): Promise<Answer<DeclaredCalls>> {
  const key = `${server.origin} ${release}`;
  const before = known.get(key);
  if (before) return { kind: "ok", value: before };
  const reply = await request(server, { method: "GET", path: "/doc", success: 200, withinMs }, signal);
  if (reply.kind !== "ok") return reply;
  const calls = callsIn(reply.value.json);
  if (!calls) return { kind: "failed", reason: "does not say which calls it answers" };
  known.set(key, calls);
  const [oldest] = known.keys();
  if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
  return { kind: "ok", value: calls };
}

/** Whether the server that is there now declares it, whatever was there before. */
export async function isDeclaredNow(server: ServerAddress, method: string, template: string, withinMs: number, signal: AbortSignal): Promise<boolean> {
  const release = await releaseOf(server, withinMs, signal);
  if (release.kind !== "ok") return false;
  const calls = await declaredCalls(server, release.value, withinMs, signal);
  return calls.kind === "ok" && calls.value.has(callKey(method, template));
}

/** Asks the one path that tells a 1.x server. */
export async function releaseOf(server: ServerAddress, withinMs: number, signal: AbortSignal): Promise<Answer<string>> {
  return shaped(await request(server, { method: "GET", path: "/global/health", success: 200, withinMs }, signal), releaseIn);
}

export function callKey(method: string, template: string): string {
  return `${method.toUpperCase()} ${template.replaceAll(/\{[^}]*\}/g, "{}")}`;
}

const Declared = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown()).catch({})) });

function callsIn(json: unknown): DeclaredCalls | undefined {
  const paths = Declared.safeParse(json).data?.paths;
  if (!paths) return undefined;
  return new Set(Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => callKey(method, path))));
}
