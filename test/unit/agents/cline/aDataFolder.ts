import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Kept } from "../../../../src/core/store.ts";
import { holding } from "../aHome.ts";
import { noAbort, put } from "../seen.ts";

export const id = "1796040021438_wu6iw";
export const neighbour = "1796040025725_cvbeu";
export const marker = "purplewalrus";
export const words = { [id]: marker, [neighbour]: "neighbourly" };

/** What two conversations leave, one of them with a sub-agent, in the tables of Cline 3.0.65; they share a word and a prompt. */
export async function fillDataFolder(home: string): Promise<void> {
  mkdirSync(join(home, "db"), { recursive: true });
  for (const [of, word] of Object.entries(words)) {
    const said = [`hello ${word}`, "go on"].map((prompt) => ({
      role: "user",
      content: [{ type: "text", text: `<user_input mode="act">${prompt}</user_input>` }],
    }));
    await put(folderOf(home, of, `${of}.json`), JSON.stringify({ session_id: of, cwd: join(home, "nowhere"), prompt: word }));
    await put(folderOf(home, of, `${of}.messages.json`), JSON.stringify({ sessionId: of, messages: said }, null, 2));
  }
  const typed = [`hello ${marker}`, "hello neighbourly", "go on", `hello ${marker} twice`];
  await put(join(home, "cache/user_input_history.jsonl"), `${typed.map((prompt) => JSON.stringify({ prompt, ts: 1796040026287 })).join("\n")}\n`);
  await put(join(home, "logs/cline.log"), [id, neighbour].map((of) => `{"event":"session.started","properties":{"sessionId":"${of}"}}\n`).join(""));
  inDatabase(home, "sessions", fillSessions(home));
  inDatabase(home, "session-search", fillSearch);
  inDatabase(home, "hub-events", fillEvents, "hub-events-hub-production.db");
  inDatabase(home, "hub-runs", fillRuns, "hub-runs-hub-test.db");
  inDatabase(home, "tasks", fillTasks);
  inDatabase(home, "cron", fillCron);
  inDatabase(home, "teams", fillTeams);
}

export function folderOf(home: string, of: string, file = ""): string {
  return join(home, "sessions", of, file);
}

export function open(home: string, file: string): Sqlite.Database {
  return new Sqlite(join(home, "db", file));
}

/** Every row of every table, each in a line, but not what an index makes of them. */
export function rowsIn(home: string, file: string): readonly string[] {
  const database = open(home, file);
  const names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'session_search_*' AND name <> 'sqlite_sequence' ORDER BY name";
  const tables = database.prepare(names).pluck().all().map(String);
  const rows = tables.flatMap((table) =>
    database
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map((row) => `${table} ${JSON.stringify(row)}`),
  );
  database.close();
  return rows;
}

/** What still holds the conversation: no bytes of a database but those that its store, or the plan, says may remain. */
export async function stillHolding(home: string, { stores, leftAlone }: Kept): Promise<readonly string[]> {
  const told = (await Promise.all(stores.map(async (store) => ((await store.mayRemain?.(noAbort)) === undefined ? [] : [store.path])))).flat();
  const named = new Set([...told, ...leftAlone.map(({ path }) => path)]);
  return (await holding(home, id, marker)).filter((path) => !named.has(path));
}

/** A `cline` that notes what it was given, and then runs these lines of a shell; resolves with the folder to put on PATH. */
export async function standInCline(folder: string, lines: string): Promise<string> {
  const path = await put(join(folder, "bin", "cline"), `#!/bin/sh\necho "$@" > '${folder}/asked'\nenv > '${folder}/environment'\n${lines}\n`);
  chmodSync(path, 0o755);
  return join(folder, "bin");
}

function inDatabase(home: string, schema: string, fill: (database: Sqlite.Database) => void, file = `${schema}.db`): void {
  const database = open(home, file);
  database.pragma("journal_mode = WAL");
  database.exec(readFileSync(new URL(`../../../fixtures/cline/${schema}.sql`, import.meta.url), "utf8"));
  fill(database);
  database.close();
}

