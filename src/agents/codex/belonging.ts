import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { LeftAlone } from "../../core/store.ts";
import { lookAt } from "../../system/erase/confined.ts";
import type { Database } from "../../system/sqlite.ts";
import { readRows } from "./databases.ts";
import type { CodexDatabase } from "./databases.ts";
import { isThere } from "./threadRows.ts";
import type { Transcript } from "./transcripts.ts";

/**
 * A conversation's transcripts: with its id in the name and in the first line, and begun in its folder, or the one that Codex itself lists, since it may have
 * been taken up again in another folder. A link is tried, and says why not.
 */
export async function sortTranscripts(
  { home, databases, transcripts }: { readonly home: string; readonly databases: readonly CodexDatabase[]; readonly transcripts: readonly Transcript[] },
  id: string,
  cwd: string | undefined,
): Promise<{ readonly own: readonly Transcript[]; readonly foreign: readonly LeftAlone[] }> {
  const own: Transcript[] = [];
  const foreign: LeftAlone[] = [];
  for (const transcript of transcripts.filter((each) => each.id === id)) {
    const { path } = transcript;
    const why = (await lookAt({ root: home, path })).kind === "file" ? await whyNotIts(transcript, databases, cwd) : undefined;
    if (why === undefined) own.push(transcript);
    else foreign.push({ name: "a transcript with the same id in its name", path, why, holds: "text" });
  }
  return { own, foreign };
}

/** Undefined where it is its. */
async function whyNotIts({ id, path, begins }: Transcript, databases: readonly CodexDatabase[], cwd: string | undefined): Promise<string | undefined> {
  if (!begins) return "its first line can't be read";
  if (begins.id !== id) return `its first line says that it is conversation ${begins.id}`;
  if (cwd === undefined || (await isSamePath(begins.cwd, cwd))) return undefined;
  for (const listed of await listedPaths(databases, id)) if (await isSameFile(listed, path)) return undefined;
  return `it began in ${begins.cwd}`;
}

async function listedPaths(databases: readonly CodexDatabase[], id: string): Promise<readonly string[]> {
  const found = databases.filter(({ kind }) => kind === "state").map((database) => readRows(database, (rows) => pathsIn(rows, id)));
  return (await Promise.all(found)).flatMap((paths) => paths ?? []);
}

function pathsIn(database: Database, id: string): readonly string[] {
  if (!isThere(database, ["threads", "rollout_path"])) return [];
  return database.prepare("SELECT rollout_path FROM threads WHERE id = ?").pluck().all(id) as readonly string[];
}

/** The list has the name that a file had before it was compressed. */
async function isSameFile(listed: string, path: string): Promise<boolean> {
  return basename(listed, ".zst") === basename(path, ".zst") && (await isSamePath(dirname(listed), dirname(path)));
}

/** Also where one of them is gone, or was written down with its letters composed in another way. */
async function isSamePath(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map(async (path) => (await realpath(path).catch(() => resolve(path))).normalize("NFC")));
  return one === other;
}

/** Forks that have what was said in these conversations from them. */
export function forksOf(ids: readonly string[], transcripts: readonly Transcript[]): readonly LeftAlone[] {
  const forks = transcripts.filter(({ begins }) => begins?.forkedFrom !== undefined && ids.includes(begins.forkedFrom) && !ids.includes(begins.id));
  return forks.map(({ path }) => ({
    name: "a fork of it",
    path,
    why: "it is another conversation, which begins with what was said in this one",
    holds: "text",
  }));
}
