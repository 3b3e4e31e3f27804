import { join } from "node:path";
import * as z from "zod";
import type { Kept } from "../../core/store.ts";
import { lookAt } from "../../system/erase/confined.ts";
import { lineStoresIn } from "../../system/erase/lines.ts";
import { entriesOf } from "../../system/erase/unreadable.ts";
import { readIfPresent } from "../../system/files.ts";
import { parseJson } from "../jsonText.ts";
import { linesOf, readChat } from "./chats.ts";
import type { Place, Transcript } from "./chats.ts";

/** It names no conversation: so only commands go that this one ran and that, by the prompt history and the folder's transcripts, no other did. */
export async function shellHistory(place: Place, transcripts: readonly Transcript[]): Promise<Kept> {
  const path = join(place.project, "shell_history");
  const own = transcripts.filter(({ chat }) => chat.ids.size === 1);
  const ran = new Set(own.flatMap(({ chat }) => [...chat.commands]));
  const others = ran.size === 0 ? ran : await ranByOthers(place, own);
  const its = others ? ran.difference(others) : new Set<string>();
  const lines = {
    root: place.home,
    path,
    name: "its lines in the history of shell commands",
    belongsBecause: "no other conversation of the folder ran these commands",
    isIts: (line: string) => its.has(line),
  };
  const there = new Set(((await readIfPresent(path, largestFile)) ?? "").split("\n"));
  const areLeft = transcripts.some(({ chat }) => [...chat.commands].some((command) => !its.has(command) && there.has(command)));
  return {
    stores: its.size === 0 ? [] : await lineStoresIn(lines),
    leftAlone: areLeft ? [{ name: "some of its shell commands", path, why: "another conversation ran the same ones, or may have", holds: "text" }] : [],
  };
}
const largestFile = 64 * 1024 * 1024;

/** Undefined where something that may tell of others can't be read. */
async function ranByOthers({ home, project, id }: Place, own: readonly Transcript[]): Promise<ReadonlySet<string> | undefined> {
  const path = join(project, "logs.json");
  const isThere = (await lookAt({ root: home, path })).kind !== "absent";
  const prompts = isThere ? history.safeParse(parseJson(await readIfPresent(path, largestFile))).data : [];
  const folder = join(project, "chats");
  const entries = await entriesOf(folder);
  if (!prompts || entries === "unreadable") return undefined;
  const others = new Set(prompts.flatMap((each) => (each && each.sessionId !== id ? linesOf(each.message ?? "") : [])));
  for (const entry of entries) {
    const other = join(folder, entry.name);
    if (entry.isDirectory() || own.some((each) => each.path === other)) continue;
    const chat = await readChat(other);
    if (!chat) return undefined;
    for (const command of chat.commands) others.add(command);
  }
  return others;
}

const history = z.array(
  z
    .object({ sessionId: z.string(), message: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
);
