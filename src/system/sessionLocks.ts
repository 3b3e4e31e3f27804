import { createHash } from "node:crypto";
import { join } from "node:path";
import type { FacetKey } from "../core/facet.ts";
import { tryFileLock } from "./fileLock.ts";

/** All or none, without waiting; undefined where somebody else holds one of them. Keys come sorted, so that two callers can't each hold half. */
export async function tryLock(stateFolder: string, keys: readonly FacetKey[]): Promise<AsyncDisposable | undefined> {
  const held: AsyncDisposable[] = [];
  const giveBack = async (): Promise<void> => {
    for (const lock of held.splice(0)) await lock[Symbol.asyncDispose]();
  };
  try {
    for (const key of keys) {
      const lock = await tryFileLock(join(stateFolder, "locks", `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.lock`));
      if (!lock) {
        await giveBack();
        return undefined;
      }
      held.push(lock);
    }
  } catch (error) {
    await giveBack();
    throw error;
  }
  return { [Symbol.asyncDispose]: giveBack };
}
