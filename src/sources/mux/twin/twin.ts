import { stat } from "node:fs/promises";
import { emptyLog, readDatabase, writeDatabase } from "../../../system/sqlite.ts";
import type { Database, Reached } from "../../../system/sqlite.ts";
import type { JsonObject } from "../json.ts";
import { contentsOf, readTables, tablesIn } from "./tables.ts";
import type { Tables, TwinContents } from "./tables.ts";
import { write } from "./write.ts";
import type { TwinEdit } from "./write.ts";

export type TwinReading = { readonly kind: "absent" } | ({ readonly kind: "read" } & TwinContents) | { readonly kind: "unavailable"; readonly reason: string };

export type TwinChanged =
  | { readonly kind: "changed"; readonly rows: readonly JsonObject[]; readonly unreadable: number }
  | { readonly kind: "unavailable"; readonly reason: string }
  | { readonly kind: "busy" };

/** As Python's `os.path.splitext` has it: what follows the last dot of the file's own name, dots at its beginning aside. */
export function twinPathOf(yamlPath: string): string {
  return `${yamlPath.replace(/([^/.][^/]*)\.[^/.]*$/, "$1")}.db`;
}

export type EditOf = (rows: readonly JsonObject[], identities: JsonObject | undefined) => TwinEdit | undefined;

export interface Twin {
  read(): Promise<TwinReading>;
  /** In one transaction: reads afresh, asks what to change, writes it where the row was found. */
  change(editOf: EditOf): Promise<TwinChanged>;
}

export function openTwin(path: string): Twin {
  let latest: { readonly stamp: string; readonly reading: TwinReading } | undefined;

  return {
    async read() {
      const { stamp, isSettled } = await stampOf(path);
      if (latest?.stamp === stamp) return latest.reading;
      const tables = await readDatabase(path, readTables);
      const reading = tables.kind === "done" ? await readingOf(tables.value) : refusal(tables);
      latest = isSettled && tables.kind === "done" && (await stampOf(path)).stamp === stamp ? { stamp, reading } : undefined;
      return reading;
    },
    async change(editOf) {
      let isForGood = false;
      const outcome = await writeDatabase(
        path,
        (database) =>
          changed(database, (...found) => {
            const edit = editOf(...found);
            isForGood = edit?.kind === "set" && edit.isForGood === true;
            return edit;
          }),
        ({ kind }) => kind === "changed",
      );
      if (isForGood && outcome.kind === "done") await emptyLog(path);
      switch (outcome.kind) {
        case "done":
          return outcome.value.kind === "changed" ? contentsAfter(outcome.value.tables) : outcome.value;
        case "busy":
          return outcome;
        case "absent":
        case "unopenable":
          return { kind: "unavailable", reason: reasonOf(outcome) };
      }
    },
  };
}

type Written = { readonly kind: "changed"; readonly tables: Tables } | Extract<TwinChanged, { kind: "unavailable" }>;

/** Within a transaction. */
function changed(database: Database, editOf: EditOf): Written {
  const before = contentsOf(readTables(database));
  if (!before) return { kind: "unavailable", reason: neither };
  const edit = editOf(before.rows, before.identities);
  const why = edit && write(database, edit, before);
  if (why !== undefined) return { kind: "unavailable", reason: why };
  return { kind: "changed", tables: readTables(database) };
}

async function contentsAfter(tables: Tables): Promise<TwinChanged> {
  const contents = await tablesIn(tables);
  return contents ? { kind: "changed", rows: contents.rows, unreadable: contents.unreadable } : { kind: "unavailable", reason: neither };
}

async function readingOf(tables: Tables): Promise<TwinReading> {
  const contents = await tablesIn(tables);
  return contents ? { kind: "read", ...contents } : { kind: "unavailable", reason: neither };
}
const neither = "it holds neither the table sessions nor the table state";

function refusal(reached: Exclude<Reached<unknown>, { kind: "done" }>): TwinReading {
  return reached.kind === "absent" ? reached : { kind: "unavailable", reason: reasonOf(reached) };
}

function reasonOf(reached: Exclude<Reached<unknown>, { kind: "done" }>): string {
  switch (reached.kind) {
    case "absent":
      return "it is gone";
    case "busy":
      return "somebody else holds it locked";
    case "unopenable":
      return reached.reason;
  }
}

/** Of the file and its log. Settled: written so long ago that another writing would show in its times. */
async function stampOf(path: string): Promise<{ readonly stamp: string; readonly isSettled: boolean }> {
  const files = await Promise.all([path, `${path}-wal`].map((file) => stat(file, { bigint: true }).catch(() => undefined)));
  const newest = Math.max(0, ...files.map((file) => Number(file?.mtimeMs ?? 0)));
  return {
    stamp: files.map((file) => (file ? `${file.dev} ${file.ino} ${file.size} ${file.mtimeNs}` : "-")).join(", "),
    isSettled: Date.now() - newest > settledMs,
  };
}
const settledMs = 100;
