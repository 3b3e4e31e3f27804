import type { Run } from "../../core/facet.ts";
import type { Refusal } from "../../core/refusal.ts";
import { reasonOf } from "./look.ts";
import type { ServerLook } from "./look.ts";

/** Once, and to that very request: a sub-agent's too, since its root asks for it. What is allowed for ever is said in OpenCode itself. */
export async function reply({ asks, host }: Run, answer: "allow" | "deny", look: ServerLook, signal: AbortSignal): Promise<Refusal | undefined> {
  const request = look.permissions.find(({ id }) => id === asks?.id);
  const turn = look.runs.find(({ id }) => id === request?.sessionId);
  if (!request || !turn || host.kind !== "server") return { kind: "refused", reason: "unsupported", detail: "it no longer asks for that" };
  const { client } = look.server;
  const word = answer === "allow" ? "once" : "reject";
  const told =
    turn.engine === "second"
      ? await client.replyActive(request.sessionId, request.id, word, signal)
      : await client.reply(request.id, turn.directory ?? host.directory, word, signal);
  return told.kind === "ok" ? undefined : { kind: "refused", reason: "unreachable", detail: reasonOf(told) };
}
