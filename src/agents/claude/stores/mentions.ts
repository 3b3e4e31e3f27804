import { lstat, readlink } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import * as z from "zod";
import type { Kept, LeftAlone } from "../../../core/store.ts";
import { countOf } from "../../../system/erase/rows.ts";
import { entriesOf, isReadable, unreadable } from "../../../system/erase/unreadable.ts";
import { replacedBy } from "../../../system/leftTemps.ts";
import { uuidPattern } from "../../ids.ts";
import { parseJson } from "../../jsonText.ts";
import { seeLines } from "./seeLines.ts";

interface Sought {
  readonly home: string;
  readonly id: string;
  /** When the conversation began: what was written last before that can't name it. */
  readonly since: number;
  /** What has been found of it already. */
  readonly known: Kept;
}

/** Every file of a config home that names the id and is not the conversation's own: what a search for it would still find after a purge. */
export async function findMentions(sought: Sought, signal: AbortSignal): Promise<readonly LeftAlone[]> {
  const { home, since, known } = sought;
  const taken = new Set([...known.stores, ...known.leftAlone].map(({ path }) => path));
  const mentions: LeftAlone[] = [];
  for await (const entry of entriesBelow(home, sought, taken)) {
    signal.throwIfAborted();
    if (entry.kind === "unreadable") mentions.push(unreadable(entry.path, "folder"));
    else if (entry.isNamed) mentions.push(await wordsFor(entry.path, sought));
    else if (await isWrittenSince(entry.path, since)) mentions.push(...(await mentionIn(entry.path, sought)));
  }
  // Beside the usual home, not in it.
  const settings = join(dirname(home), ".claude.json");
  if (basename(home) === ".claude") mentions.push(...(await mentionIn(settings, sought)));
  return mentions;
}

type Entry = { readonly kind: "unreadable"; readonly path: string } | Found;

interface Found {
  readonly kind: "found";
  readonly path: string;
  /** Its name has the id, or the name that it is a link to: what is below it is not looked at. */
  readonly isNamed: boolean;
}

async function* entriesBelow(folder: string, sought: Sought, taken: ReadonlySet<string>): AsyncGenerator<Entry> {
  const entries = await entriesOf(folder);
  if (entries === "unreadable") yield { kind: "unreadable", path: folder };
  for (const entry of entries === "unreadable" ? [] : entries) {
    const path = join(folder, entry.name);
    if (taken.has(path) || taken.has(replacedBy(path) ?? path)) continue;
    const leadsTo = entry.isSymbolicLink() ? await readlink(path).catch(() => "") : "";
    const isNamed = entry.name.includes(sought.id) || leadsTo.includes(sought.id);
    if (isNamed || entry.isFile()) yield { kind: "found", path, isNamed };
    else if (entry.isDirectory()) yield* entriesBelow(path, sought, taken);
  }
}

async function isWrittenSince(path: string, since: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && found.mtimeMs >= since - clocksDifferMs;
}
const clocksDifferMs = 60_000;

async function mentionIn(path: string, sought: Sought): Promise<readonly LeftAlone[]> {
  if (!(await isReadable(path))) return [unreadable(path, "file")];
  return (await countOf(sought.id, [path])) > 0 ? [await wordsFor(path, sought)] : [];
}

async function wordsFor(path: string, { home, id }: Sought): Promise<LeftAlone> {
  const [folder = "", , conversation = ""] = relative(home, path).split(sep);
  if (basename(path) === ".claude.json" || folder === "backups") return { ...settingsFile, path };
  if (folder === "projects" && uuidPattern.test(conversation.replace(/\.jsonl$/, ""))) {
    return path.endsWith(".jsonl") && (await repeats(path, id))
      ? { name: "another conversation", path, why: "it was forked from this one, and repeats what was said", holds: "text" }
      : { name: "another conversation", path, why: "it mentions the id", holds: "id" };
  }
  if (ofOthers.test(folder)) return { name: "a file that others share", path, why: "it mentions the id", holds: "id" };
  return { name: "a place that is not known", path, why: "it names the id, and nothing tells that it is the conversation's alone", holds: "text" };
}

/** Lists, logs and marks, in which one conversation may name another. */
const ofOthers = /^(plugins|debug|sessions|jobs|telemetry|statsig|cache|daemon\.log|history\.jsonl)([.~]|$)/;

const settingsFile = {
  name: "the settings of Claude Code",
  why: "every Claude Code writes them anew, with the id of the last session of each folder",
  holds: "id",
} as const;

const line = z.object({ session_id: z.string().optional().catch(undefined), sessionId: z.string().optional().catch(undefined) });

/** A fork's lines keep the id of where they were said first. */
async function repeats(path: string, id: string): Promise<boolean> {
  let isSaid = false;
  await seeLines(path, (text) => {
    const { session_id, sessionId } = (text.includes(id) && line.safeParse(parseJson(text)).data) || {};
    isSaid ||= session_id === id || sessionId === id;
  });
  return isSaid;
}
