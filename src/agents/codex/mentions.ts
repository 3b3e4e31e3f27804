import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { LeftAlone } from "../../core/store.ts";
import { countOf } from "../../system/erase/rows.ts";
import { isReadable } from "../../system/erase/unreadable.ts";
import { replacedBy } from "../../system/leftTemps.ts";
import { listIfPresent } from "../../system/files.ts";

/** What else in a home has the id in its name or its text, and isn't known to be the conversation's own. */
export async function mentionsIn(home: string, id: string, known: readonly string[]): Promise<readonly LeftAlone[]> {
  const found: LeftAlone[] = [];
  for (const path of await namedIn(home, id)) {
    if (!known.includes(path))
      found.push({ name: basename(path), path, why: "its name carries the id, but Codex was not seen to keep such things of a conversation", holds: "text" });
  }
  for (const { path, why, holds } of await writtenIn(home)) {
    if (!known.includes(replacedBy(path) ?? path) && (await isReadable(path)) && (await countOf(id, [path])) > 0)
      found.push({ name: basename(path), path, why, holds });
  }
  return found;
}

/** In the folders of the home: those in which each conversation has a file or a folder. */
async function namedIn(home: string, id: string): Promise<readonly string[]> {
  const named: string[] = [];
  for (const name of await listIfPresent(home)) {
    if (name.includes(id)) named.push(join(home, name));
    if (name === "archived_sessions" || !(await isKind(join(home, name), "folder"))) continue;
    for (const below of await listIfPresent(join(home, name))) if (below.includes(id)) named.push(join(home, name, below));
  }
  return named;
}

type Written = Pick<LeftAlone, "path" | "why" | "holds">;

async function writtenIn(home: string): Promise<readonly Written[]> {
  const top = await filesIn(home, /^(?!.*-(?:wal|shm)$|history\.jsonl$|session_index\.jsonl$)/);
  const logs = await filesIn(join(home, "log"), /./);
  const memories = [...(await filesIn(join(home, "memories"), /\.md$/)), ...(await filesIn(join(home, "memories", "rollout_summaries"), /\.md$/))];
  return [
    ...top.map(atTheTop),
    ...logs.map(aLog),
    ...memories.map((path): Written => ({ path, why: "Codex gathers its memories from several conversations, and writes them anew itself", holds: "text" })),
  ];
}

function atTheTop(path: string): Written {
  if (path.endsWith(".log")) return aLog(path);
  if (path.endsWith(".sqlite")) return { path, why: "it isn't known what Codex keeps in it", holds: "text" };
  if (/^(\.codex-global-state\.json|\.global-state\.json|config\.toml|version\.json)$/.test(basename(path)))
    return { path, why: "it is of all conversations, and names its id", holds: "id" };
  return { path, why: "it isn't known what it is for", holds: "text" };
}

function aLog(path: string): Written {
  return { path, why: "Codex keeps its log open while it runs, and it is of all conversations", holds: "text" };
}

async function filesIn(folder: string, pattern: RegExp): Promise<readonly string[]> {
  const paths = (await listIfPresent(folder)).filter((name) => pattern.test(name)).map((name) => join(folder, name));
  const are = await Promise.all(paths.map((path) => isKind(path, "file")));
  return paths.filter((_, index) => are[index]);
}

async function isKind(path: string, kind: "file" | "folder"): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return (kind === "file" ? found?.isFile() : found?.isDirectory()) ?? false;
}
