import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import * as z from "zod";
import { listIfPresent } from "../../system/files.ts";
import { withOwnFile } from "../../system/ownFile.ts";
import { parseJson } from "../jsonText.ts";

/** A conversation's file, put away or compressed ones too. */
export interface Transcript {
  readonly path: string;
  /** As its name has it. */
  readonly id: string;
  /** Undefined where its first line can't be read, or it is no plain file of this user's. */
  readonly begins: Beginning | undefined;
}

/** What a transcript's first line says. */
export interface Beginning {
  readonly id: string;
  readonly cwd: string;
  readonly forkedFrom: string | undefined;
  /** The conversation whose transcript holds the part before this one: it can't be read without that. */
  readonly restsOn: string | undefined;
  /** The conversation whose sub-agent it is. */
  readonly spawnedBy: string | undefined;
}

/** Every transcript of a home. */
export async function findTranscripts(home: string, signal: AbortSignal): Promise<readonly Transcript[]> {
  const found: Transcript[] = [];
  for (const folder of await foldersIn(home)) {
    signal.throwIfAborted();
    const named = (await listIfPresent(folder)).flatMap((name) => {
      const id = fileName.exec(name)?.[1];
      return id === undefined ? [] : [{ path: join(folder, name), id }];
    });
    for (const each of named) found.push({ ...each, begins: await readBeginning(each.path) });
  }
  return found;
}
const fileName = /^rollout-.*-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl(?:\.zst)?$/;

/** `sessions/<year>/<month>/<day>`, and what was put away. */
async function foldersIn(home: string): Promise<readonly string[]> {
  let folders: readonly string[] = [join(home, "sessions")];
  for (const pattern of [/^\d{4}$/, /^\d{2}$/, /^\d{2}$/]) {
    const below = folders.map(async (folder) => (await listIfPresent(folder)).filter((name) => pattern.test(name)).map((name) => join(folder, name)));
    folders = (await Promise.all(below)).flat();
  }
  return [...folders, join(home, "archived_sessions")];
}

async function readBeginning(path: string): Promise<Beginning | undefined> {
  const read = await withOwnFile(path, async (file) => firstLineOf(file, path.endsWith(".zst"))).catch(() => undefined);
  return typeof read === "string" ? sessionMeta.safeParse(parseJson(read)).data : undefined;
}

/** The line holds the model's instructions too. */
const longestLine = 4 * 1024 * 1024;

async function firstLineOf(file: FileHandle, isCompressed: boolean): Promise<string | undefined> {
  const bytes = file.createReadStream({ autoClose: false });
  const text = isCompressed ? pipeline(bytes, createZstdDecompress(), () => undefined) : bytes;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of text as AsyncIterable<Buffer>) {
    const end = part.indexOf("\n");
    parts.push(end < 0 ? part : part.subarray(0, end));
    if (end >= 0) return Buffer.concat(parts).toString("utf8");
    length += part.length;
    if (length > longestLine) return undefined;
  }
  return undefined;
}

const sessionMeta = z
  .object({
    type: z.literal("session_meta"),
    payload: z.object({
      id: z.string(),
      cwd: z.string(),
      forked_from_id: z.string().nullish().catch(undefined),
      history_base: z.object({ thread_id: z.string() }).nullish().catch(undefined),
      parent_thread_id: z.string().nullish().catch(undefined),
      // Else it is a word: "cli", "exec".
      source: z
        .object({ subagent: z.object({ thread_spawn: z.object({ parent_thread_id: z.string() }) }) })
        .optional()
        .catch(undefined),
    }),
  })
  .transform(({ payload }): Beginning => ({
    id: payload.id,
    cwd: payload.cwd,
    forkedFrom: payload.forked_from_id ?? undefined,
    restsOn: payload.history_base?.thread_id,
    spawnedBy: payload.parent_thread_id ?? payload.source?.subagent.thread_spawn.parent_thread_id,
  }));
