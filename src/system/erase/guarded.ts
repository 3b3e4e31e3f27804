import type { Store } from "../../core/store.ts";
import { blocked, whyNotChanged } from "./confined.ts";

/** A store that whatever the system says blocks, and nothing else: what was deleted before stays told. A fault of ours is thrown all the same. */
export function guarded(store: Store): Store {
  return {
    ...store,
    async erase(signal) {
      try {
        return await store.erase(signal);
      } catch (error) {
        return blocked(reasonOf(error));
      }
    },
    async residue(signal) {
      try {
        return await store.residue(signal);
      } catch (error) {
        return [`${store.path}: ${reasonOf(error)}`];
      }
    },
    ...(store.mayRemain && { mayRemain: (signal: AbortSignal) => toldOf(store, signal) }),
  };
}

async function toldOf(store: Store, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await store.mayRemain?.(signal);
  } catch (error) {
    return `Whether something of it remains in ${store.path} can't be told: ${reasonOf(error)}.`;
  }
}

/** What the system said, in a clause. */
export function reasonOf(error: unknown): string {
  const reason = whyNotChanged(error);
  if (reason === undefined) throw error;
  return reason;
}
