import type { ConversationPlace } from "../../core/agent.ts";
import type { Kept, Store } from "../../core/store.ts";
import { blocked } from "../../system/erase/confined.ts";
import { findOnPath } from "../../system/findOnPath.ts";
import { emptyLog } from "../../system/sqlite.ts";
import { isSamePlace } from "../elsewhere.ts";
import { uuidPattern } from "../ids.ts";
import { forksOf, sortTranscripts } from "./belonging.ts";
import { findDatabases } from "./databases.ts";
import { noProgram } from "./deleteByProgram.ts";
import { familyOf, forksOn } from "./family.ts";
import { fileStores, heldStores } from "./homeFiles.ts";
import { logRowsOf, sweepLog } from "./logRows.ts";
import { mentionsIn } from "./mentions.ts";
import { knownByRows, saidInRows } from "./threadRows.ts";
import { transcriptStore } from "./transcriptStore.ts";
import { findTranscripts } from "./transcripts.ts";
import type { Transcript } from "./transcripts.ts";

/** All that Codex 0.171.0 was seen to keep of a conversation and of the sub-agents that it spawned, in its own home or in each of the given ones. */
export async function storesIn(homes: readonly string[], { conversation, cwd }: ConversationPlace, signal: AbortSignal): Promise<Kept> {
  if (!uuidPattern.test(conversation.id)) return { stores: [], leftAlone: [] };
  const kept: Kept[] = [];
  for (const [index, home] of homes.entries()) {
    const isSeen = await Promise.all(homes.slice(0, index).map((before) => isSamePlace(home, before)));
    if (!isSeen.includes(true)) kept.push(await keptIn(home, conversation.id, cwd, signal));
  }
  return { stores: kept.flatMap(({ stores }) => stores), leftAlone: kept.flatMap(({ leftAlone }) => leftAlone) };
}

/**
 * What Codex would delete itself goes before it is asked: it leaves the bytes of its rows where they were, and ours are overwritten. Then Codex is asked, which
 * takes the transcript; what is found by the id without it comes last.
 */
async function keptIn(home: string, id: string, cwd: string | undefined, signal: AbortSignal): Promise<Kept> {
  const [transcripts, databases] = await Promise.all([findTranscripts(home, signal), findDatabases(home)]);
  const ids = await familyOf(id, databases, transcripts);
  const log = await logRowsOf(databases, ids, id);
  const sweep = async (within: AbortSignal): Promise<void> => {
    await sweepLog(home, databases, ids, id, within);
    for (const store of await saidInRows(databases, ids, id)) await store.erase(within);
    for (const { path } of databases) await emptyLog(path);
  };
  const sorted = await Promise.all(
    ids.map(async (each) => ({ each, ...(await sortTranscripts({ home, databases, transcripts }, each, each === id ? cwd : undefined)) })),
  );
  const foreign = sorted.flatMap((each) => each.foreign);
  const mayAskProgram = foreign.length === 0;
  const its = await Promise.all(
    sorted
      .filter(({ own }) => own.length > 0)
      .map(({ each, own }) => {
        const name = each === id ? "transcript" : "transcript of a sub-agent of it";
        return transcriptStore({ home, id: each, name, paths: own.map(({ path }) => path), mayAskProgram, sweep });
      }),
  );
  const before = [...log.stores, ...(await saidInRows(databases, ids, id)), ...(await fileStores(home, ids))];
  const after = [...(await heldStores(home, ids)), ...(await knownByRows(databases, ids, id))];
  const stores = [...before, ...its, ...after.map((store) => onceGone(its, store))];
  const why = its.length > 0 ? await whyNotAtAll(home, id, ids, transcripts, mayAskProgram) : undefined;
  const known = [...stores, ...foreign].map(({ path }) => path);
  return {
    stores: why === undefined ? stores : stores.map((store) => ({ ...store, erase: async () => blocked(why) })),
    leftAlone: [...foreign, ...(stores.length > 0 ? log.leftAlone : []), ...forksOf(ids, transcripts), ...(await mentionsIn(home, id, known))],
  };
}

function onceGone(transcripts: readonly Store[], store: Store): Store {
  const erase = async (signal: AbortSignal) => {
    for (const transcript of transcripts) if ((await transcript.residue(signal)).length > 0) return blocked("its transcript is still there");
    return store.erase(signal);
  };
  return { ...store, erase };
}

/** Half of it would be worse than none: a fork would lose its beginning, or the server would go on with what is left. */
async function whyNotAtAll(
  home: string,
  id: string,
  ids: readonly string[],
  transcripts: readonly Transcript[],
  mayAskProgram: boolean,
): Promise<string | undefined> {
  const [fork] = forksOn(ids, transcripts);
  if (fork) return `conversation ${fork.id} was forked from it and can't be read without it: purge that one first`;
  return mayAskProgram && (await findOnPath("codex")) === undefined ? noProgram(id, home) : undefined;
}
