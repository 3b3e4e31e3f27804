import type { Stats } from "node:fs";
import { appendFile, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { withFileLock } from "../../system/fileLock.ts";
import { isAbsence, listIfPresent, makePrivateFolder, replaceFile } from "../../system/files.ts";
import { fold, parseLine } from "./entry.ts";
import type { Entry, LedgerLine } from "./entry.ts";
import type { Purged } from "./purging.ts";
import { withoutPurged } from "./purgedBytes.ts";

export interface LedgerFile {
  readonly path: string;
  /** What the file says now; lines that were read before are not read again. */
  load(): Promise<Loaded>;
  /** Under the file's lock: reads again, asks for the lines to add, appends them in one write. Undefined: somebody else held the lock for too long. */
  append(lines: (entries: ReadonlyMap<string, Entry>) => readonly LedgerLine[]): Promise<Loaded | undefined>;
  /**
   * For a purge, under the same lock: what an entry has now stands in the place of all its lines, and every other line stays byte for byte. Whoever reads
   * sees the old text or the new one, whole. False: there was nothing to take out.
   */
  purge(asked: (entries: ReadonlyMap<string, Entry>) => Purged | undefined): Promise<boolean | undefined>;
}

export interface Loaded {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly unreadable: number;
}

export function openLedgerFile(stateFolder: string): LedgerFile {
  const path = join(stateFolder, "ledger.jsonl");
  let read = nothingOf(undefined);
  // Two readings at once would each count the same lines, and then miss the next ones.
  const oneAtATime = pLimit(1);

  return {
    path,
    load,
    async append(linesOf) {
      const outcome = await withFileLock(join(stateFolder, "ledger.lock"), waitMs, async () => {
        const { entries } = await load();
        const lines = linesOf(entries);
        if (lines.length === 0) return load();
        await makePrivateFolder(stateFolder);
        // A line that was cut off by a full disk or a crash must not swallow the next one.
        const begin = (await endsInMidLine()) ? "\n" : "";
        await appendFile(path, begin + lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
        await load();
        if (isWorthRewriting()) await replaceFile(path, [...read.entries.values()].map((entry) => `${JSON.stringify(entry)}\n`).join(""));
        return load();
      });
      return outcome.kind === "done" ? outcome.value : undefined;
    },
    async purge(asked) {
      const outcome = await withFileLock(join(stateFolder, "ledger.lock"), waitMs, async () => {
        const purged = asked((await load()).entries);
        if (!purged) return false;
        // What was begun by someone who was killed: nobody else writes while this lock is held.
        for (const name of await listIfPresent(stateFolder)) if (/^ledger\.jsonl\..+\.tmp$/.test(name)) await rm(join(stateFolder, name), { force: true });
        if (!(await stat(path).catch(() => undefined))) return false;
        const before = await readFile(path);
        const after = withoutPurged(before, purged);
        if (after.equals(before)) return false;
        await replaceFile(path, after);
        await load();
        return true;
      });
      return outcome.kind === "done" ? outcome.value : undefined;
    },
  };

  function load(): Promise<Loaded> {
    return oneAtATime(readNews);
  }

  async function readNews(): Promise<Loaded> {
    const now = await stat(path).catch((error: unknown) => {
      if (isAbsence(error)) return undefined;
      throw error;
    });
    if (!now || identityOf(now) !== read.identity || now.size < read.bytes) read = nothingOf(now);
    if (now && now.size > read.bytes) await readOn(now.size);
    return { entries: read.entries, unreadable: read.unreadable };
  }

  /** Whole lines only: the rest is still being written, and is read next time. */
  async function readOn(size: number): Promise<void> {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - read.bytes), 0, size - read.bytes, read.bytes);
    const end = buffer.lastIndexOf(0x0a, bytesRead - 1) + 1;
    for (const text of buffer.toString("utf8", 0, end).split("\n").filter(Boolean)) {
      const line = parseLine(text);
      if (line) fold(read.entries, line);
      else read.unreadable++;
      read.lines++;
    }
    read.bytes += end;
  }

  async function endsInMidLine(): Promise<boolean> {
    const { size } = (await stat(path).catch(() => undefined)) ?? { size: 0 };
    return size > read.bytes;
  }

  /** Never where a line could not be read: rewriting would lose it. */
  function isWorthRewriting(): boolean {
    return read.unreadable === 0 && read.bytes > rewriteFromBytes && read.lines > 4 * read.entries.size;
  }
}
const waitMs = 2_000;
const rewriteFromBytes = 512 * 1024;

interface Read extends Loaded {
  readonly identity: string | undefined;
  readonly entries: Map<string, Entry>;
  bytes: number;
  lines: number;
  unreadable: number;
}

function nothingOf(file: Stats | undefined): Read {
  return { identity: file && identityOf(file), entries: new Map(), bytes: 0, lines: 0, unreadable: 0 };
}

/** The number of a file that was replaced is soon given to another. */
function identityOf({ ino, birthtimeMs }: Stats): string {
  return `${ino} ${birthtimeMs}`;
}
