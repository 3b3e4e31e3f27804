import { countOf } from "./rows.ts";

/** Of rows that another program has deleted: what of them is still in the bytes of its database, and its log. */
export async function mayRemainIn(database: string, id: string): Promise<string> {
  const inUse = await countOf(id, [database, `${database}-wal`]);
  return inUse > 0
    ? `Its id still stands in parts of ${database} that are no longer used, and text of it does: its own program writes over them in time.`
    : `Text of it may remain in parts of ${database} that are no longer used: its own program writes over them in time.`;
}