const fillSessions = (home: string) => (database: Sqlite.Database) => {
  for (const [of, word] of Object.entries(words)) {
    const row = {
      session_id: of,
      prompt: word,
      cwd: join(home, "nowhere"),
      team_name: `team-${word}`,
      parent_session_id: null,
      is_subagent: 0,
      messages_path: folderOf(home, of, `${of}.messages.json`),
    };
    insert(database, "sessions", { ...session, ...row });
    insert(database, "subagent_spawn_queue", { root_session_id: of, parent_agent_id: "a", task: word, created_at: "" });
    insert(database, "schedules", { schedule_id: word, name: word, cron_pattern: "", prompt: "", provider: "", model: "", created_at: "", updated_at: "" });
    insert(database, "schedule_executions", { execution_id: word, schedule_id: word, session_id: of, triggered_at: "", status: "done" });
  }
  const child = {
    session_id: `${id}__agent`,
    parent_session_id: id,
    is_subagent: 1,
    prompt: marker,
    cwd: "",
    team_name: null,
    messages_path: folderOf(home, id, "agent.messages.json"),
  };
  insert(database, "sessions", { ...session, ...child });
};
const session = {
  source: "cli",
  pid: 1,
  started_at: "",
  status: "idle",
  interactive: 1,
  provider: "",
  model: "",
  workspace_root: "",
  enable_tools: 1,
  enable_spawn: 1,
  enable_teams: 1,
  hook_path: "",
  updated_at: "",
};

function fillSearch(database: Sqlite.Database): void {
  for (const [of, word] of Object.entries(words)) {
    insert(database, "indexed_sessions", { session_id: of, source_revision: "", indexed_at: "", document_count: 40, index_version: 1, title: word });
    for (let at = 0; at < 40; at++)
      insert(database, "session_search", {
        session_id: of,
        document_id: `${of}:${at}`,
        ordinal: at,
        role: "user",
        title: word,
        content: `${word} shared ${word}${at} `.repeat(30),
      });
  }
}

function fillEvents(database: Sqlite.Database): void {
  for (let at = 0; at < 20; at++)
    for (const [of, word] of Object.entries({ ...words, [`${id}__agent`]: marker }))
      insert(database, "hub_events", { event: "assistant.delta", session_id: of, envelope_json: JSON.stringify({ text: word }), created_at: at });
  insert(database, "hub_events", { event: "hub.client.registered", session_id: null, envelope_json: "{}", created_at: 1 });
}

function fillRuns(database: Sqlite.Database): void {
  for (const [of, word] of Object.entries(words)) insert(database, "hub_runs", { run_id: of, session_id: of, state: "done", input_json: word, accepted_at: 1 });
}

function fillTasks(database: Sqlite.Database): void {
  for (const [of, word] of Object.entries(words)) {
    const dates = { available_at: "", expires_at: "", created_at: "", updated_at: "", created_by_json: "{}", updated_by_json: "{}" };
    insert(database, "agenda_tasks", {
      task_id: of === id ? "a" : "b",
      type: "todo",
      status: "completed",
      title: "",
      instructions: "",
      scope: "global",
      last_session_id: of,
      ...dates,
    });
    const run = {
      run_id: word === marker ? "x" : "y",
      task_id: of === id ? "a" : "b",
      task_revision: 1,
      attempt: 1,
      status: "completed",
      session_id: of,
      result_summary: word,
    };
    insert(database, "agenda_task_runs", { ...run, claimed_at: "", created_at: "", updated_at: "" });
  }
}

function fillCron(database: Sqlite.Database): void {
  insert(database, "cron_specs", {
    spec_id: "s",
    external_id: "",
    source_path: "",
    trigger_kind: "schedule",
    parse_status: "valid",
    title: "",
    created_at: "",
    updated_at: "",
  });
  for (const [of, word] of Object.entries(words))
    insert(database, "cron_runs", {
      run_id: word === marker ? "x" : "y",
      spec_id: "s",
      spec_revision: 1,
      trigger_kind: "schedule",
      status: "done",
      session_id: of,
      created_at: "",
      updated_at: "",
    });
}

function fillTeams(database: Sqlite.Database): void {
  for (const word of Object.values(words)) insert(database, "team_events", { team_name: `team-${word}`, ts: "", event_type: "said", payload_json: word });
}

function insert(database: Sqlite.Database, table: string, row: Readonly<Record<string, string | number | null>>): void {
  const columns = Object.keys(row);
  database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((column) => `@${column}`).join(", ")})`).run(row);
}
