import { join } from "node:path";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { withoutElements } from "../../system/cutElements.ts";
import { cutStoresIn } from "../../system/erase/cuts.ts";
import { storesAt } from "../../system/erase/files.ts";
import { lineStoresIn } from "../../system/erase/lines.ts";
import { listIfPresent } from "../../system/files.ts";
import { parseJson } from "../jsonText.ts";

/** The stores of what these conversations have in the files of a home beside their transcripts. */
export async function fileStores(home: string, ids: readonly string[]): Promise<Kept> {
  const wholes = (await Promise.all(ids.map((id) => wholesOf(home, id)))).flat();
  const history = await linesOf(home, "history.jsonl", "the prompt history", "session_id", ids);
  const names = await linesOf(home, "session_index.jsonl", "the list of names", "id", ids);
  return {
    stores: [...wholes, ...history.stores, ...names.stores, ...(await reopenedStores(home, ids))],
    leftAlone: [...history.leftAlone, ...names.leftAlone],
  };
}

async function wholesOf(home: string, id: string): Promise<readonly Store[]> {
  const belongsBecause = "its name is the conversation's id";
  const wholes = [
    { name: "images made in it", path: join(home, "generated_images", id) },
    { name: "note of what its window can do", path: join(home, "tui-thread-reference-capabilities", id) },
  ];
  return (await Promise.all(wholes.map((whole) => storesAt({ ...whole, root: home, belongsBecause })))).flat();
}

/**
 * The stores of what Codex takes away with a transcript: the lock keeps a second writer out until then, and a snapshot that it finds missing it writes
 * down, with the id, a while later.
 */
export async function heldStores(home: string, ids: readonly string[]): Promise<readonly Store[]> {
  const snapshots = await listIfPresent(join(home, "shell_snapshots"));
  const wholes = ids.flatMap((id) => [
    { name: "its lock", path: join(home, "thread-writer-locks", `${id}.lock`) },
    ...snapshots.filter((name) => name.startsWith(`${id}.`)).map((name) => ({ name: "snapshot of its shell", path: join(home, "shell_snapshots", name) })),
  ]);
  return (await Promise.all(wholes.map((whole) => storesAt({ ...whole, root: home, belongsBecause: "its name is the conversation's id" })))).flat();
}

/** A server that is stopped writes down what it had open, and the next one opens that. */
function reopenedStores(home: string, ids: readonly string[]): Promise<readonly Store[]> {
  return cutStoresIn({
    name: "its place among what Codex's server opens again",
    root: home,
    path: join(home, "app-server-daemon", "loaded-threads.json"),
    belongsBecause: "it is the conversation's id",
    without: (text) => withoutElements(text, (element) => ids.some((id) => id === element)),
  });
}

/** Also a line that was cut off, as it is where its writer was killed, once it has told whose it is; not where another's is glued to it. */
async function linesOf(home: string, file: string, place: string, key: string, ids: readonly string[]): Promise<Kept> {
  const begin = `{"${key}":`;
  const whose = (line: string): "its" | "cutOff" | "others" | undefined => {
    if (!ids.some((id) => line.includes(id))) return undefined;
    const value = parseJson(line);
    // Within a text each quotation mark has a stroke before it.
    if (value === undefined) return line.lastIndexOf(begin) === 0 && ids.some((id) => line.startsWith(`${begin}"${id}"`)) ? "its" : "cutOff";
    const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
    return typeof found === "string" && ids.includes(found) ? "its" : "others";
  };
  const path = join(home, file);
  const storesOf = (of: "its" | "cutOff" | "others") =>
    lineStoresIn({
      name: `its lines in ${place}`,
      root: home,
      path,
      belongsBecause: `their ${key} is the conversation's id`,
      isIts: (line) => whose(line) === of,
    });
  const leftAlone: LeftAlone[] = [];
  if ((await storesOf("cutOff")).length > 0)
    leftAlone.push({ name: `what was cut off in ${place}`, path, why: "it names the id, and whose it is can't be told", holds: "text" });
  if ((await storesOf("others")).length > 0)
    leftAlone.push({ name: `lines of others in ${place}`, path, why: "they are other conversations', and name the id", holds: "id" });
  return { stores: await storesOf("its"), leftAlone };
}
