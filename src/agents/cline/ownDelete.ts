import { join } from "node:path";
import { isBelow } from "../../system/erase/confined.ts";
import { findOnPath } from "../../system/findOnPath.ts";
import { run } from "../../system/run.ts";
import { writeDatabase } from "../../system/sqlite.ts";
import type { Database } from "../../system/sqlite.ts";
import { isOf } from "./home.ts";
import { readRecords, recordsOf } from "./records.ts";
import { has, isIts, named } from "./tables.ts";

/**
 * Has Cline delete it itself, by `cline history delete`, where that would reach nothing else. What it leaves, also where it isn't installed or fails, is
 * deleted afterwards: it says "Deleted" of what it has not looked at again.
 */
export async function deleteByCline(home: string, id: string, signal: AbortSignal): Promise<void> {
  const program = await findOnPath("cline");
  if (program === undefined || !(await reachesOnlyIts(home, id))) return;
  // It deletes a row without writing over it.
  await writeDatabase(
    recordsOf(home),
    (database) => emptyRecord(database, id),
    () => true,
  );
  await run([program, "history", "delete", "--session-id", id], { withinMs, signal, env: environmentFor(home), cwd: home });
}
const withinMs = 30_000;

/** It deletes the folder that a row names, wherever that is, and all rows that name it as their parent. */
async function reachesOnlyIts(home: string, id: string): Promise<boolean> {
  const read = await readRecords(home, (database) => {
    if (!has(database, "sessions", ["session_id", "messages_path", "parent_session_id"])) return undefined;
    return database.prepare("SELECT session_id AS id, messages_path AS path FROM sessions WHERE session_id = @id OR parent_session_id = @id").all({ id });
  });
  if (read === undefined) return false;
  for (const { id: found, path } of read as readonly { readonly id: string; readonly path: string | null }[]) {
    if (!isOf(id, found)) return false;
    if (path !== null && path !== "" && !(await isBelow(join(home, "sessions", id), path))) return false;
  }
  return read.length > 0 && (await isBelow(home, join(home, "sessions", id, "any")));
}

function emptyRecord(database: Database, id: string): void {
  database.pragma("secure_delete = ON");
  for (const column of ["prompt", "metadata_json"])
    if (has(database, "sessions", [column])) database.prepare(`UPDATE sessions SET ${column} = NULL WHERE ${isIts("session_id")}`).run(named(id));
}

/** It hears of another home by its environment only, not by `--data-dir`; each of its other variables may lead it elsewhere, or to a hub. */
function environmentFor(home: string): Readonly<{ [name: string]: string | undefined }> {
  const inherited = Object.keys(process.env).filter((name) => name.startsWith("CLINE_"));
  return { ...Object.fromEntries(inherited.map((name) => [name, undefined])), CLINE_DATA_DIR: home, CLINE_NO_AUTO_UPDATE: "1" };
}
