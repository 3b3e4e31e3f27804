import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Store } from "../../core/store.ts";
import { emptyLog, readDatabase, writeDatabase } from "../sqlite.ts";
import type { Database, Reached } from "../sqlite.ts";
import { blocked, lookAt } from "./confined.ts";
import type { Confined } from "./confined.ts";

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
}

/** The store of those rows, where there are any. What our own connection deletes it overwrites with zeros; the database is never compacted. */
export async function rowStoresIn(rows: Rows): Promise<readonly Store[]> {
  const { name, path, belongsBecause, id, remove, count } = rows;
  const found = await countIn(rows);
  if (found.kind === "none") return [];
  return [
    {
      name,
      path,
      bytes: undefined,
      belongsBecause,
      async erase() {
        const now = await countIn(rows);
        if (now.kind === "none") return { kind: "absent" };
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
        await emptyLog(path);
        return { kind: "erased" };
      },
      async residue() {
        const now = await countIn(rows);
        if (now.kind === "none") return [];
        return [now.kind === "blocked" ? `${path}: ${now.reason}` : `${now.count === 1 ? "1 row" : `${now.count} rows`} of ${path}`];
      },
      async mayRemain() {
        if ((await countOf(id, [`${path}-wal`])) > 0)
          return `Its id still stands in ${path}-wal, and text of it may: a program that has the database open was reading it, so it could not be emptied.`;
        return (await countOf(id, [path])) > 0
          ? `Its id still stands in parts of ${path} that are no longer used, and text of it may: its own program writes over them in time.`
          : `Text of it may remain in parts of ${path} that were no longer used before: its own program writes over them in time.`;
      },
    },
  ];
}

type Counted = { readonly kind: "found"; readonly count: number } | { readonly kind: "none" } | { readonly kind: "blocked"; readonly reason: string };

async function countIn({ root, path, count }: Rows): Promise<Counted> {
  const target = await lookAt({ root, path });
  switch (target.kind) {
    case "absent":
      return { kind: "none" };
    case "blocked":
      return target;
    case "link":
      return blocked("it is a symbolic link");
    case "folder":
      return blocked("it is a folder");
    case "file": {
      const read = await readDatabase(path, count);
      if (read.kind === "done") return read.value > 0 ? { kind: "found", count: read.value } : { kind: "none" };
      return read.kind === "absent" ? { kind: "none" } : blocked(whyNot(read) ?? "it can't be read");
    }
  }
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

/** How often a text stands in the bytes of files, of which each may be missing. */
export async function countOf(text: string, paths: readonly string[]): Promise<number> {
  const needle = Buffer.from(text);
  let count = 0;
  for (const path of paths) {
    if (!(await stat(path).catch(() => undefined))?.isFile()) continue;
    let before = Buffer.alloc(0);
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      const bytes = Buffer.concat([before, chunk as Buffer]);
      for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) count++;
      before = Buffer.from(bytes.subarray(Math.max(0, bytes.length - needle.length + 1)));
    }
  }
  return count;
}
