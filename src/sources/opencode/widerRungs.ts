import type { Census } from "../../core/census.ts";
import type { Run } from "../../core/facet.ts";
import type { Rung } from "../../core/ladder.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Machine } from "../../system/machine.ts";
import { whyProtected } from "../../system/protectedProcess.ts";
import type { Answer } from "./client.ts";
import { reasonOf } from "./look.ts";
import type { ServerLook } from "./look.ts";

interface Parts {
  readonly machine: Machine;
  readonly census: Census;
  /** What its tools run outlives a server that is killed. */
  readonly killChildren: Rung["take"];
}

/** What reaches others too, widest last: every turn of the directory, every turn of the server, the server's process. A session that is at work on several servers has them on each. */
export function widerRungs({ host }: Run, owning: readonly ServerLook[], { machine, census, killChildren }: Parts): readonly Rung[] {
  if (host.kind !== "server") return [];
  const { directory } = host;
  const onEach = (
    reach: Rung["reach"],
    graceMs: number,
    does: (name: string) => string,
    take: (look: ServerLook, signal: AbortSignal) => Promise<string | Refusal>,
  ) =>
    owning.map((look): Rung => {
      const words = does(look.server.origin.replace(/^https?:\/\//, ""));
      return { step: "kill", reach, does: words, graceMs, take: async (signal) => taken(await take(look, signal)) };
    });
  return [
    ...onEach(
      "directory",
      5_000,
      (name) => `ends every turn in ${directory} on ${name}`,
      async ({ server: { client } }, signal) => disposed(await client.disposeDirectory(directory, signal), `disposed of ${directory}`),
    ),
    ...onEach(
      "server",
      5_000,
      (name) => `ends every turn on ${name}`,
      async ({ server: { client } }, signal) => disposed(await client.disposeServer(signal), "disposed of all its directories"),
    ),
    ...onEach(
      "server",
      2_000,
      (name) => `SIGTERM to the server ${name}`,
      async ({ server }) => signalled(server.process, "SIGTERM"),
    ),
    ...onEach(
      "server",
      2_000,
      (name) => `SIGKILL to the server ${name}`,
      async ({ server }, signal) => {
        const did = await signalled(server.process, "SIGKILL");
        if (typeof did !== "string") return did;
        const rest = await killChildren(signal);
        return rest.kind === "taken" ? `${did} and ${rest.did}` : did;
      },
    ),
  ];

  async function signalled(process: ProcessIdentity | undefined, name: "SIGTERM" | "SIGKILL"): Promise<string | Refusal> {
    if (!process) return { kind: "refused", reason: "notEndable", detail: "its process is not known here" };
    const why = whyProtected(process, census);
    if (why !== undefined) return { kind: "refused", reason: "protected", detail: why };
    return (await machine.signal(process, name)) ? `${name} to opencode (${process.pid})` : `opencode (${process.pid}) had ended`;
  }
}

function disposed(answer: Answer<true>, did: string): string | Refusal {
  return answer.kind === "ok" ? did : { kind: "refused", reason: "unreachable", detail: reasonOf(answer) };
}

function taken(did: string | Refusal): Awaited<ReturnType<Rung["take"]>> {
  return typeof did === "string" ? { kind: "taken", did } : did;
}
