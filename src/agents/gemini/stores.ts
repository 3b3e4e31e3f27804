import { basename, join } from "node:path";
import * as z from "zod";
import type { Agent } from "../../core/agent.ts";
import { foundBy } from "../../core/store.ts";
import type { Kept, Store } from "../../core/store.ts";
import { withoutElements } from "../../system/cutElements.ts";
import { lookAt } from "../../system/erase/confined.ts";
import { cutStoresIn } from "../../system/erase/cuts.ts";
import { storesAt } from "../../system/erase/files.ts";
import { unreadableBelow } from "../../system/erase/unreadable.ts";
import { listIfPresent, readIfPresent } from "../../system/files.ts";
import { keptInHomes } from "../homes.ts";
import { uuidPattern } from "../ids.ts";
import { parseJson } from "../jsonText.ts";
import { mentionsBelow } from "../mentions.ts";
import { backgroundLogs } from "./backgroundLogs.ts";
import { findChatFiles, readChat } from "./chats.ts";
import type { Place } from "./chats.ts";
import { errorReports, sharedChat, whatOthersShare } from "./leftAlone.ts";
import { shellHistory } from "./shellHistory.ts";
import { configHomeOf } from "./home.ts";

/** Below `tmp` there is a folder for each folder that it was started in; a conversation that is taken up again begins another file beside the first. */
export const storesOf: NonNullable<Agent["stores"]> = async (of, signal) => {
  const { id } = of.conversation;
  if (!uuidPattern.test(id)) return { stores: [], leftAlone: [] };
  return keptInHomes(of, configHomeOf, signal, (home) => keptIn(home, id, signal));
};

async function keptIn(home: string, id: string, signal: AbortSignal): Promise<Kept> {
  const kept: Kept[] = [];
  for (const name of await listIfPresent(join(home, "tmp"))) {
    signal.throwIfAborted();
    kept.push(await keptInProject({ home, project: join(home, "tmp", name), id }));
  }
  const stores = kept.flatMap((each) => each.stores);
  const leftAlone = kept.flatMap((each) => each.leftAlone);
  const known = [...stores, ...leftAlone];
  const others = await mentionsBelow({ home, id, except: /^(antigravity.*|bin)$/, ofOthers }, known);
  return { stores, leftAlone: [...leftAlone, ...others, ...(await unreadableBelow(join(home, "tmp"), known))] };
}
/** Of a folder's: transcripts, what goes by a conversation's id, and what all share. */
const ofOthers =
  /^(history\/|tmp\/[^/]+\/(chats\/(session-[^/]+\.jsonl?$|[0-9a-f-]{36}\/)|(tool-outputs|checkpoints|logs|[0-9a-f-]{36})\/|logs\.json$|shell_history$))/;

async function keptInProject(place: Place): Promise<Kept> {
  const { home, project, id } = place;
  const files = await Promise.all((await findChatFiles(project, id)).map(async (path) => ({ path, chat: await readChat(path) })));
  const ofIt = files.flatMap(({ path, chat }) => (chat?.ids.has(id) ? { path, chat } : []));
  const own = ofIt.filter(({ chat }) => chat.ids.size === 1);
  const chats = ofIt.map(({ chat }) => chat);
  const at = (name: string, path: string, belongsBecause: string) => storesAt({ root: home, path, name, belongsBecause });
  const named = "its name is the conversation's id";
  const shell = await shellHistory(place, ofIt);
  const background = await backgroundLogs(place, ofIt);
  const stores = [
    ...(await subagentStores(place)),
    ...(await at("long outputs of its tools", join(project, "tool-outputs", `session-${id}`), named)),
    ...(await at("its log", join(project, "logs", `session-${id}.jsonl`), named)),
    ...(await at("its plans and tasks", join(project, id), named)),
    ...(await checkpointStores(place)),
    ...foundBy(
      own.map(({ path }) => path),
      [...shell.stores, ...background.stores],
    ),
    ...(await cutStoresIn({
      root: home,
      path: join(project, "logs.json"),
      name: "its entries in the prompt history",
      belongsBecause: "they name the conversation's id",
      without: (text) => withoutElements(text, (element) => entry.safeParse(element).data?.sessionId === id),
    })),
    ...(await Promise.all(own.map(({ path }) => at("transcript", path, "its first line names the conversation's id")))).flat(),
  ];
  const notOwn = files.filter(({ path }) => !own.some((each) => each.path === path));
  const leftAlone = [
    ...notOwn.flatMap(({ path, chat }) => sharedChat(path, chat, id)),
    ...shell.leftAlone,
    ...background.leftAlone,
    ...(await whatOthersShare(place, chats)),
    ...(await errorReports(id, chats)),
  ];
  return { stores, leftAlone };
}

const entry = z.object({ sessionId: z.string() });

/** Each subagent has a dialogue of its own in a folder with the conversation's id, and an id that leads to more. */
async function subagentStores({ home, project, id }: Place): Promise<readonly Store[]> {
  const folder = join(project, "chats", id);
  // Through a link one would come to another's subagents.
  const isItself = (await lookAt({ root: home, path: folder })).kind === "folder";
  const ids = (isItself ? await listIfPresent(folder) : []).map((name) => basename(name, ".jsonl")).filter((name) => uuidPattern.test(name));
  const belongsBecause = "its name is the id of a subagent of the conversation";
  const at = (name: string, path: string) => storesAt({ root: home, path, name, belongsBecause });
  const of = ids.flatMap((agent) => [
    at("long outputs of a subagent's tools", join(project, "tool-outputs", `session-${agent}`)),
    at("a subagent's log", join(project, "logs", `session-${agent}.jsonl`)),
    at("a subagent's plans and tasks", join(project, agent)),
  ]);
  const dialogues = storesAt({ root: home, path: folder, name: "dialogues of its subagents", belongsBecause: "its name is the conversation's id" });
  return (await Promise.all([...of, dialogues])).flat();
}

/** Made before a tool changes a file, with the dialogue so far; gone as it leaves, unless it is killed. */
async function checkpointStores({ home, project, id }: Place): Promise<readonly Store[]> {
  const folder = join(project, "checkpoints");
  const stores = (await listIfPresent(folder)).map(async (file) => {
    const path = join(folder, file);
    const { data } = checkpoint.safeParse(parseJson(await readIfPresent(path, largestFile)));
    if (data?.messageId !== id && !data?.messageId.startsWith(`${id}########`)) return [];
    return storesAt({ root: home, path, name: "a checkpoint", belongsBecause: "it is of a prompt that names the conversation's id" });
  });
  return (await Promise.all(stores)).flat();
}
const checkpoint = z.object({ messageId: z.string() });
const largestFile = 64 * 1024 * 1024;
