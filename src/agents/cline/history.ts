import { isAbsolute, join } from "node:path";
import * as z from "zod";
import type { Kept, LeftAlone } from "../../core/store.ts";
import { lineStoresIn } from "../../system/erase/lines.ts";
import { lookAt } from "../../system/erase/confined.ts";
import { entriesOf, isReadable } from "../../system/erase/unreadable.ts";
import { readIfPresent } from "../../system/files.ts";
import { findStats } from "../../system/ownFile.ts";
import type { Database } from "../../system/sqlite.ts";
import { parseJson, parseJsonLines } from "../jsonText.ts";
import { isOf } from "./home.ts";
import { readRecords, recordsOf } from "./records.ts";
import { has, isIts, named } from "./tables.ts";

/**
 * The prompts that are kept for the Up key: the last 20 of a home, each once, without an id, and with the time of the last prompt of all. Those that this
 * conversation's transcript has, and no other's, are its own.
 */
export async function keptPrompts(home: string, id: string): Promise<Kept> {
  const path = join(home, "cache", "user_input_history.jsonl");
  const { kind } = await lookAt({ root: home, path });
  if (kind === "absent") return none;
  const transcript = join(home, "sessions", id, `${id}.messages.json`);
  const { kind: transcriptKind } = await lookAt({ root: home, path: transcript });
  if (transcriptKind === "absent") return none;
  const typed = transcriptKind === "file" ? promptsIn(await readIfPresent(transcript, transcriptBytes)) : undefined;
  if (!typed) return { stores: [], leftAlone: [leftAlone(path, "it tells no ids, and its transcript can't be read")] };

  const kept = parseJsonLines(await readIfPresent(path, historyBytes)).flatMap((line) => historyLine.safeParse(line).data?.prompt.trim() ?? []);
  const its = new Set(kept.filter((prompt) => typed.has(prompt)));
  const others = its.size > 0 ? await typedElsewhere(home, id) : its;
  const own = others ? its.difference(others) : new Set<string>();
  const shared = its.size - own.size;
  const lines = {
    root: home,
    path,
    name: "its prompts in the prompt history",
    belongsBecause: "they stand in its transcript, and in no other",
    isIts: (line: string) => own.has(historyLine.safeParse(parseJson(line)).data?.prompt.trim() ?? ""),
  };
  return {
    stores: own.size === 0 ? [] : await lineStoresIn(lines),
    leftAlone:
      shared > 0
        ? [leftAlone(path, `${shared === 1 ? "a prompt of it was" : `${shared} prompts of it were`} typed in another conversation too, or may have been`)]
        : [],
  };
}
const none: Kept = { stores: [], leftAlone: [] };
const historyBytes = 16 * 1024 * 1024;
const transcriptBytes = 256 * 1024 * 1024;

const historyLine = z.object({ prompt: z.string().min(1) });
const messages = z.object({ messages: z.array(z.unknown()) });
const fromUser = z.object({ role: z.literal("user"), content: z.array(z.unknown()) });
const textPart = z.object({ type: z.literal("text"), text: z.string() });

/** As they were typed; undefined where it is no transcript as it is known. */
function promptsIn(transcript: string | undefined): ReadonlySet<string> | undefined {
  const read = messages.safeParse(parseJson(transcript)).data;
  if (!read) return undefined;
  const parts = read.messages.flatMap((message) => fromUser.safeParse(message).data?.content ?? []);
  const texts = parts.flatMap((part) => textPart.safeParse(part).data?.text ?? []);
  return new Set(texts.flatMap((text) => [...text.matchAll(/<user_input\b[^>]*>([\s\S]*?)<\/user_input>/g)].map(([, typed = ""]) => typed.trim())));
}

/** Undefined where a transcript of another conversation can't be read. */
async function typedElsewhere(home: string, id: string): Promise<ReadonlySet<string> | undefined> {
  const typed = new Set<string>();
  const paths = await transcriptsOfOthers(home, id);
  if (!paths) return undefined;
  for (const path of paths) {
    if (!(await isReadable(path))) return undefined;
    const text = await readIfPresent(path, transcriptBytes);
    if (text === undefined && !(await findStats(path))) continue;
    const prompts = promptsIn(text);
    if (!prompts) return undefined;
    for (const prompt of prompts) typed.add(prompt);
  }
  return typed;
}

/** In their folders, and where their records have them. */
async function transcriptsOfOthers(home: string, id: string): Promise<Iterable<string> | undefined> {
  const isListed = (await lookAt({ root: home, path: recordsOf(home) })).kind !== "absent";
  const told = isListed ? await readRecords(home, (database) => pathsOfOthers(database, id)) : [];
  const sessions = join(home, "sessions");
  const others = await entriesOf(sessions);
  if (!told || others === "unreadable") return undefined;
  const paths = new Set(told);
  for (const { name } of others) {
    if (isOf(id, name)) continue;
    const files = await entriesOf(join(sessions, name));
    if (files === "unreadable") return undefined;
    for (const file of files) if (file.name.endsWith(".messages.json")) paths.add(join(sessions, name, file.name));
  }
  return paths;
}

function pathsOfOthers(database: Database, id: string): readonly string[] {
  if (!has(database, "sessions", ["session_id", "messages_path"])) return [];
  const found = database
    .prepare(`SELECT messages_path FROM sessions WHERE NOT ${isIts("session_id")}`)
    .pluck()
    .all(named(id));
  return found.filter((path) => typeof path === "string" && isAbsolute(path)).map(String);
}

function leftAlone(path: string, why: string): LeftAlone {
  return { name: "prompt history", path, why, holds: "text" };
}
