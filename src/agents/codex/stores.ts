import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConversationPlace } from "../../core/agent.ts";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { blocked, lookAt } from "../../system/erase/confined.ts";
import { cutStoresIn } from "../../system/erase/cuts.ts";
import { storesAt } from "../../system/erase/files.ts";
import { lineStoresIn } from "../../system/erase/lines.ts";
import { listIfPresent } from "../../system/files.ts";
import { withoutElements } from "../../system/cutElements.ts";
import { findOnPath } from "../../system/findOnPath.ts";
import { emptyLog } from "../../system/sqlite.ts";
import { isSamePlace } from "../elsewhere.ts";
import { uuidPattern } from "../ids.ts";
import { parseJson } from "../jsonText.ts";
import { isAppServerThere } from "./appServer.ts";
import { findDatabases } from "./databases.ts";
import { noProgram } from "./deleteByProgram.ts";
import { familyOf, forksOn } from "./family.ts";
import { logRowsOf } from "./logRows.ts";
import { mentionsIn } from "./mentions.ts";
import { knownByRows, saidInRows } from "./threadRows.ts";
import { transcriptStore } from "./transcriptStore.ts";
import { findTranscripts, isSameFolder } from "./transcripts.ts";
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
  const rows = [...log.stores, ...(await saidInRows(databases, ids, id))];
  const files = (await Promise.all(ids.map((each) => fileStores(home, each)))).flat();
  const lines = [
    ...(await linesOf(home, "history.jsonl", "its lines in the prompt history", "session_id", ids)),
    ...(await linesOf(home, "session_index.jsonl", "its lines in the list of names", "id", ids)),
    ...(await reopenedStores(home, ids)),
  ];
  const sweep = async (within: AbortSignal): Promise<void> => {
    await sweepLog(home, async () => (await logRowsOf(databases, ids, id)).stores, within);
    for (const store of await saidInRows(databases, ids, id)) await store.erase(within);
    for (const { path } of databases) await emptyLog(path);
  };
  const all = await Promise.all(ids.map(async (each) => ({ each, ...(await sorted(home, transcripts, each, each === id ? cwd : undefined)) })));
  const others = all.flatMap(({ foreign }) => foreign);
  const mayAskProgram = others.length === 0;
  const found = all.filter(({ own }) => own.length > 0);
  const ofTranscripts = await Promise.all(
    found.map(({ each, own }) => {
      const name = each === id ? "transcript" : "transcript of a sub-agent of it";
      return transcriptStore({ home, id: each, name, paths: own.map(({ path }) => path), mayAskProgram, sweep });
    }),
  );
  const locks = (await Promise.all(ids.map((each) => lockStores(home, each)))).flat();
  const stores = [...rows, ...files, ...lines, ...ofTranscripts, ...locks, ...(await knownByRows(databases, ids, id))];
  const why = ofTranscripts.length > 0 ? await whyNotAtAll(home, id, ids, transcripts, mayAskProgram) : undefined;
  return {
    stores: why === undefined ? stores : stores.map((store) => ({ ...store, erase: async () => blocked(why) })),
    leftAlone: [
      ...others,
      ...(stores.length > 0 ? log.leftAlone : []),
      ...copiesOf(ids, transcripts),
      ...(await mentionsIn(
        home,
        id,
        [...stores, ...others].map(({ path }) => path),
      )),
    ],
  };
}

/** A server writes down that it deletes a conversation, in a log that it writes a moment later. */
async function sweepLog(home: string, rows: () => Promise<readonly Store[]>, signal: AbortSignal): Promise<void> {
  const until = (await isAppServerThere(home)) ? Date.now() + writtenWithinMs : 0;
  for (;;) {
    const found = await rows();
    for (const store of found) await store.erase(signal);
    if (found.length > 0 || Date.now() >= until) return;
    await sleep(againMs, undefined, { signal });
  }
}
const writtenWithinMs = 1_000;
const againMs = 100;

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

/** One file of the id is its, wherever it was taken up again. Of several, as after a copy, those that began in its folder. A link is tried, and says why not. */
async function sorted(
  home: string,
  transcripts: readonly Transcript[],
  id: string,
  cwd: string | undefined,
): Promise<{ readonly own: readonly Transcript[]; readonly foreign: readonly LeftAlone[] }> {
  const named = transcripts.filter((transcript) => transcript.id === id);
  const own: Transcript[] = [];
  const foreign: LeftAlone[] = [];
  for (const transcript of named) {
    const why = (await lookAt({ root: home, path: transcript.path })).kind === "file" ? await whyNotIts(transcript, cwd, named.length > 1) : undefined;
    if (why === undefined) own.push(transcript);
    else foreign.push({ name: "a transcript with the same id in its name", path: transcript.path, why, holds: "text" });
  }
  return { own, foreign };
}

async function whyNotIts({ id, begins }: Transcript, cwd: string | undefined, isOneOfSeveral: boolean): Promise<string | undefined> {
  if (!begins) return "its first line can't be read";
  if (begins.id !== id) return `its first line says that it is conversation ${begins.id}`;
  if (!isOneOfSeveral || cwd === undefined || (await isSameFolder(begins.cwd, cwd))) return undefined;
  return `it began in ${begins.cwd}`;
}

function copiesOf(ids: readonly string[], transcripts: readonly Transcript[]): readonly LeftAlone[] {
  const forks = transcripts.filter(({ begins }) => begins?.forkedFrom !== undefined && ids.includes(begins.forkedFrom) && !ids.includes(begins.id));
  return forks.map(({ path }) => ({
    name: "a fork of it",
    path,
    why: "it is another conversation, which begins with what was said in this one",
    holds: "text",
  }));
}

async function fileStores(home: string, id: string): Promise<readonly Store[]> {
  const belongsBecause = "its name is the conversation's id";
  const snapshots = (await listIfPresent(join(home, "shell_snapshots"))).filter((name) => name.startsWith(`${id}.`));
  const wholes = [
    ...snapshots.map((name) => ({ name: "snapshot of its shell", path: join(home, "shell_snapshots", name) })),
    { name: "images made in it", path: join(home, "generated_images", id) },
    { name: "note of what its window can do", path: join(home, "tui-thread-reference-capabilities", id) },
  ];
  return (await Promise.all(wholes.map((whole) => storesAt({ ...whole, root: home, belongsBecause })))).flat();
}

/** Codex takes it away itself; before that it keeps a second writer out. */
function lockStores(home: string, id: string): Promise<readonly Store[]> {
  return storesAt({ name: "its lock", root: home, path: join(home, "thread-writer-locks", `${id}.lock`), belongsBecause: "its name is the conversation's id" });
}

/** A server that is stopped writes down what it had open, and the next one opens that. */
function reopenedStores(home: string, ids: readonly string[]): Promise<readonly Store[]> {
  return cutStoresIn({
    name: "its place among what Codex's server opens again",
    root: home,
    path: join(home, "app-server-daemon", "loaded-threads.json"),
    belongsBecause: "it is the conversation's id",
    without: (text) => withoutElements(text, (element) => ids.some((id) => id === element)),
  });
}

function linesOf(home: string, file: string, name: string, key: string, ids: readonly string[]): Promise<readonly Store[]> {
  const isIts = (line: string): boolean => {
    const value = ids.some((id) => line.includes(id)) ? parseJson(line) : undefined;
    if (typeof value !== "object" || value === null) return false;
    const found: unknown = Reflect.get(value, key);
    return typeof found === "string" && ids.includes(found);
  };
  return lineStoresIn({ name, root: home, path: join(home, file), belongsBecause: `their ${key} is the conversation's id`, isIts });
}
