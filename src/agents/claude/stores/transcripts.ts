import { realpath } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { longestLineBytes } from "../../../system/copyLines.ts";
import { listIfPresent } from "../../../system/files.ts";
import { withOwnFile } from "../../../system/ownFile.ts";
import { parseJson } from "../../jsonText.ts";
import { isSameFolder } from "./sameFolder.ts";
import { seeLines } from "./seeLines.ts";

/** A file with the dialogue, found by its name. */
export interface Transcript {
  readonly path: string;
  /** The first folder that it tells of; undefined where it tells none, or may not be read. */
  readonly beganIn: string | undefined;
  readonly beganAt: number | undefined;
}

/** Transcripts that have the id and are not the conversation's own, and why. */
export type Strange = ReadonlyMap<Transcript, string>;

/** Below whichever project it lies: a resumed conversation goes on where it began, and folders share a key. */
export async function findTranscripts(home: string, id: string, signal: AbortSignal): Promise<readonly Transcript[]> {
  const projects = join(home, "projects");
  const found = new Map<string, Transcript>();
  for (const project of await listIfPresent(projects)) {
    signal.throwIfAborted();
    const path = join(projects, project, `${id}.jsonl`);
    const real = await realpath(path).catch(() => undefined);
    // The folder of a project may be a link to another's.
    if (real === undefined || found.has(real)) continue;
    found.set(real, { path, ...(await readBeginning(path)) });
  }
  return [...found.values()];
}

/** Whether any line of it tells of this folder: it was resumed there, or went there. */
export async function wasAtWorkIn({ path }: Transcript, folder: string): Promise<boolean> {
  const folders = new Set<string>();
  await seeLines(path, (line) => {
    const { cwd } = told.safeParse(line.includes('"cwd"') ? parseJson(line) : undefined).data ?? {};
    if (cwd !== undefined) folders.add(cwd);
  });
  for (const each of folders) if (await isSameFolder(each, folder)) return true;
  return false;
}

const told = z.object({ cwd: z.string().optional().catch(undefined), timestamp: z.iso.datetime().optional().catch(undefined) });

async function readBeginning(path: string): Promise<Pick<Transcript, "beganIn" | "beganAt">> {
  const read = await withOwnFile(path, async (file) => {
    let beganAt: number | undefined;
    for await (const line of linesOf(file)) {
      const { cwd, timestamp } = told.safeParse(parseJson(line)).data ?? {};
      beganAt ??= timestamp === undefined ? undefined : Date.parse(timestamp);
      if (cwd !== undefined) return { beganIn: cwd, beganAt };
    }
    return { beganIn: undefined, beganAt };
  });
  return "kind" in read ? { beganIn: undefined, beganAt: undefined } : read;
}

/** Split at line feeds alone: JSON may hold other separators of lines within a text. What is too long to be one is left out. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
    if (bytesRead === 0) break;
    let start = 0;
    for (let end = buffer.indexOf(0x0a); end >= 0 && end < bytesRead; end = buffer.indexOf(0x0a, start)) {
      const line = [...parts, buffer.subarray(start, end)];
      if (length <= longestLineBytes) yield Buffer.concat(line).toString("utf8");
      [parts, length, start] = [[], 0, end + 1];
    }
    length += bytesRead - start;
    parts = length > longestLineBytes ? [] : [...parts, buffer.subarray(start, bytesRead)];
  }
  if (length <= longestLineBytes) yield Buffer.concat(parts).toString("utf8");
}
const chunkBytes = 256 * 1024;
