import { watch as watchFolder } from "node:fs";
import type { FSWatcher } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { spent } from "./spent.ts";

/**
 * One debounced event for several paths. A folder is watched itself; a file through its folder, so that a rename over it is seen, and with it what
 * stands beside it under the same name (`-wal`). Of what does not exist yet the nearest folder above is watched until it does.
 */
export function watch(paths: readonly string[], onChange: () => void): Disposable {
  const watchers = new Map<string, FSWatcher>();
  let isDisposed = false;
  let timer: NodeJS.Timeout | undefined;
  for (const path of new Set(paths)) void follow(path);

  return {
    [Symbol.dispose]() {
      isDisposed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };

  async function follow(path: string): Promise<void> {
    const place = await placeOf(path);
    if (isDisposed || !place) return;
    const before = watchers.get(path);
    try {
      watchers.set(path, watchPlace(path, place));
      before?.close();
      // What was made between the look and the watch raised no event.
      if (place.isProvisional) void moveNearer(path, place);
    } catch {
      // The folder went away between the two looks, or the system's limit of watches is reached: the next refresh tells the truth anyway.
      retry(path);
    }
  }

  function watchPlace(path: string, place: Place): FSWatcher {
    spent.watchers++;
    const watcher = watchFolder(place.folder, { persistent: false }, (_event, name) => {
      const isItsOwnEnd = name === basename(place.folder);
      if (place.name !== undefined && name !== null && !name.startsWith(place.name) && !isItsOwnEnd) return;
      announce();
      if (isItsOwnEnd) void follow(path);
      else if (place.isProvisional) void moveNearer(path, place);
    });
    return watcher.on("error", () => retry(path)).on("close", () => spent.watchers--);
  }

  async function moveNearer(path: string, from: Place): Promise<void> {
    const place = await placeOf(path);
    if (place?.folder === from.folder && place.isProvisional === from.isProvisional) return;
    await follow(path);
    // What was written before the nearer watch stood was seen by nobody.
    announce();
  }

  function retry(path: string): void {
    watchers.get(path)?.close();
    watchers.delete(path);
    if (!isDisposed) setTimeout(() => void follow(path), retryMs).unref();
  }

  function announce(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange();
    }, debounceMs).unref();
  }
}
const debounceMs = 100;
const retryMs = 5_000;

interface Place {
  readonly folder: string;
  /** What a changed name must begin with; undefined: any. */
  readonly name: string | undefined;
  /** The path itself is not there yet. */
  readonly isProvisional: boolean;
}

async function placeOf(path: string): Promise<Place | undefined> {
  // One look only: between two it may come.
  const kind = await kindOf(path);
  if (kind === "folder") return { folder: path, name: undefined, isProvisional: false };
  for (let below = path, folder = dirname(path); below !== folder; below = folder, folder = dirname(folder)) {
    if ((await kindOf(folder)) === "folder") return { folder, name: basename(below), isProvisional: below !== path || kind === "absent" };
  }
  return undefined;
}

async function kindOf(path: string): Promise<"folder" | "file" | "absent"> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? "folder" : found ? "file" : "absent";
}
