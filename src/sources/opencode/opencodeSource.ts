import type { Agent } from "../../core/agent.ts";
import type { Census } from "../../core/census.ts";
import type { Facet, Run } from "../../core/facet.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Source } from "../../core/source.ts";
import type { Unreachable } from "../../core/notice.ts";
import type { Machine } from "../../system/machine.ts";
import { reply } from "./answerAsked.ts";
import { facetsOf } from "./facets.ts";
import { isLook, lookAt } from "./look.ts";
import type { ServerLook } from "./look.ts";
import { openNews } from "./news.ts";
import { openDirectoriesBy } from "./openDirectories.ts";
import type { AtWork } from "./openDirectories.ts";
import { peekAt } from "./peek.ts";
import { openProcessFinder } from "./processes.ts";
import { withServerLadder } from "./serverLadder.ts";
import { openServerFinder } from "./servers.ts";
import type { Passwords, Server } from "./servers.ts";
import { storeOn } from "./stores.ts";
import { unfinishedIn } from "./unfinished.ts";

export interface Parts {
  readonly agent: Agent;
  readonly machine: Machine;
  /** Servers beside those that are found. */
  readonly servers: readonly string[];
  readonly passwords: Passwords;
}

interface Whole {
  readonly facets: readonly Facet[];
  readonly looks: readonly ServerLook[];
  readonly unreachable: readonly Unreachable[];
}

/** The sessions of OpenCode's servers, as their own HTTP interface tells them. */
export function createOpencodeSource({ agent, machine, servers, passwords }: Parts): Source {
  const findProcesses = openProcessFinder(agent, machine);
  const findServers = openServerFinder(servers, passwords);
  const news = openNews();
  const openOn = openDirectoriesBy(news);
  const latest = new Map<Server["client"], ServerLook>();

  return {
    id: "opencode",
    async read(census, signal) {
      const { facets, unreachable } = await look(census, signal, "whereThereIsNews");
      return { facets, unreachable, notices: [] };
    },
    async lookAgain(facet, census, signal) {
      const { facets, looks, unreachable } = await look(census, signal, "everywhere");
      const fresh = facets.find(({ key }) => key === facet.key);
      if (fresh) return { kind: "seen", facet: fresh };
      const [silent] = unreachable;
      if (silent) return { kind: "unreachable", reason: `${silent.place}: ${silent.reason}` };
      return looks.length === 0 ? { kind: "unreachable", reason: "no OpenCode server was found" } : { kind: "notThere" };
    },
    watch: (onChange) => news.listen(onChange),
    withLadder: (run, census, climb, signal) =>
      onItsServer(run, census, signal, ({ looks, server }) => withServerLadder(run, { server, looks, machine, census }, climb, signal)),
    async stores(facet, signal) {
      const { looks } = await look(await machine.census(signal), signal, "everywhere");
      return storeOn(facet, looks);
    },
    async peek(run, signal) {
      const peeked = await onItsServer(run, await machine.census(signal), signal, async ({ server, look }) => peekAt(run, server.client, look, signal));
      return typeof peeked === "object" ? undefined : peeked;
    },
    async answerPermission(run, answer, signal) {
      return onItsServer(run, await machine.census(signal), signal, ({ look }) => reply(run, answer, look, signal));
    },
  };

  async function look(census: Census, signal: AbortSignal, where: "everywhere" | "whereThereIsNews"): Promise<Whole> {
    const processes = await findProcesses(census, signal);
    const found = await findServers(processes, census, signal);
    news.follow(found.servers);
    const unfinished = await unfinishedOf(found.servers);
    const looked = await Promise.all(found.servers.map(async (server) => ({ server, looked: await lookOnce(server, where) })));
    for (const known of latest.keys()) if (!found.servers.some(({ client }) => client === known)) latest.delete(known);
    const looks = looked.flatMap(({ looked }) => (isLook(looked) ? [looked] : []));
    const portless = processes.filter(({ ports }) => ports.length === 0);
    const ids = new Map([...unfinished].map(([database, rows]) => [database, rows && new Set(rows.map(({ id }) => id))]));
    return {
      facets: facetsOf({ looks, portless, unfinished: ids, at: census.at }),
      looks,
      unreachable: [
        ...found.unreachable,
        ...looked.flatMap(({ server, looked }): Unreachable[] =>
          isLook(looked) ? [] : [{ place: server.origin, reason: looked.reason, ...(looked.isLocked && { remedy: "enterPassword" }) }],
        ),
      ],
    };

    /** While a server tells its news by itself, what it last said is still so. */
    async function lookOnce(server: Server, where: "everywhere" | "whereThereIsNews") {
      const before = latest.get(server.client);
      const directories = await openOn(server, processes, unfinished, signal);
      const isKnown = before && news.isQuiet(server) && [...directories].every((directory) => before.opened.has(directory));
      if (isKnown && where === "whereThereIsNews") return before;
      news.asked(server);
      const now = await lookAt(server, directories, signal);
      if (isLook(now)) latest.set(server.client, now);
      else latest.delete(server.client);
      return now;
    }
  }

  async function onItsServer<T>(
    run: Run,
    census: Census,
    signal: AbortSignal,
    use: (on: { readonly server: Server; readonly look: ServerLook; readonly looks: readonly ServerLook[] }) => Promise<T>,
  ): Promise<T | Refusal> {
    const { looks } = await look(census, signal, "everywhere");
    const own = looks.find(({ server }) => run.host.kind === "server" && server.origin === run.host.url);
    return own ? use({ server: own.server, look: own, looks }) : { kind: "refused", reason: "unreachable", detail: `${run.place} does not answer` };
  }
}

/** By database: several servers may share one. */
async function unfinishedOf(servers: readonly Server[]): Promise<AtWork> {
  const began = Map.groupBy(
    servers.filter(({ database }) => database !== undefined),
    ({ database }) => database ?? "",
  );
  const read = [...began].map(async ([database, sharing]) => {
    const since = Math.min(...sharing.map(({ startedAt }) => startedAt ?? 0));
    return [database, await unfinishedIn(database, since)] as const;
  });
  return new Map(await Promise.all(read));
}
