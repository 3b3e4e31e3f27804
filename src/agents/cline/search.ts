import type { Database } from "../../system/sqlite.ts";
import { has, removeRows, searchTables } from "./tables.ts";

/** Out of the full-text index too, which keeps the words of what was deleted until it is next put in order. */
export function removeFromSearch(database: Database, id: string): void {
  removeRows(database, searchTables, id);
  if (!has(database, "session_search_data", ["block"])) return;
  // All at once, since it must be over with the deletion; what would hold up everything else for long is left to Cline, and `mayRemain` tells.
  const blocks = Number(database.prepare("SELECT count(*) FROM session_search_data").pluck().get());
  if (blocks <= blocksPutInOrder) database.prepare("INSERT INTO session_search (session_search) VALUES ('optimize')").run();
}
/** Of 4 KB each. */
const blocksPutInOrder = 16_384;
