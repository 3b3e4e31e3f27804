import { serviceIn } from "./answers.ts";
import { shaped } from "./ask.ts";
import { classicClient } from "./classicClient.ts";
import type { Answer, Client, Deadlines, Login } from "./contract.ts";
import { usualDeadlines } from "./contract.ts";
import { releaseOf } from "./declared.ts";
import { request } from "./request.ts";
import { serviceClient } from "./serviceClient.ts";

export type { Answer, Client, Deadlines, Login, Message, PermissionRequest, QuestionRequest, RunState, RunningTool, ServerSession } from "./contract.ts";

export type Probed =
  | { readonly kind: "server"; readonly client: Client; readonly release: string; /** Of 2.x, which tells it. */ readonly pid?: number }
  | { readonly kind: "locked" }
  | { readonly kind: "notOpencode" }
  | { readonly kind: "silent"; readonly reason: string };

/** What is behind an origin. Asks two paths at most, and sends no credential unless a login is given. */
export async function probe(origin: string, login: Login | undefined, signal: AbortSignal, deadlines: Deadlines = usualDeadlines): Promise<Probed> {
  const server = { origin, login };
  const health = await releaseOf(server, deadlines.lookMs, signal);
  if (health.kind === "ok") return { kind: "server", client: classicClient(server, health.value, deadlines), release: health.value };
  if (health.kind !== "noSuchCall") return withoutServer(health);
  const service = await serviceOf(origin, login, signal, deadlines);
  if (service.kind === "ok") return { kind: "server", client: serviceClient(server, deadlines), release: service.value.release, pid: service.value.pid };
  return withoutServer(service);
}

/** Who a 2.x server says that it is. To be believed only if the process is the one that listens there. */
export async function serviceOf(
  origin: string,
  login: Login | undefined,
  signal: AbortSignal,
  deadlines: Deadlines = usualDeadlines,
): Promise<Answer<{ readonly release: string; readonly pid: number }>> {
  return shaped(await request({ origin, login }, { method: "GET", path: "/api/info", success: 200, withinMs: deadlines.lookMs }, signal), serviceIn);
}

function withoutServer(answer: Exclude<Answer<unknown>, { readonly kind: "ok" }>): Probed {
  switch (answer.kind) {
    case "locked":
      return { kind: "locked" };
    case "timedOut":
      return { kind: "silent", reason: "does not answer" };
    case "unreachable":
      return { kind: "silent", reason: answer.reason };
    case "notFound":
    case "noSuchCall":
    case "failed":
      return { kind: "notOpencode" };
  }
}
