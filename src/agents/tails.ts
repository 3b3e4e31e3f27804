import { stat } from "node:fs/promises";
import { readTail } from "../system/files.ts";

/** Looks at the end of files that grow, once for each change of each. `known` is what was seen there before: the end alone may not hold it any more. */
export function createTailReader<T>(limitBytes: number, see: (tail: string, known: T | undefined) => T): (path: string) => Promise<T | undefined> {
  const files = new Map<string, { readonly stamp: string; readonly seen: T | undefined }>();
  return async (path) => {
    const found = await stat(path).catch(() => undefined);
    if (!found) return undefined;
    const stamp = `${found.size} ${found.mtimeMs}`;
    const known = files.get(path);
    if (known?.stamp === stamp) return known.seen;
    const tail = await readTail(path, limitBytes);
    const seen = tail === undefined ? undefined : see(tail, known?.seen);
    if (files.size >= filesKept) files.clear();
    files.set(path, { stamp, seen });
    return seen;
  };
}
const filesKept = 1_000;
