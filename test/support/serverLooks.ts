import type { Run } from "../../src/core/facet.ts";
import { probe } from "../../src/sources/opencode/client.ts";
import type { Deadlines } from "../../src/sources/opencode/client.ts";
import { facetsOf } from "../../src/sources/opencode/facets.ts";
import { isLook, lookAt } from "../../src/sources/opencode/look.ts";
import type { ServerLook } from "../../src/sources/opencode/look.ts";
import type { Server } from "../../src/sources/opencode/servers.ts";
import { now } from "./facets.ts";
import type { PlayedOpencode } from "./playedOpencode.ts";

const { signal } = new AbortController();
const deadlines: Deadlines = { lookMs: 1_000, listMs: 1_000, actMs: 1_000 };

/** As the product finds it and looks at it, by its own client. */
export async function lookAtPlayed(played: PlayedOpencode, over: Partial<Server> = {}, opened: readonly string[] = ["/app"]): Promise<ServerLook> {
  const probed = await probe(played.origin, undefined, signal, deadlines);
  if (probed.kind !== "server") throw new Error(`${played.origin} is ${probed.kind}`);
  const server: Server = {
    origin: played.origin,
    client: probed.client,
    login: undefined,
    process: undefined,
    role: "server",
    startedAt: 0,
    database: undefined,
    ...over,
  };
  const looked = await lookAt(server, { directories: new Set(opened), areAll: true }, signal);
  if (!isLook(looked)) throw new Error(looked.reason);
  return looked;
}

export function runIn(looks: readonly ServerLook[], id: string): Run {
  const facet = facetsOf({ looks, mute: [], unfinished: new Map(), at: now }).find(({ key }) => key === `opencode:${id}`);
  if (facet?.kind !== "run") throw new Error(`${id} is no run`);
  return facet;
}
