import type { ConversationPlace } from "../../core/agent.ts";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { blocked, lookAt } from "../../system/erase/confined.ts";
import { countOf, logStoresIn } from "../../system/erase/rows.ts";
import { unreadableBelow } from "../../system/erase/unreadable.ts";
import { findOnPath } from "../../system/findOnPath.ts";
import { emptyLog } from "../../system/sqlite.ts";
import { keptInHomes } from "../homes.ts";
import { uuidPattern } from "../ids.ts";
import { isAppServerThere } from "./appServer.ts";
import { forksOf, sortTranscripts } from "./belonging.ts";
import { databaseFolderOf, findDatabases } from "./databases.ts";
import type { CodexDatabase } from "./databases.ts";
import { noProgram } from "./deleteByProgram.ts";
import { familyOf, forksOn } from "./family.ts";
import { configHomeOf } from "./home.ts";
import { fileStores, heldStores } from "./homeFiles.ts";
import { logRowsOf, sweepLog } from "./logRows.ts";
import { mentionsBelow } from "../mentions.ts";
import { mentionsIn } from "./mentions.ts";
import { knownByRows, rowsOfOthers, saidInRows } from "./threadRows.ts";
import { transcriptStore } from "./transcriptStore.ts";
import { findTranscripts } from "./transcripts.ts";
import type { Transcript } from "./transcripts.ts";

/** All that Codex 0.171.0 was seen to keep of a conversation and of the sub-agents that it spawned, in its own home. */
export async function storesIn(of: ConversationPlace, signal: AbortSignal): Promise<Kept> {
  const { conversation, cwd } = of;
  if (!uuidPattern.test(conversation.id)) return { stores: [], leftAlone: [] };
  return keptInHomes(of, configHomeOf, signal, (home) => keptIn(home, conversation.id, cwd, signal));
}

/** A home with what is looked through in it, and the conversation with its sub-agents, those that are farthest from it first. */
interface Place {
  readonly home: string;
  readonly databases: readonly CodexDatabase[];
  readonly transcripts: readonly Transcript[];
  readonly id: string;
  readonly ids: readonly string[];
}

/**
 * What Codex would delete itself goes before it is asked: it leaves the bytes of its rows where they were, and ours are overwritten. Then Codex is asked, which
 * takes the transcript; what is found by the id without it comes last.
 */
async function keptIn(home: string, id: string, cwd: string | undefined, signal: AbortSignal): Promise<Kept> {
  const [transcripts, databases] = await Promise.all([findTranscripts(home, signal), findDatabases(home)]);
  const ids = await familyOf(id, databases, transcripts);
  const place: Place = { home, databases, transcripts, id, ids };
  const log = await logRowsOf(place);
  const files = await fileStores(home, ids);
  const before = [...log.stores, ...(await saidInRows(databases, ids, id)), ...files.stores];
  const its = await transcriptsOf(place, cwd, before);
  const after = [...(await heldStores(home, ids)), ...(await knownByRows(databases, ids, id))];
  const rows = [...before, ...its.stores, ...after.map((store) => onceGone(its.stores, store))];
  const emptied = databases.filter(({ path }) => !rows.some((store) => store.path === path));
  const stores = [...rows, ...(await Promise.all(emptied.map((database) => logStoresIn({ ...database, id })))).flat()];
  const why = its.stores.length > 0 ? await whyNotAtAll(place, its.leftAlone.length === 0) : undefined;
  const members = ids.filter((each) => each !== id);
  const root = await databaseFolderOf(home);
  const found = [...its.leftAlone, ...files.leftAlone, ...forksOf(ids, transcripts)];
  const known = [...stores, ...found, ...databases].map(({ path }) => path);
  const told = [...found, ...(await mentionsIn(home, id, known))];
  const others = await mentionsBelow({ home, id, since: beganAt(id), except: /^packages$/, ofOthers }, [
    ...stores,
    ...databases,
    ...told,
    ...transcripts.filter((each) => ids.includes(each.id)),
  ]);
  return {
    stores: why === undefined ? stores : stores.map((store) => ({ ...store, erase: async () => blocked(why) })),
    leftAlone: [
      ...(stores.length > 0 ? log.leftAlone : []),
      ...(await rowsOfOthers(databases, ids, id)),
      ...told,
      ...(stores.length > 0 && (await isAppServerThere(home)) ? databases.flatMap(({ path }) => lateLog(path)) : []),
      ...others,
      ...(await unreadableBelow(home, stores)),
      ...(root === home ? [] : await unreadableBelow(root, stores, 1)),
    ],
    family: members,
  };
}

