import { join } from "node:path";
import type { Store } from "../../core/store.ts";
import { withoutElements } from "../../system/cutElements.ts";
import { cutStoresIn } from "../../system/erase/cuts.ts";
import { storesAt } from "../../system/erase/files.ts";
import { lineStoresIn } from "../../system/erase/lines.ts";
import { listIfPresent } from "../../system/files.ts";
import { parseJson } from "../jsonText.ts";

/** The stores of what these conversations have in the files of a home beside their transcripts. */
export async function fileStores(home: string, ids: readonly string[]): Promise<readonly Store[]> {
  return [
    ...(await Promise.all(ids.map((id) => wholesOf(home, id)))).flat(),
    ...(await linesOf(home, "history.jsonl", "its lines in the prompt history", "session_id", ids)),
    ...(await linesOf(home, "session_index.jsonl", "its lines in the list of names", "id", ids)),
    ...(await reopenedStores(home, ids)),
  ];
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

function linesOf(home: string, file: string, name: string, key: string, ids: readonly string[]): Promise<readonly Store[]> {
  const isIts = (line: string): boolean => {
    const value = ids.some((id) => line.includes(id)) ? parseJson(line) : undefined;
    if (typeof value !== "object" || value === null) return false;
    const found: unknown = Reflect.get(value, key);
    return typeof found === "string" && ids.includes(found);
  };
  return lineStoresIn({ name, root: home, path: join(home, file), belongsBecause: `their ${key} is the conversation's id`, isIts });
}
