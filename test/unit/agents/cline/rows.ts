import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { folderOf, id, marker, words } from "./names.ts";

export const fillSessions = (home: string) => (database: Sqlite.Database) => {
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

export function fillSearch(database: Sqlite.Database): void {
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

export function fillEvents(database: Sqlite.Database): void {
  for (let at = 0; at < 20; at++)
    for (const [of, word] of Object.entries({ ...words, [`${id}__agent`]: marker }))
      insert(database, "hub_events", { event: "assistant.delta", session_id: of, envelope_json: JSON.stringify({ text: word }), created_at: at });
  insert(database, "hub_events", { event: "hub.client.registered", session_id: null, envelope_json: "{}", created_at: 1 });
}

export function fillRuns(database: Sqlite.Database): void {
  for (const [of, word] of Object.entries(words)) insert(database, "hub_runs", { run_id: of, session_id: of, state: "done", input_json: word, accepted_at: 1 });
}

export function fillTasks(database: Sqlite.Database): void {
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

export function fillCron(database: Sqlite.Database): void {
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

export function fillTeams(database: Sqlite.Database): void {
  for (const word of Object.values(words)) insert(database, "team_events", { team_name: `team-${word}`, ts: "", event_type: "said", payload_json: word });
}

function insert(database: Sqlite.Database, table: string, row: Readonly<Record<string, string | number | null>>): void {
  const columns = Object.keys(row);
  database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((column) => `@${column}`).join(", ")})`).run(row);
}
