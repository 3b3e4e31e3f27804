import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { isAbsence } from "../../system/files.ts";

/** One start of OpenCode, as its log calls it by a word of its own. */
interface LoggedRun {
  readonly firstAt: number;
  readonly opened: Set<string>;
}

export interface Opened {
  readonly directories: ReadonlySet<string>;
  /** Else it may be another process, which began with it, that has them open. */
  readonly areOurs: boolean;
}

export interface OpenedLog {
  /** The directories that the process which began then has open now. `others`: when the rest began. */
  openedBy(startedAt: number, others: readonly number[]): Promise<Opened>;
}

/**
 * The log that all of OpenCode (1.18.33) on one data folder append to. No server tells which directories it has open, and to be asked about another makes it
 * run that one's plugins; the log has a line for each that is opened or closed. Its lines name no process: the first of a run is written a moment after its
 * process began. Of two that began together nobody can tell whose is whose, also since one of them may write no log at all.
 */
export function openOpenedLog(path: string): OpenedLog {
  const runs = new Map<string, LoggedRun>();
  let readTo = 0;
  let file: string | undefined;
  let rest = "";
  let decoder = new StringDecoder("utf8");

  return {
    async openedBy(startedAt, others) {
      await readOn();
      const [only, ...more] = [...runs.values()].filter((run) => isNear(run, startedAt));
      const isOnlyOurs = only !== undefined && more.length === 0 && !others.some((began) => isNear(only, began));
      return { areOurs: isOnlyOurs, directories: new Set([...(only?.opened ?? []), ...more.flatMap(({ opened }) => [...opened])]) };
    },
  };

  async function readOn(): Promise<void> {
    try {
      await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const { ino, size, dev } = await handle.stat();
      const isAnother = file !== `${dev} ${ino}` || size < readTo;
      if (isAnother) {
        runs.clear();
        decoder = new StringDecoder("utf8");
        [file, rest, readTo] = [`${dev} ${ino}`, "", Math.max(0, size - mostBytes)];
      }
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size - readTo, mostBytes)), 0, Math.min(size - readTo, mostBytes), readTo);
      readTo += bytesRead;
      const lines = (rest + decoder.write(buffer.subarray(0, bytesRead))).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) note(line);
    } catch (error) {
      if (!isAbsence(error)) throw error;
      runs.clear();
    }
  }

  function note(line: string): void {
    const [, time = "", run = "", words = ""] = /^timestamp=(\S+) level=\S+ run=(\w+) (.*)/.exec(line) ?? [];
    if (run === "") return;
    const known = runs.get(run) ?? { firstAt: Date.parse(time), opened: new Set() };
    runs.set(run, known);
    // Nowhere but at the beginning: what a title or a path puts into a line stands behind it, in quotes.
    const [, does, told = ""] = /^message="(creating|disposing) instance" directory=("(?:[^"\\]|\\.)*"|\S+)/.exec(words) ?? [];
    const directory = told === "" ? undefined : told.startsWith('"') ? unquoted(told) : told;
    if (directory === undefined) return;
    if (does === "disposing") known.opened.delete(directory);
    else known.opened.add(directory);
  }
}
function isNear({ firstAt }: LoggedRun, began: number): boolean {
  return firstAt >= began - clockGrainMs && firstAt < began + beginsWithinMs;
}
const mostBytes = 16 * 1024 * 1024;
const beginsWithinMs = 15_000;
/** When a process began is told from when the machine was, which is a whole second. */
const clockGrainMs = 1_500;

function unquoted(told: string): string | undefined {
  try {
    return String(JSON.parse(told));
  } catch {
    return undefined;
  }
}
