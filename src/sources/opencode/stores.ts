import type { Facet } from "../../core/facet.ts";
import type { Store } from "../../core/store.ts";
import { mayRemainIn } from "../../system/erase/remains.ts";
import { emptyLog } from "../../system/sqlite.ts";
import type { Client } from "./client.ts";
import { reasonOf } from "./look.ts";
import type { ServerLook } from "./look.ts";
import { hostIn } from "./origin.ts";

/** Looks afresh everywhere: why it is at work, or may be; undefined where it runs nowhere. */
export type WhyItMayRun = (signal: AbortSignal) => Promise<string | undefined>;

/** Where a session is kept: with a server that lists it. Without one, each that is known is asked, so that nobody is left who has it. */
export function storesOn({ key }: Facet, looks: readonly ServerLook[], whyItMayRun: WhyItMayRun): readonly Store[] {
  const id = key.slice("opencode:".length);
  const listing = looks.filter(({ sessions }) => sessions.some((session) => session.id === id));
  const [first] = listing.length > 0 ? listing.filter(byWhom(looks, id)) : [];
  const asked = listing.length > 0 ? [first ?? listing[0]] : looks;
  return asked.flatMap((look) => (look ? [storeOf(id, look, looks, whyItMayRun)] : []));
}

/** Of several on one database, one whose directory is open already: to be asked about another makes it run that one's plugins. */
function byWhom(looks: readonly ServerLook[], id: string): (look: ServerLook) => boolean {
  const directory = looks.flatMap(({ sessions }) => sessions).find((session) => session.id === id)?.directory;
  return ({ opened }) => directory !== undefined && opened.has(directory);
}

function storeOf(id: string, { server, sessions }: ServerLook, looks: readonly ServerLook[], whyItMayRun: WhyItMayRun): Store {
  const { client, origin } = server;
  // In memory, or on another machine: then nothing is known of it.
  const database = server.database?.startsWith("/") ? server.database : undefined;
  const children = sessions.filter(({ parentId }) => parentId === id).length;
  const directory = sessions.find((session) => session.id === id)?.directory;
  return {
    name: `the session on ${hostIn(origin)}`,
    path: origin,
    bytes: undefined,
    belongsBecause: `the server lists it as ${id}${children === 0 ? "" : `, and deletes ${children === 1 ? "the session of its sub-agent" : `the ${children} sessions of its sub-agents`} with it`}`,
    /** Never what runs: it would run on, and be listed nowhere. */
    async erase(signal) {
      const still = await whyItMayRun(signal);
      if (still !== undefined) return { kind: "blocked", reason: still };
      const removed = await client.remove(id, directory, signal);
      if (removed.kind === "notFound") return { kind: "absent" };
      if (removed.kind !== "ok") return { kind: "blocked", reason: reasonOf(removed) };
      // Pages as they were before stand in the log of a database until that is emptied.
      if (database !== undefined) await emptyLog(database);
      return { kind: "erased" };
    },
    /** Gone is what the server itself says not to have, and what no list and no status names any more. */
    async residue(signal) {
      const own = await client.read(id, undefined, signal);
      const found = own.kind === "notFound" ? [] : [own.kind === "ok" ? `${origin} still has it` : `${origin}: ${reasonOf(own)}`];
      const listed = await Promise.all(looks.map(({ server }) => whoLists(id, server.client, server.origin, signal)));
      const running = await whyItMayRun(signal);
      return [...found, ...listed.flat(), ...(running === undefined ? [] : [running])];
    },
    mayRemain: async () => (database === undefined ? undefined : mayRemainIn(database, id)),
  };
}

async function whoLists(id: string, client: Client, origin: string, signal: AbortSignal): Promise<readonly string[]> {
  const list = await client.sessions(signal);
  if (list.kind !== "ok") return [`${origin}: ${reasonOf(list)}`];
  return list.value.some((session) => session.id === id || session.parentId === id) ? [`${origin} still lists it`] : [];
}
