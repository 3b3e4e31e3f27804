import { readFileSync, readdirSync } from "node:fs";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { codex } from "../../../../src/agents/codex/codex.ts";
import type { Kept } from "../../../../src/core/store.ts";
import { aFolder } from "../../../support/folder.ts";
import { noAbort, put } from "../seen.ts";

/** A conversation in a made-up CODEX_HOME, with something of it in each place that the real one was seen to use. */
export interface Said {
  readonly id: string;
  readonly text: string;
  readonly cwd?: string;
  /** In seconds; its one turn took 2. */
  readonly at?: number;
  readonly meta?: object;
}

export const id = "01a22a3e-7a1a-7042-a002-7d09585aaaad";
/** It differs in the last character. */
export const near = "01a22a3e-7a1a-7042-a002-7d09585aaaae";
export const marker = "purplewalrus";

/** For each test of a file: a home with the conversation and a neighbour in the same folder, and a program on PATH that deletes. */
export interface Place {
  readonly home: string;
  /** How the program was called. */
  readonly calls: () => Promise<readonly string[]>;
  /** Another one in its place; `does` is a shell's text. */
  readonly useProgram: (does: string) => Promise<void>;
}

export function eachInAPlace(): () => Place {
  let place: Place | undefined;
  let over: () => Promise<void>;
  beforeEach(async () => {
    const folder = await aFolder();
    over = async () => folder[Symbol.asyncDispose]();
    const home = join(folder.path, "codex");
    const calls = join(folder.path, "calls");
    const useProgram = (does: string) => putProgram(join(folder.path, "bin/codex"), calls, does);
    await mkdir(home);
    await putConversation(home, { id, text: marker, at: 1_000 });
    await putConversation(home, { id: near, text: "neighbour", at: 2_000 });
    await useProgram(deletes);
    vi.stubEnv("PATH", `${join(folder.path, "bin")}:/usr/bin:/bin`);
    place = { home, useProgram, calls: async () => (await readFile(calls, "utf8").catch(() => "")).split("\n").filter(Boolean) };
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await over();
  });
  return () => place ?? expect.fail("no test runs");
}

export const transcriptIn = (home: string, id: string, day = "30") => join(home, `sessions/2026/11/${day}/rollout-2026-11-${day}T02-17-47-${id}.jsonl`);

