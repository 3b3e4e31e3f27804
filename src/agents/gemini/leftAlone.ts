import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as z from "zod";
import type { LeftAlone } from "../../core/store.ts";
import { listIfPresent, readIfPresent } from "../../system/files.ts";
import { replacedBy } from "../../system/leftTemps.ts";
import { findStats, readOwnText } from "../../system/ownFile.ts";
import { parseJson } from "../jsonText.ts";
import type { Chat, Place } from "./chats.ts";

/** A file that has the conversation's short id in its name and is not, or not only, its own. Of another conversation nothing is said. */
export function sharedChat(path: string, chat: Chat | undefined, id: string): readonly LeftAlone[] {
  if (!chat) return [{ name: "a transcript", path, why: "it can't be read, so that it is not known whose it is", holds: "text" }];
  if (chat.ids.size === 0) return [{ name: "a transcript", path, why: "it does not say whose it is", holds: "text" }];
  if (!chat.ids.has(id)) return [];
  const others = [...chat.ids].filter((each) => each !== id);
  return [{ name: "transcript", path, why: `the conversation ${others.join(", ")} stands in the same file`, holds: "text" }];
}

/** What holds something of it and is of the folder, or of whoever made it. */
export async function whatOthersShare({ home, project, id }: Place, chats: readonly Chat[]): Promise<readonly LeftAlone[]> {
  const names = (await listIfPresent(project)).filter((name) => !["logs.json", "shell_history"].includes(replacedBy(name) ?? name));
  const files = names.map((name) => join(project, name));
  const saved = files.filter((path) => /^checkpoint-.*\.json$/.test(basename(path)));
  const unknown = files.filter((path) => !saved.includes(path));
  return [
    ...(await dialoguesIn(saved, "a copy of the dialogue", "it was saved by a name, to be taken up in any conversation", id, chats)),
    ...(await whereFound(unknown, "a file with something of it", "it is not known what it is for", id, chats)).map(asText),
    ...(await whereFound(await filesBelow(join(project, "memory")), "what was noted of the folder", "all conversations of the folder share it", id, chats)),
    ...(await snapshotsIn(join(home, "history", basename(project)), chats)),
    ...(await promptsThatNameIt(join(project, "logs.json"), id)),
  ];
}

async function promptsThatNameIt(path: string, id: string): Promise<readonly LeftAlone[]> {
  const entries = parseJson(await readIfPresent(path, largestBytes));
  const rest = Array.isArray(entries) ? entries.filter((each) => entry.safeParse(each).data?.sessionId !== id) : [];
  if (!JSON.stringify(rest).includes(id)) return [];
  return [{ name: "prompts of other conversations", path, why: "they name the id", holds: "id" }];
}
const entry = z.object({ sessionId: z.string() });

/** In the folder for temporary files: named by the time alone, with the dialogue up to the request that failed. */
export async function errorReports(id: string, chats: readonly Chat[]): Promise<readonly LeftAlone[]> {
  const names = (await listIfPresent(tmpdir())).filter((name) => /^gemini-client-error-.*\.json$/.test(name));
  const paths = names.map((name) => join(tmpdir(), name));
  const why = "it is named by a time alone, and only what it quotes tells of the conversation";
  return dialoguesIn(paths, "a report of a failed request", why, id, chats);
}

/** Where a dialogue stands, the id is not all of it. */
const asText = (left: LeftAlone): LeftAlone => ({ ...left, holds: "text" });

/** Of a conversation in which nothing telling was said, any that was written while it went on. */
async function dialoguesIn(paths: readonly string[], name: string, why: string, id: string, chats: readonly Chat[]): Promise<readonly LeftAlone[]> {
  const found = (await whereFound(paths, name, why, id, chats)).map(asText);
  const mute = chats.filter((chat) => tellingIn(chat).length === 0);
  for (const path of paths) {
    const at = Number((await findStats(path))?.mtimeMs ?? 0);
    const isOfIt = mute.some(({ startedAt, endedAt }) => at >= startedAt && at <= endedAt + savedWithinMs);
    if (!isOfIt || found.some((each) => each.path === path)) continue;
    found.push({ name, path, why: "it was written while this one went on, in which nothing was said that it could be known by", holds: "text" });
  }
  return found;
}
/** How long after its last word a person may have saved it. */
const savedWithinMs = 10 * 60 * 1_000;

function tellingIn({ prompts, answers }: Chat): readonly string[] {
  return [...[...prompts].filter((prompt) => prompt.length >= shortestTelling), ...answers];
}

async function whereFound(paths: readonly string[], name: string, why: string, id: string, chats: readonly Chat[]): Promise<readonly LeftAlone[]> {
  const texts = chats.flatMap(tellingIn);
  const found: LeftAlone[] = [];
  for (const path of paths) {
    const read = await readOwnText(path, largestBytes);
    if (read.kind !== "text") continue;
    const holdsText = texts.some((text) => read.text.includes(text));
    if (holdsText || read.text.includes(id)) found.push({ name, path, why, holds: holdsText ? "text" : "id" });
  }
  return found;
}
/** "yes" and "go on" stand everywhere. */
const shortestTelling = 8;
const largestBytes = 64 * 1024 * 1024;

/** A hidden repository with what the files of the folder were, if checkpoints are switched on. */
async function snapshotsIn(path: string, chats: readonly Chat[]): Promise<readonly LeftAlone[]> {
  const log = (await readIfPresent(join(path, ".git", "logs", "HEAD"), largestBytes)) ?? "";
  const times = [...log.matchAll(/> (\d+) [+-]\d{4}\tcommit: /g)].map(([, seconds]) => Number(seconds) * 1000);
  const isMadeBy = ({ startedAt, endedAt }: Chat) => times.some((at) => at >= startedAt - 1_000 && at <= endedAt + 1_000);
  if (!chats.some(isMadeBy)) return [];
  const why = "all conversations of the folder share them, and some were made while this one went on";
  return [{ name: "snapshots of the folder's files", path, why, holds: "text" }];
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}
