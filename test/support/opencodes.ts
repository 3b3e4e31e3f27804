import type { OpencodeProcess } from "../../src/sources/opencode/processes.ts";
import type { ListeningPort } from "../../src/system/listeningPorts.ts";
import { anEntry, pid } from "./facets.ts";

/** A recognised OpenCode of this user's, as the process table tells it. */
export function anOpencode(number: number, over: Partial<OpencodeProcess> & { readonly startedAt?: number } = {}): OpencodeProcess {
  const { startedAt, ...rest } = over;
  return { entry: anEntry(pid(number), { startedAt }), role: "server", ports: [], cwd: undefined, database: undefined, ...rest };
}

export function portOf(origin: string): ListeningPort {
  return { host: "127.0.0.1", port: Number(new URL(origin).port) };
}
