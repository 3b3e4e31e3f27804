import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type BetterSqlite from "better-sqlite3";

export type Database = BetterSqlite.Database;
export type Reached<T> =
  | { readonly kind: "done"; readonly value: T }
  /** Somebody else held it for the whole time. */
  | { readonly kind: "busy" }
  | { readonly kind: "absent" }
  | { readonly kind: "unopenable"; readonly reason: string };

/**
 * Looks into a database of somebody else's, which is not changed. Of one in WAL mode SQLite makes the `-wal` and `-shm` beside it where they are missing,
 * and leaves them there: a watcher sees that once.
 */
export function readDatabase<T>(path: string, use: (database: Database) => T): Promise<Reached<T>> {
  // In a transaction, so that all that is read is of one moment.
  return withDatabase(path, { readonly: true }, (database) => patiently(() => database.transaction(use)(database)));
}

/** One transaction: all that `use` does, or nothing of it; nothing also where its answer is not `isWanted`. A COMMIT that finds a reader is tried again, with the transaction kept open. */
export function writeDatabase<T>(path: string, use: (database: Database) => T, isWanted: (answer: T) => boolean): Promise<Reached<T>> {
  return withDatabase(path, {}, async (database) => {
    const begun = await patiently(() => database.exec("BEGIN IMMEDIATE"));
    if (begun.kind === "busy") return begun;
    try {
      const value = use(database);
      if (!isWanted(value)) return { kind: "done", value };
      const committed = await patiently(() => database.exec("COMMIT"));
      return committed.kind === "busy" ? committed : { kind: "done", value };
    } finally {
      if (database.inTransaction) database.exec("ROLLBACK");
    }
  });
}

/**
 * Brings what was committed from the `-wal` into the database and empties that file: pages as they were before a deletion stand in it until then. Not where
 * somebody is reading just now; nobody else is held up. It does what SQLite itself does when the last program closes a database, and no more.
 */
export function emptyLog(path: string): Promise<Reached<"emptied" | "inUse">> {
  return withDatabase(path, {}, async (database) => {
    for (const deadline = Date.now() + readWithinMs; ; await sleep(againMs)) {
      const done = await patiently(() => database.pragma("wal_checkpoint(TRUNCATE)"));
      if (done.kind === "busy") return done;
      const [row] = done.value as readonly { readonly busy: number }[];
      if (row?.busy === 0) return { kind: "done", value: "emptied" };
      if (Date.now() >= deadline) return { kind: "done", value: "inUse" };
    }
  });
}

/** Who reads for a moment is waited for. */
const readWithinMs = 500;

/** `timeout: 0`, since SQLite's own wait would hold up the whole thread. */
async function withDatabase<T>(path: string, options: BetterSqlite.Options, use: (database: Database) => Promise<Reached<T>>): Promise<Reached<T>> {
  const kind = await stat(path).catch((error: unknown) => (codeOf(error) === "ENOENT" ? ("absent" as const) : undefined));
  if (kind === "absent") return { kind: "absent" };
  if (kind && !kind.isFile()) return { kind: "unopenable", reason: "it is not a file" };
  const loaded = await loadSqlite();
  if (loaded.kind === "unopenable") return loaded;
  const { Sqlite } = loaded;
  const opened = open(Sqlite, path, { ...options, fileMustExist: true, timeout: 0 });
  if (opened.kind === "unopenable") return opened;
  try {
    return await use(opened.database);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return isBusy(error) ? { kind: "busy" } : { kind: "unopenable", reason: reasonOf(error.code) };
  } finally {
    opened.database.close();
  }
}

type Opened = { readonly kind: "opened"; readonly database: Database } | { readonly kind: "unopenable"; readonly reason: string };

/** The native part is loaded as the first database is opened, not with the module. */
function open(Sqlite: typeof BetterSqlite, path: string, options: BetterSqlite.Options): Opened {
  try {
    return { kind: "opened", database: new Sqlite(path, options) };
  } catch (error) {
    return error instanceof Sqlite.SqliteError ? { kind: "unopenable", reason: reasonOf(error.code) } : notLoaded(error);
  }
}

type Loaded = { readonly kind: "loaded"; readonly Sqlite: typeof BetterSqlite } | { readonly kind: "unopenable"; readonly reason: string };

/** A Node that is too old for the native part is ended by it, without a word: it must not be loaded there. */
async function loadSqlite(): Promise<Loaded> {
  if (Number(process.versions.napi) < 10) return { kind: "unopenable", reason: "databases can't be read by so old a Node" };
  try {
    const { default: Sqlite } = await import("better-sqlite3");
    return { kind: "loaded", Sqlite };
  } catch (error) {
    return notLoaded(error);
  }
}

function notLoaded(error: unknown): { readonly kind: "unopenable"; readonly reason: string } {
  const [why] = (error instanceof Error ? error.message : String(error)).split("\n");
  return { kind: "unopenable", reason: `databases can't be read on this machine (${why})` };
}

/** Again and again while somebody else holds it, without holding up anything. */
async function patiently<T>(act: () => T): Promise<{ readonly kind: "done"; readonly value: T } | { readonly kind: "busy" }> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return { kind: "done", value: act() };
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() >= deadline) return { kind: "busy" };
    }
    await sleep(againMs);
  }
}
const withinMs = 2_000;
const againMs = 15;

function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error) ?? "");
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function reasonOf(code: string): string {
  if (code === "SQLITE_NOTADB") return "it is not an SQLite database";
  if (code.startsWith("SQLITE_CORRUPT")) return "it is damaged";
  if (code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_PERM") || code.startsWith("SQLITE_AUTH")) return "it can't be opened";
  // Only who may write it can bring it back to what it was.
  if (code === "SQLITE_READONLY_ROLLBACK") return "another program was cut off as it wrote it";
  if (code.startsWith("SQLITE_READONLY")) return "it may not be written";
  if (code.startsWith("SQLITE_CONSTRAINT")) return "it takes no such row";
  if (code === "SQLITE_ERROR") return "its tables are not those that were looked for";
  if (code.startsWith("SQLITE_FULL")) return "the disk is full";
  return `SQLite says ${code}`;
}
