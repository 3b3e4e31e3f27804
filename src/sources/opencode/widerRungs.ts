import { descendantsOf } from "../../core/census.ts";
import type { Census } from "../../core/census.ts";
import type { Run } from "../../core/facet.ts";
import type { Rung } from "../../core/ladder.ts";
import { isSameProcess } from "../../core/process.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Machine } from "../../system/machine.ts";
import { whyProtected } from "../../system/protectedProcess.ts";
import type { Answer, Client } from "./client.ts";
import { familyIds } from "./family.ts";
import { reasonOf } from "./look.ts";
import type { ServerLook } from "./look.ts";
import { hostIn } from "./origin.ts";
import type { Server } from "./servers.ts";

interface Parts {
  readonly machine: Machine;
  readonly census: Census;
  /** What its tools run outlives a server that is killed. */
  readonly killChildren: Rung["take"];
}
type Take = (look: ServerLook, signal: AbortSignal) => Promise<string | Refusal>;

/** What reaches others too, widest last: every turn of the directory, every turn of the server, the server's process. A session that is at work on several servers has them on each. */
export function widerRungs({ key, host }: Run, owning: readonly ServerLook[], { machine, census, killChildren }: Parts): readonly Rung[] {
  if (host.kind !== "server") return [];
  const id = key.slice("opencode:".length);
  const { directory } = host;

  const disposeOfDirectory: Take = async ({ server: { client } }, signal) =>
    disposed(await unlessSilent(client, signal, () => client.disposeDirectory(directory, signal)), `disposed of ${directory}`);
  const disposeOfServer: Take = async ({ server: { client } }, signal) =>
    disposed(await unlessSilent(client, signal, () => client.disposeServer(signal)), "disposed of all its directories");
  const terminate: Take = ({ server }, signal) => endServer(server, "SIGTERM", signal);
  const kill: Take = async ({ server }, signal) => {
    const did = await endServer(server, "SIGKILL", signal);
    const rest = typeof did === "string" ? await killChildren(signal) : undefined;
    return typeof did === "string" && rest?.kind === "taken" ? `${did} and ${rest.did}` : did;
  };
  return [
    ...owning.map((look) => rungOn(look, "directory", 5_000, `ends every turn in ${directory}`, disposeOfDirectory)),
    ...owning.map((look) => rungOn(look, "server", 5_000, "ends every turn", disposeOfServer)),
    ...owning.map((look) => rungOn(look, "server", 2_000, "SIGTERM to the server", terminate)),
    ...owning.map((look) => rungOn(look, "server", 2_000, "SIGKILL to the server", kill)),
  ];

  function rungOn(look: ServerLook, reach: Rung["reach"], graceMs: number, words: string, take: Take): Rung {
    const does = `${words} on ${hostIn(look.server.origin)}`;
    return {
      step: "kill",
      reach,
      does,
      graceMs,
      async take(signal) {
        const why = look.server.process && whyProtected(look.server.process, census);
        if (why !== undefined) return { kind: "refused", reason: "protected", detail: why };
        const others = othersAtWork(look, reach);
        const did = await take(look, signal);
        return typeof did === "string" ? { kind: "taken", did: others.length > 0 ? `${did}, where others were at work too: ${others.join(", ")}` : did } : did;
      },
    };
  }

  /** As they were when it was begun: whom else this can have ended. */
  function othersAtWork({ runs, sessions }: ServerLook, reach: Rung["reach"]): readonly string[] {
    const family = familyIds(id, sessions);
    const others = runs.filter((run) => !family.has(run.id) && (reach === "server" || run.directory === undefined || run.directory === directory));
    return others.map((run) => `“${sessions.find((session) => session.id === run.id)?.title ?? run.id}”`);
  }

  /** It leaves what its tools run to nobody: 1.18.33 handles no signal. So that is ended with it, by identity, once it has gone. */
  async function endServer({ process }: Server, name: "SIGTERM" | "SIGKILL", signal: AbortSignal): Promise<string | Refusal> {
    if (!process) return { kind: "refused", reason: "notEndable", detail: "its process is not known here" };
    const now = await machine.processes(signal);
    const entry = now.processes?.get(process.pid);
    const below = entry && isSameProcess(entry.identity, process) ? descendantsOf([entry], now) : [];
    const did = (await machine.signal(process, name)) ? `${name} to opencode (${process.pid})` : `opencode (${process.pid}) had ended`;
    if ((await machine.exited([process], leavesWithinMs, signal)).length > 0) return did;
    let ended = 0;
    for (const { identity } of below) if (await machine.signal(identity, "SIGKILL")) ended++;
    return ended === 0 ? did : `${did} and SIGKILL to ${ended === 1 ? "1 process" : `${ended} processes`} below it`;
  }
}
const leavesWithinMs = 1_000;

/** One that hangs is not waited for as long as a dispose may take. */
async function unlessSilent(client: Client, signal: AbortSignal, dispose: () => Promise<Answer<true>>): Promise<Answer<true>> {
  const active = await client.active(signal);
  return active.kind === "ok" || active.kind === "noSuchCall" ? dispose() : active;
}

function disposed(answer: Answer<true>, did: string): string | Refusal {
  return answer.kind === "ok" ? did : { kind: "refused", reason: "unreachable", detail: reasonOf(answer) };
}
