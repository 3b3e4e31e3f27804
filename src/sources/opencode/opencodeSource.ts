import type { Agent } from "../../core/agent.ts";
import type { Census } from "../../core/census.ts";
import type { Facet, FacetKey, Run } from "../../core/facet.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Source } from "../../core/source.ts";
import type { Unreachable } from "../../core/notice.ts";
import type { Machine } from "../../system/machine.ts";
import { reply } from "./answerAsked.ts";
import { facetsOf } from "./facets.ts";
import { isLook, lookAt } from "./look.ts";
import type { Looked, ServerLook } from "./look.ts";
import { openMuteFinder } from "./mute.ts";
import { openNews } from "./news.ts";
import { openDirectoriesBy } from "./openDirectories.ts";
import type { AtWork } from "./openDirectories.ts";
import { openPatience } from "./patience.ts";
import { peekAt } from "./peek.ts";
import { openProcessFinder } from "./processes.ts";
import type { OpencodeProcess } from "./processes.ts";
import { withServerLadder } from "./serverLadder.ts";
import { openServerFinder } from "./servers.ts";
import type { Passwords, Server } from "./servers.ts";
import { storesOn } from "./stores.ts";
import { whereItIsKept } from "./whereItIsKept.ts";
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
  const patient = openPatience();
  const findMute = openMuteFinder();
  const latest = new Map<Server["client"], ServerLook>();
  const listedOn = new Map<FacetKey, string>();

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
      if (looks.length === 0) return { kind: "unreachable", reason: "no OpenCode server was found" };
      // Its own server may not run now.
      const kept = await whereItIsKept(facet.key.slice("opencode:".length), agent, await findProcesses(census, signal));
      return kept === undefined ? { kind: "notThere" } : { kind: "unreachable", reason: `no server that runs lists it, but ${kept}` };
    },
    watch: (onChange) => news.listen(onChange),
    withLadder: (run, census, climb, signal) =>
      onItsServer(run, census, signal, ({ looks, server }) => withServerLadder(run, { server, looks, machine, census }, climb, signal)),
    async stores(facet, signal) {
      const census = await machine.census(signal);
      const all = (await look(census, signal, "everywhere")).looks;
      const isListing = ({ sessions }: ServerLook): boolean => sessions.some(({ id }) => `opencode:${id}` === facet.key);
      for (const { server } of all.filter(isListing)) listedOn.set(facet.key, server.origin);
      // When it has been deleted nobody lists it, and of those who never did nothing was deleted.
      const once = all.filter(({ server }) => server.origin === listedOn.get(facet.key));
      const stores = storesOn(facet, all.some(isListing) || once.length === 0 ? all : once, whyItRuns);
      return { stores, leftAlone: [] };

      async function whyItRuns(abort: AbortSignal): Promise<string | undefined> {
        const now = await look(await machine.census(abort), abort, "everywhere");
        const silent = all.find(({ server }) => !now.looks.some((each) => each.server.origin === server.origin));
        return silent ? `${silent.server.origin} gives no answer any more` : whyItMayRun(facet.key, now.facets);
      }
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
    const unfinished = await unfinishedOf(processes, census.at);
    const looked = await Promise.all(
      found.servers.map(async (server) => ({ server, looked: await (news.isFollowed() ? patient(server, () => lookOnce(server), where) : lookOnce(server)) })),
    );
    for (const known of latest.keys()) if (!found.servers.some(({ client }) => client === known)) latest.delete(known);
    const looks = looked.flatMap(({ looked }) => (isLook(looked) ? [looked] : []));
    const mute = await findMute({ census, processes, looks, atWork: unfinished, isHasty: where === "whereThereIsNews" });
    return {
      facets: facetsOf({ looks, mute, unfinished, at: census.at }),
      looks,
      unreachable: [
        ...found.unreachable,
        ...looked.flatMap(({ server, looked }): Unreachable[] =>
          isLook(looked) ? [] : [{ place: server.origin, reason: looked.reason, ...(looked.isLocked && { remedy: "enterPassword" }) }],
        ),
      ],
    };

    /** While a server tells its news by itself, what it last said is still so. */
    async function lookOnce(server: Server): Promise<Looked> {
      const before = latest.get(server.client);
      const open = await openOn(server, processes, unfinished);
      const isKnown = before && news.isQuiet(server) && [...open.directories].every((directory) => before.opened.has(directory));
      if (isKnown && where === "whereThereIsNews") return before;
      news.asked(server);
      const now = await lookAt(server, open, signal);
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

/** It, or what was begun for it and is deleted with it. In words; undefined where none of them runs anywhere. */
function whyItMayRun(key: FacetKey, facets: readonly Facet[]): string | undefined {
  const children = Map.groupBy(facets, ({ parent }) => parent);
  const family = new Set(facets.filter((facet) => facet.key === key));
  for (const member of family) for (const child of children.get(member.key) ?? []) family.add(child);
  const words = [...family].map((facet) => {
    if (facet.kind === "run") return facet.activity.value === "idle" ? undefined : `it still runs on ${facet.place}`;
    return facet.liveness.value === "unknown" ? facet.liveness.seen : undefined;
  });
  return words.find((why) => why !== undefined);
}

/** By database: several processes may share one. Of a month: no turn goes on for longer. */
async function unfinishedOf(processes: readonly OpencodeProcess[], now: number): Promise<AtWork> {
  const databases = [...new Set(processes.flatMap(({ database }) => database ?? []))];
  return new Map(await Promise.all(databases.map(async (database) => [database, await unfinishedIn(database, now - monthMs)] as const)));
}
const monthMs = 30 * 24 * 60 * 60 * 1000;
