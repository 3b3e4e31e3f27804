import type { Agent, ConversationPlace } from "../core/agent.ts";
import type { Kept, LeftAlone, Store } from "../core/store.ts";
import { inherited, isSamePlace } from "./elsewhere.ts";

/** What the conversation's own home has of it; that unknown, the one home of these that has something of it. Of several, nothing tells which is meant. */
export async function keptInHomes(
  { conversation: { home }, configHomes }: ConversationPlace,
  configHomeOf: Agent["configHomeOf"],
  signal: AbortSignal,
  keptIn: (home: string) => Promise<Kept>,
): Promise<Kept> {
  const kept: (Kept & { readonly home: string })[] = [];
  for (const each of await distinct([home, configHomeOf(inherited()), ...configHomes])) {
    signal.throwIfAborted();
    kept.push({ home: each, ...(await keptIn(each)) });
  }
  const [own, ...others] = kept;
  if (home !== undefined && own) return besideCopies(own, others);
  const stores = kept.flatMap((each) => each.stores);
  const leftAlone = kept.flatMap((each) => each.leftAlone);
  const family = kept.flatMap((each) => each.family ?? []);
  if (kept.filter((each) => each.stores.length > 0).length < 2) return { stores, leftAlone, ...(family.length > 0 && { family }) };
  return { stores: [], leftAlone: [...leave(stores, whichHome), ...leftAlone] };
}
const whichHome = "several config homes have one of its id, and which is meant is not known";

/** What two homes share, as a database that both are led to, is the conversation's own. */
function besideCopies({ stores, leftAlone, family = [] }: Kept, others: readonly (Kept & { readonly home: string })[]): Kept {
  const own = new Set(stores.map(({ path }) => path));
  const copies = others.flatMap(({ home, stores }) =>
    leave(
      stores.filter(({ path }) => !own.has(path)),
      `it is in ${home}, which is not its config home`,
    ),
  );
  return { stores, leftAlone: [...leftAlone, ...copies], ...(family.length > 0 && { family }) };
}

function leave(stores: readonly Store[], why: string): readonly LeftAlone[] {
  return stores.map(({ name, path }) => ({ name, path, why, holds: "text" }));
}

/** Each place once, as it was first called. */
async function distinct(homes: readonly (string | undefined)[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const home of homes) {
    if (home === undefined) continue;
    const isSeen = await Promise.all(found.map((before) => isSamePlace(home, before)));
    if (!isSeen.includes(true)) found.push(home);
  }
  return found;
}