/** Its server writes of what it did some seconds later, when a purge is long over. */
function lateLog(path: string): readonly LeftAlone[] {
  const why = "Codex's server is running, and may write the id into its log some seconds later";
  return /\/logs_\d+\.sqlite$/.test(path) ? [{ name: "the log of Codex's server", path, why, holds: "id" }] : [];
}

const ofOthers = /^((archived_)?sessions\/|(history|session_index)\.jsonl$)/;

/** Its ids hold the time; undefined in one of another kind. */
function beganAt(id: string): number | undefined {
  return id[14] === "7" ? Number.parseInt(id.replace("-", "").slice(0, 12), 16) : undefined;
}

async function transcriptsOf(place: Place, cwd: string | undefined, before: readonly Store[]): Promise<Kept> {
  const { home, databases, id, ids } = place;
  const sorted = await Promise.all(ids.map(async (each) => ({ each, ...(await sortTranscripts(place, each, each === id ? cwd : undefined)) })));
  const leftAlone = sorted.flatMap(({ foreign }) => foreign);
  const others = databases.map(({ path }) => path).filter((path) => !before.some((store) => store.path === path));
  const shared = {
    home,
    mayAskProgram: leftAlone.length === 0,
    sweep: (signal: AbortSignal) => sweep(place, signal),
    mayRemain: () => remainsOf(id, others),
  };
  const found = sorted.filter(({ own }) => own.length > 0);
  const stores = found.map(({ each, own }) => {
    const name = each === id ? "transcript" : "transcript of a sub-agent of it";
    return transcriptStore({ ...shared, id: each, name, paths: own.map(({ path }) => path) });
  });
  return { stores: await Promise.all(stores), leftAlone };
}

/** What Codex wrote as it deleted: in its log, and what it read once more. */
async function sweep(place: Place, signal: AbortSignal): Promise<void> {
  const { home, databases, ids, id } = place;
  await sweepLog(home, place, signal);
  for (const store of await saidInRows(databases, ids, id)) await store.erase(signal);
  for (const { root, path } of databases) if ((await lookAt({ root, path })).kind === "file") await emptyLog(path);
}

/** In databases of which we delete nothing ourselves, as where a log is written a while later. */
async function remainsOf(id: string, paths: readonly string[]): Promise<string | undefined> {
  const counts = await Promise.all(paths.map((path) => countOf(id, [path, `${path}-wal`])));
  const named = paths.filter((_, index) => counts[index] !== 0);
  if (named.length === 0) return undefined;
  return `Its id still stands in parts of ${named.join(" and ")} that are no longer used, and text of it may: its own program writes over them in time.`;
}

function onceGone(transcripts: readonly Store[], store: Store): Store {
  const erase = async (signal: AbortSignal) => {
    for (const transcript of transcripts) if ((await transcript.residue(signal)).length > 0) return blocked("its transcript is still there");
    return store.erase(signal);
  };
  return { ...store, erase };
}

/** Half of it would be worse than none: a fork would lose its beginning, or the server would go on with what is left. */
async function whyNotAtAll({ home, id, ids, transcripts }: Place, mayAskProgram: boolean): Promise<string | undefined> {
  const [fork] = forksOn(ids, transcripts);
  if (fork) return `conversation ${fork.id} was forked from it and can't be read without it: purge that one first`;
  return mayAskProgram && (await findOnPath("codex")) === undefined ? noProgram(id, home) : undefined;
}
