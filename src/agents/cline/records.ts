import { join } from "node:path";
import { lookAt } from "../../system/erase/confined.ts";
import { readDatabase } from "../../system/sqlite.ts";
import type { Database } from "../../system/sqlite.ts";

export function recordsOf(home: string): string {
  return join(home, "db", "sessions.db");
}

/** What its list of conversations says; undefined where that isn't there, can't be read, or doesn't lie in this home itself. */
export async function readRecords<T>(home: string, use: (database: Database) => T): Promise<T | undefined> {
  const { kind } = await lookAt({ root: home, path: recordsOf(home) });
  if (kind !== "file") return undefined;
  const read = await readDatabase(recordsOf(home), use);
  return read.kind === "done" ? read.value : undefined;
}
