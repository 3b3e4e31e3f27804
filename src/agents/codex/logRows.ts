import { setTimeout as sleep } from "node:timers/promises";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { rowStoresIn } from "../../system/erase/rows.ts";
import type { Database } from "../../system/sqlite.ts";
import { isAppServerThere } from "./appServer.ts";
import { readRows } from "./databases.ts";
import type { CodexDatabase } from "./databases.ts";
import { isThere } from "./threadRows.ts";
import type { Transcript } from "./transcripts.ts";

/** Whose rows are looked for: a conversation's and its sub-agents', among all that there are. */
interface Whose {
  readonly databases: readonly CodexDatabase[];
  readonly transcripts: readonly Pick<Transcript, "id">[];
  readonly id: string;
  readonly ids: readonly string[];
}

/**
 * What Codex's log holds of these conversations: rows that carry the id, rows of no conversation that name it alone, and the answers as a window drew them.
 * Of the last only the moment tells whose they are: a conversation's is what was drawn while a turn of it ran, and none of another.
 */
export async function logRowsOf({ databases, transcripts, id, ids }: Whose): Promise<Kept> {
  const turns = await turnsIn(databases);
  const listed = await threadsIn(databases);
  const others = listed && new Set([...listed, ...transcripts.map((each) => each.id)]);
  const look = (database: Database) => rowsIn(database, ids, turns, others);
  const stores: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const { kind, root, path } of databases.filter((each) => each.kind === "logs")) {
    const name = "its rows in the log";
    const belongsBecause = "they carry its id, or were drawn while only it was answering";
    const count = (database: Database) => look(database).its.length;
    const remove = (database: Database) => {
      const deletion = database.prepare("DELETE FROM logs WHERE id = ?");
      for (const row of look(database).its) deletion.run(row);
    };
    stores.push(...(await rowStoresIn({ name, root, path, id, belongsBecause, count, remove, isOneOfSeveral: true })));
    const { anybodys = 0, ofOthers = 0 } = (await readRows({ kind, root, path }, look)) ?? {};
    if (anybodys > 0)
      leftAlone.push({ name: "answers in the log", path, why: "they were drawn while another conversation was answering too, and name none", holds: "text" });
    if (ofOthers > 0)
      leftAlone.push({ name: "rows of other conversations in the log", path, why: "they are those conversations', or of both, and name its id", holds: "id" });
  }
  return { stores, leftAlone };
}

/** A server writes down that it deletes a conversation, in a log that it writes a moment later. */
export async function sweepLog(home: string, whose: Whose, signal: AbortSignal): Promise<void> {
  const until = (await isAppServerThere(home)) ? Date.now() + writtenWithinMs : 0;
  for (;;) {
    const found = (await logRowsOf(whose)).stores;
    for (const store of found) await store.erase(signal);
    if (found.length > 0 || Date.now() >= until) return;
    await sleep(againMs, undefined, { signal });
  }
}
const writtenWithinMs = 1_000;
const againMs = 100;

interface LogRows {
  readonly its: readonly number[];
  /** Its answers or another's, which can't be told. */
  readonly anybodys: number;
  readonly ofOthers: number;
}

function rowsIn(database: Database, ids: readonly string[], turns: readonly Turn[], threads: ReadonlySet<string> | undefined): LogRows {
  for (const column of ["thread_id", "target", "feedback_log_body", "ts"])
    if (!isThere(database, ["logs", column])) return { its: [], anybodys: 0, ofOthers: 0 };
  const marks = ids.map(() => "?").join(", ");
  const named = `(${ids.map(() => "instr(feedback_log_body, ?) > 0").join(" OR ")})`;
  const tagged = database.prepare(`SELECT id FROM logs WHERE thread_id IN (${marks})`).pluck().all(ids) as number[];
  const ofOthers = database.prepare(`SELECT count(*) FROM logs WHERE thread_id NOT IN (${marks}) AND ${named}`).pluck().get(ids, ids) as number;
  const naming = database
    .prepare(`SELECT id, feedback_log_body AS body FROM logs WHERE thread_id IS NULL AND target IS NOT ? AND ${named}`)
    .all(drawing, ids) as readonly Naming[];
  const known = threads && threads.union(new Set(database.prepare("SELECT DISTINCT thread_id FROM logs").pluck().all()));
  const namesOther = ({ body }: Naming): boolean => (body.match(anyUuid) ?? []).some((each) => !ids.includes(each) && (known?.has(each) ?? true));
  const alone = naming.filter((row) => !namesOther(row));
  const drawn = database.prepare(`SELECT id, ts, ${named} AS isNaming FROM logs WHERE thread_id IS NULL AND target = ?`).all(ids, drawing) as readonly Drawn[];
  const own = turns.filter(({ thread }) => ids.includes(thread));
  const others = turns.filter(({ thread }) => !ids.includes(thread));
  const during = drawn.filter(({ ts }) => own.some((turn) => isDuring(ts, turn)));
  const itsAlone = during.filter(({ ts }) => own.some((turn) => turn.to !== null && isDuring(ts, turn)) && !others.some((turn) => isDuring(ts, turn)));
  const inOthers = drawn.filter((row) => row.isNaming === 1 && !during.includes(row));
  return {
    its: [...tagged, ...[...alone, ...itsAlone].map(({ id }) => id)],
    anybodys: during.length - itsAlone.length,
    ofOthers: ofOthers + naming.length - alone.length + inOthers.length,
  };
}
const anyUuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const drawing = "codex_tui::markdown_stream";

interface Naming {
  readonly id: number;
  readonly body: string;
}

interface Drawn {
  readonly id: number;
  readonly ts: number;
  readonly isNaming: number;
}

/** In whole seconds; without an end where it was cut off. */
interface Turn {
  readonly thread: string;
  readonly from: number;
  readonly to: number | null;
}

/** A window draws a moment after the turn has begun or ended. */
function isDuring(second: number, { from, to }: Turn): boolean {
  return second >= from && (to === null || second <= to + 1);
}

async function turnsIn(databases: readonly CodexDatabase[]): Promise<readonly Turn[]> {
  const found = databases.filter(({ kind }) => kind === "thread_history").map((database) => readRows(database, turnsOf));
  return (await Promise.all(found)).flatMap((turns) => turns ?? []);
}

function turnsOf(database: Database): readonly Turn[] {
  if (!isThere(database, ["thread_turns", "started_at"])) return [];
  const turns = database.prepare("SELECT thread_id AS thread, started_at AS 'from', completed_at AS 'to' FROM thread_turns WHERE started_at IS NOT NULL").all();
  return turns as readonly Turn[];
}

/** All that Codex lists; undefined where its list can't be read. */
async function threadsIn(databases: readonly CodexDatabase[]): Promise<readonly string[] | undefined> {
  const found = databases.filter(({ kind }) => kind === "state").map((database) => readRows(database, threadsOf));
  const lists = await Promise.all(found);
  return lists.includes(undefined) ? undefined : lists.flatMap((threads) => threads ?? []);
}

function threadsOf(database: Database): readonly string[] {
  return isThere(database, ["threads", "id"]) ? (database.prepare("SELECT id FROM threads").pluck().all() as readonly string[]) : [];
}
