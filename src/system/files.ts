import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { appendFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { removeOldTemps } from "./leftTemps.ts";

/** The text of a file of at most `limitBytes`; undefined where it is not there, is no file, is larger, or may not be read. */
export async function readIfPresent(path: string, limitBytes: number): Promise<string | undefined> {
  const text = await readPart(path, limitBytes, "whole");
  return text?.isWhole ? text.text : undefined;
}

/** The last `limitBytes` of a file, from a line's start; empty where no line begins in them. */
export async function readTail(path: string, limitBytes: number): Promise<string | undefined> {
  const tail = await readPart(path, limitBytes, "tail");
  if (!tail) return undefined;
  const border = tail.text.indexOf("\n");
  if (tail.isWhole) return tail.text;
  return border < 0 ? "" : tail.text.slice(border + 1);
}

/** The names in a folder; none where it is not there or may not be read. */
export async function listIfPresent(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** Unique temp in the same folder, fsync, rename, fsync of the folder: whoever reads sees the old text or the new one, whole. False where `onlyIf`, asked at the last moment, forbids it. */
export async function replaceFile(
  path: string,
  text: string | Uint8Array,
  {
    mode = 0o600,
    onlyIf,
    temp = `${path}.${randomUUID()}.tmp`,
  }: {
    readonly mode?: number;
    readonly onlyIf?: () => Promise<boolean>;
    /** Where another program knows what it may clean up there by its name. */
    readonly temp?: string;
  } = {},
): Promise<boolean> {
  try {
    await using file = await open(temp, "wx", mode);
    // The mode that was asked for, whatever this process's mask takes from new files.
    await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
    if (onlyIf && !(await onlyIf())) {
      await rm(temp);
      return false;
    }
    await rename(temp, path);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
  await removeOldTemps(path);
  await using folder = await open(dirname(path), "r");
  await folder.sync();
  return true;
}

/** One line in one write at the end, so that lines of several writers stand whole beside each other. */
export async function appendLine(path: string, line: string): Promise<void> {
  await makePrivateFolder(dirname(path));
  await appendFile(path, `${line}\n`, { mode: 0o600 });
}

export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function readPart(path: string, limitBytes: number, part: "whole" | "tail"): Promise<{ readonly text: string; readonly isWhole: boolean } | undefined> {
  try {
    // Without waiting: a pipe that nobody writes to would hold up the look for ever.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const kind = await file.stat();
    if (!kind.isFile()) return undefined;
    const { size } = kind;
    if (size <= limitBytes) return { text: await file.readFile("utf8"), isWhole: true };
    if (part === "whole") return { text: "", isWhole: false };
    const { buffer, bytesRead } = await file.read(Buffer.alloc(limitBytes), 0, limitBytes, size - limitBytes);
    return { text: buffer.toString("utf8", 0, bytesRead), isWhole: false };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Not there, not readable, not of that kind: for whoever only wants to know what there is, all the same. */
export function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "EPERM" || code === "ESRCH" || code === "EISDIR" || code === "ELOOP";
}