export const transcriptOf = ({ id, text, cwd = "/srv/app", meta = {} }: Said): string =>
  [
    { type: "session_meta", payload: { id, session_id: id, cwd, source: "cli", base_instructions: { text: "x".repeat(70_000) }, ...meta } },
    { type: "response_item", payload: { role: "user", content: [{ text }] } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

export async function putConversation(home: string, said: Said): Promise<void> {
  const { id, text, at = 1_000 } = said;
  await put(transcriptIn(home, id), transcriptOf(said));
  await put(join(home, "shell_snapshots", `${id}.1796039981795239904.sh`), "# Snapshot file\n");
  await put(join(home, "tui-thread-reference-capabilities", id), "");
  await put(join(home, "thread-writer-locks", `${id}.lock`), "");
  await put(join(home, "generated_images", id, "call_1.png"), text);
  await append(home, "history.jsonl", { session_id: id, ts: at, text });
  await append(home, "session_index.jsonl", { id, thread_name: text, updated_at: "2026-11-30T00:12:46Z" });
  const turn = { thread_id: id, turn_id: `turn-${id}` };
  inDatabases(home, (kind, add) => {
    if (kind === "thread_history") {
      add("thread_turns", { ...turn, rollout_ordinal: 1, status: "completed", started_at: at, completed_at: at + 2 });
      add("thread_items", { ...turn, item_id: "i", rollout_ordinal: 2, created_at_ms: 1, item_json: JSON.stringify({ text: `${text} `.repeat(900) }) });
      add("thread_realtime_items", { thread_id: id, item_id: "r", rollout_ordinal: 3, created_at_ms: 1, item_type: "x", item_json: JSON.stringify({ text }) });
      add("thread_history_projection_state", { thread_id: id, next_rollout_byte_offset: 9, next_rollout_ordinal: 4 });
    }
    if (kind === "state") {
      const row = { id, rollout_path: transcriptIn(home, id), created_at: 1, updated_at: 1, source: "cli", model_provider: "m", cwd: "/srv/app", title: text };
      add("threads", { ...row, sandbox_policy: "", approval_mode: "", first_user_message: text, preview: text, name: text });
      add("thread_read_receipts", { thread_id: id, revision: "1" });
      add("thread_attachments", { id: `a-${id}`, thread_id: id, attachment_type: "x", identity_key: "k", payload: text, created_at: 1 });
      add("guardian_review_feedback", { id: `g-${id}`, thread_id: id, record: text });
    }
    if (kind === "goals") {
      add("thread_goals", { thread_id: id, goal_id: "g", objective: text, status: "active", created_at_ms: 1, updated_at_ms: 1 });
      add("thread_goal_continuation_deferrals", { thread_id: id });
    }
    if (kind === "queue") add("queued_items", { id: `q-${id}`, thread_id: id, payload_json: text, queue_order: 1, created_at_ms: 1, updated_at_ms: 1 });
    if (kind === "memories") add("stage1_outputs", { thread_id: id, source_updated_at: 1, raw_memory: text, rollout_summary: text, generated_at: 1 });
    if (kind === "logs") {
      add("logs", { ts: at, ts_nanos: 0, level: "INFO", target: "codex_core", thread_id: id, feedback_log_body: text });
      add("logs", { ts: at, ts_nanos: 0, level: "INFO", target: "codex_app_server", feedback_log_body: `thread ${id} was active` });
      add("logs", { ts: at + 1, ts_nanos: 0, level: "TRACE", target: "codex_tui::markdown_stream", feedback_log_body: `push_delta: "${text}"` });
    }
  });
}

type Add = (table: string, row: Readonly<{ [column: string]: string | number }>) => void;

/** Opens each database of the home, and makes it where it is missing. */
export function inDatabases(home: string, use: (kind: string, add: Add, database: Sqlite.Database) => void): void {
  for (const schema of readdirSync(schemas)) {
    const name = schema.replace("-0.171.0.sql", "");
    const database = new Sqlite(join(home, `${name}.sqlite`));
    // Else SQLite leaves copies of a row behind as it makes room for another, which no deletion of rows finds.
    database.pragma("secure_delete = ON");
    const isNew = database.prepare("SELECT count(*) FROM sqlite_master").pluck().get() === 0;
    if (isNew) database.pragma("journal_mode = WAL");
    if (isNew) database.exec(readFileSync(join(schemas, schema), "utf8"));
    const add: Add = (table, row) =>
      void database
        .prepare(
          `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
            .map(() => "?")
            .join(", ")})`,
        )
        .run(Object.values(row));
    use(name.replace(/_\d+$/, ""), add, database);
    database.close();
  }
}
const schemas = join(import.meta.dirname, "../../../fixtures/codex");

/** Every row of every table, as text, but those that name one of these. */
export function rowsWithout(home: string, ...words: readonly string[]): readonly string[] {
  const rows: string[] = [];
  inDatabases(home, (kind, _, database) => {
    for (const table of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as readonly string[]) {
      // Counters of rows that were ever made.
      if (table === "sqlite_sequence") continue;
      for (const row of database.prepare(`SELECT * FROM ${table}`).all()) rows.push(`${kind} ${table} ${JSON.stringify(row)}`);
    }
  });
  return rows.filter((row) => !words.some((word) => row.includes(word)));
}

async function putProgram(path: string, calls: string, does: string): Promise<void> {
  await put(path, `#!/bin/sh\nprintf '%s|%s\\n' "$CODEX_HOME" "$*" >> '${calls}'\n${does}\n`);
  await chmod(path, 0o755);
}

/** Deletes as the real one does what is looked at here: the files of the id, wherever they are. */
export const deletes = `find "$CODEX_HOME/sessions" "$CODEX_HOME/archived_sessions" "$CODEX_HOME/thread-writer-locks" -name "*$2*" -delete 2>/dev/null\nexit 0`;

export async function planFor(home: string, id: string, cwd: string | undefined = "/srv/app"): Promise<Kept> {
  const kept = await codex.stores?.({ conversation: { agent: "codex", id, toldBy: "agent", home }, cwd, configHomes: [] }, noAbort);
  if (!kept) throw new Error("Codex has no stores");
  return kept;
}

async function append(home: string, file: string, line: object): Promise<void> {
  const before = await readFile(join(home, file), "utf8").catch(() => "");
  await put(join(home, file), `${before}${JSON.stringify(line)}\n`);
}
