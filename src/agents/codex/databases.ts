import { isAbsolute, join } from "node:path";
import { lookAt } from "../../system/erase/confined.ts";
import { listIfPresent, readIfPresent } from "../../system/files.ts";
import { readDatabase } from "../../system/sqlite.ts";
import type { Database } from "../../system/sqlite.ts";
import { inherited, isSamePlace } from "../elsewhere.ts";
import { usualHome } from "./home.ts";

/** A database of Codex's. The number in its name changes with its tables. */
export interface CodexDatabase {
  /** The name before the number. */
  readonly kind: Kind;
  /** The folder that its configuration keeps the databases in. */
  readonly root: string;
  readonly path: string;
}

const kinds = ["goals", "logs", "memories", "queue", "state", "thread_history"] as const;
type Kind = (typeof kinds)[number];

/** Those of which the tables are known. */
export async function findDatabases(home: string): Promise<readonly CodexDatabase[]> {
  const root = await databaseFolderOf(home);
  return (await listIfPresent(root)).toSorted().flatMap((name) => {
    const named = /^([a-z_]+?)(?:_v\d+)?_\d+\.sqlite$/.exec(name)?.[1];
    const kind = kinds.find((each) => each === named);
    return kind === undefined ? [] : [{ kind, root, path: join(root, name) }];
  });
}

/** What `use` finds in one; undefined where it can't be read, or is not plainly the user's own file in its place. */
export async function readRows<T>({ root, path }: CodexDatabase, use: (database: Database) => T): Promise<T | undefined> {
  if ((await lookAt({ root, path })).kind !== "file") return undefined;
  const read = await readDatabase(path, use);
  return read.kind === "done" ? read.value : undefined;
}

/** The one key of its `config.toml` that moves them has to stand before the first table. What our environment names is of the home that it names too. */
export async function databaseFolderOf(home: string): Promise<string> {
  const [top = ""] = ((await readIfPresent(join(home, "config.toml"), 1024 * 1024)) ?? "").split(/^\s*\[/m);
  const [, basic, literal] = /^\s*sqlite_home\s*=\s*(?:"([^"\\]+)"|'([^']+)')/m.exec(top) ?? [];
  const isOurs = await isSamePlace(home, usualHome());
  const named = basic ?? literal ?? (isOurs ? inherited().get("CODEX_SQLITE_HOME") : undefined);
  return named !== undefined && isAbsolute(named) ? named : home;
}
