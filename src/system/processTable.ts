import type { Here, ProcessEntry } from "../core/census.ts";
import type { ProcessIdentity } from "../core/process.ts";

/** The processes of this machine, as its kind of system tells them. */
export interface ProcessTable {
  readonly here: Here;
  /** Throws where the table can't be read; never returns a part of it. */
  readAll(signal: AbortSignal): Promise<ReadonlyMap<number, ProcessEntry>>;
  read(pid: number): Promise<ProcessEntry | undefined>;
  /** Those of them that are there, in one question where the system takes several at once. */
  readThese(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessEntry>>;
  /** As it was when the program began; empty where it can't be read. */
  environmentOf(process: ProcessIdentity): Promise<ReadonlyMap<string, string>>;
  cwdOf(process: ProcessIdentity): Promise<string | undefined>;
}
