import type { ConversationPlace } from "../core/agent.ts";
import type { Kept } from "../core/store.ts";
import { isSamePlace } from "./elsewhere.ts";

/** What the conversation's own home has of it; that unknown, the one home of these that has something of it. Of several, nothing tells which is meant. */
export async function keptInHomes(
  { conversation: { home }, configHomes }: ConversationPlace,
  usualHome: string,
  signal: AbortSignal,
  keptIn: (home: string) => Promise<Kept>,
): Promise<Kept> {
  const kept: Kept[] = [];
  for (const each of home === undefined ? await distinct([usualHome, ...configHomes]) : [home]) {
    signal.throwIfAborted();
    kept.push(await keptIn(each));
  }
  const stores = kept.flatMap((each) => each.stores);
  const leftAlone = kept.flatMap((each) => each.leftAlone);
  const family = kept.flatMap((each) => each.family ?? []);
  if (kept.filter((each) => each.stores.length > 0).length < 2) return { stores, leftAlone, ...(family.length > 0 && { family }) };
  return { stores: [], leftAlone: [...stores.map(({ name, path }) => ({ name, path, why: whichHome, holds: "text" }) as const), ...leftAlone] };
}
const whichHome = "several config homes have one of its id, and which is meant is not known";

/** Each place once, as it was first called. */
async function distinct(homes: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const home of homes) {
    const isSeen = await Promise.all(found.map((before) => isSamePlace(home, before)));
    if (!isSeen.includes(true)) found.push(home);
  }
  return found;
}
