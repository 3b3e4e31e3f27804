import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Store, StoreOutcome } from "../../core/store.ts";
import { emptyLog, readDatabase, writeDatabase } from "../sqlite.ts";
import type { Database, Reached } from "../sqlite.ts";
import { blocked, isGone, isOutOfReach, lookAt, lookForFile } from "./confined.ts";
import type { Confined } from "./confined.ts";
import { guarded, reasonOf } from "./guarded.ts";

/** Rows of a database that another program keeps. */
export interface Rows extends Confined {
  readonly name: string;
  readonly belongsBecause: string;
  /** By which its bytes are looked for in what SQLite no longer uses. */
  readonly id: string;
  /** How many rows are the conversation's; none also where the tables are not there. */
  readonly count: (database: Database) => number;
  /** In one transaction. */
  readonly remove: (database: Database) => void;
  /** Others of the same database are asked for too: what its log alone still holds is asked for once, by `logStoresIn`. */
  readonly isOneOfSeveral?: boolean;
}

/** The store of those rows, where there are any, or of what the log still holds of them. What our own connection deletes it overwrites with zeros; the database is never compacted. */
export async function rowStoresIn(rows: Rows): Promise<readonly Store[]> {
  const { name, path, belongsBecause, id, remove, count, isOneOfSeveral = false } = rows;
  const found = await countIn(rows);
  if (found.kind === "none") return isOneOfSeveral ? [] : logStoresIn(rows);
  let isLogLeft = false;
  const emptied = async (): Promise<StoreOutcome> => {
    isLogLeft = (await whyLogStays(rows)) !== undefined;
    return { kind: "erased" };
  };
  return [
    guarded({
      name,
      path,
      bytes: undefined,
      belongsBecause,
      isOutOfReach: await isOutOfReach(rows),
      async erase() {
        const now = await countIn(rows);
        if (now.kind === "none") return (await isInLog(rows)) ? emptied() : { kind: "absent" };
        if (now.kind === "blocked") return now;
        const written = await writeDatabase(
          path,
          (database) => {
            database.pragma("secure_delete = ON");
            remove(database);
            return count(database);
          },
          (left) => left === 0,
        );
        if (written.kind === "absent") return { kind: "absent" };
        const why = whyNot(written);
        if (why !== undefined) return blocked(why);
        if (written.kind === "done" && written.value > 0) return blocked("its tables are not those that are known");
        return emptied();
      },
      async residue() {
        const now = await countIn(rows);
        if (now.kind === "none") return isLogLeft ? leftOver(rows) : [];
        return [now.kind === "blocked" ? `${path}: ${now.reason}` : `${now.count === 1 ? "1 row" : `${now.count} rows`} of ${path}`];
      },
      async mayRemain() {
        if ((await countOf(id, [`${path}-wal`])) > 0)
          return `Its id still stands in ${path}-wal, and text of it may: a program that has the database open was reading it, so it could not be emptied.`;
        return (await countOf(id, [path])) > 0
          ? `Its id still stands in parts of ${path} that are no longer used, and text of it may: its own program writes over them in time.`
          : `Text of it may remain in parts of ${path} that were no longer used before: its own program writes over them in time.`;
      },
    }),
  ];
}

/** The store of what a database's log alone still names: pages as they were before a deletion after which it could not be emptied, as where we were killed. */
export async function logStoresIn(of: Pick<Rows, "root" | "path" | "id">): Promise<readonly Store[]> {
  const { path } = of;
  if ((await lookAt(of)).kind !== "file" || !(await isInLog(of))) return [];
  return [
    guarded({
      name: `what the log of ${basename(path)} still holds of it`,
      path: `${path}-wal`,
      bytes: undefined,
      belongsBecause: "it names the id, and no row of the database is its any more",
      async erase() {
        if (!(await isInLog(of))) return { kind: "absent" };
        const why = await whyLogStays(of);
        return why === undefined ? { kind: "erased" } : blocked(why);
      },
      residue: async () => ((await isInLog(of)) ? leftOver(of) : []),
    }),
  ];
}

async function whyLogStays({ root, path }: Confined): Promise<string | undefined> {
  const target = await lookAt({ root, path });
  if (target.kind !== "file") return target.kind === "blocked" ? target.reason : "its database was replaced meanwhile";
  const reached = await emptyLog(path);
  return reached.kind === "done" && reached.value === "inUse" ? "a program is reading it" : whyNot(reached);
}

async function isInLog({ path, id }: Pick<Rows, "path" | "id">): Promise<boolean> {
  return (await countOf(id, [`${path}-wal`])) > 0;
}

/** Where the log could not be emptied: it has pages as they were, or the database has, into which the newer ones could not be brought. */
async function leftOver({ path, id }: Pick<Rows, "path" | "id">): Promise<readonly string[]> {
  if (await isInLog({ path, id })) return [`${path}-wal, which a program was reading`];
  return (await countOf(id, [path])) > 0 ? [`${path}, of which a program was reading what was there before`] : [];
}

type Counted = { readonly kind: "found"; readonly count: number } | { readonly kind: "none" } | { readonly kind: "blocked"; readonly reason: string };

async function countIn({ root, path, count }: Rows): Promise<Counted> {
  const target = await lookForFile({ root, path });
  if (target.kind !== "file") return target;
  const read = await readDatabase(path, count);
  if (read.kind === "done") return read.value > 0 ? { kind: "found", count: read.value } : { kind: "none" };
  return read.kind === "absent" ? { kind: "none" } : blocked(whyNot(read) ?? "it can't be read");
}

function whyNot(reached: Reached<unknown>): string | undefined {
  switch (reached.kind) {
    case "done":
    case "absent":
      return undefined;
    case "busy":
      return "another program holds it";
    case "unopenable":
      return reached.reason;
  }
}

/** How often a text stands in the bytes of files, of which each may be missing; one that can't be read may have it, and counts as one that has. */
export async function countOf(text: string, paths: readonly string[]): Promise<number> {
  const needle = Buffer.from(text);
  let count = 0;
  for (const path of paths) {
    try {
      if ((await stat(path)).isFile()) count += await countInFile(needle, path);
    } catch (error) {
      if (!isGone(error) && reasonOf(error)) count++;
    }
  }
  return count;
}

async function countInFile(needle: Buffer, path: string): Promise<number> {
  let count = 0;
  let before = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes = Buffer.concat([before, chunk as Buffer]);
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) count++;
    before = Buffer.from(bytes.subarray(Math.max(0, bytes.length - needle.length + 1)));
  }
  return count;
}
