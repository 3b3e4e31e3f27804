import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { storesAt } from "../../system/erase/files.ts";
import { countOf } from "../../system/erase/rows.ts";
import { listIfPresent } from "../../system/files.ts";
import type { Place, Transcript } from "./chats.ts";

/** What commands in the background said: named by their processes alone, and by whoever's transcript tells of such a process. */
export async function backgroundLogs({ home, id }: Place, transcripts: readonly Transcript[]): Promise<Kept> {
  const folder = join(home, "tmp", "background-processes");
  const pids = new Set(transcripts.flatMap(({ chat }) => [...chat.backgroundPids]));
  const names = (await listIfPresent(folder)).filter((name) => pids.has(/^background-(\d+)\.log$/.exec(name)?.[1] ?? ""));
  const stores: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  if (names.length === 0) return { stores, leftAlone };
  const own = new Set(transcripts.filter(({ chat }) => chat.ids.size === 1).map(({ path }) => path));
  const others = (await allTranscripts(home)).filter((path) => !own.has(path) && !path.includes(`/chats/${id}/`));
  for (const file of names) {
    const path = join(folder, file);
    const pid = /\d+/.exec(file)?.[0] ?? "";
    const told = (await countOf(`PID: ${pid}`, others)) + (await countOf(`background-${pid}`, others));
    const name = "what a background command said";
    if (told > 0) leftAlone.push({ name, path, why: "another conversation had a process of the same number", holds: "text" });
    else stores.push(...(await storesAt({ root: home, path, name, belongsBecause: "the transcript alone tells of the process that it is named by" })));
  }
  return { stores, leftAlone };
}

async function allTranscripts(home: string): Promise<readonly string[]> {
  const projects = await listIfPresent(join(home, "tmp"));
  const chats = projects.map(async (project) => {
    const found = await readdir(join(home, "tmp", project, "chats"), { recursive: true, withFileTypes: true }).catch(() => []);
    return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  });
  return (await Promise.all(chats)).flat();
}
