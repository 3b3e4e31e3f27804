import { createHash } from "node:crypto";
import { join } from "node:path";
import type { FacetKey } from "../core/facet.ts";
import { tryFileLock } from "./fileLock.ts";

/** All or none, without waiting; undefined where somebody else holds one of them. Keys come sorted, so that two callers can't each hold half. */
export async function tryLock(stateFolder: string, keys: readonly FacetKey[]): Promise<AsyncDisposable | undefined> {
  const held = new AsyncDisposableStack();
  for (const key of keys) {
    const lock = await tryFileLock(join(stateFolder, "locks", `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.lock`));
    if (!lock) {
      await held.disposeAsync();
      return undefined;
    }
    held.use(lock);
  }
  return held;
}
