import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { storesAt } from "../../system/erase/files.ts";
import { countOf } from "../../system/erase/rows.ts";
import { unreadableBelow } from "../../system/erase/unreadable.ts";
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
  const others = (await allTranscripts(home))?.filter((path) => !own.has(path) && !path.includes(`/chats/${id}/`));
  for (const file of names) {
    const path = join(folder, file);
    const pid = /\d+/.exec(file)?.[0] ?? "";
    const isTold = !others || (await countOf(`PID: ${pid}`, others)) + (await countOf(`background-${pid}`, others)) > 0;
    const name = "what a background command said";
    if (isTold) leftAlone.push({ name, path, why: "another conversation had a process of the same number, or may have", holds: "text" });
    else stores.push(...(await storesAt({ root: home, path, name, belongsBecause: "the transcript alone tells of the process that it is named by" })));
  }
  return { stores, leftAlone };
}

/** Undefined where a folder can't be read. */
async function allTranscripts(home: string): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  for (const project of await listIfPresent(join(home, "tmp"))) {
    const chats = join(home, "tmp", project, "chats");
    if ((await unreadableBelow(chats, [])).length > 0) return undefined;
    const below = await readdir(chats, { recursive: true, withFileTypes: true }).catch(() => []);
    found.push(...below.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name)));
  }
  return found;
}
