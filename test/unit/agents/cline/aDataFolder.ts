import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Kept } from "../../../../src/core/store.ts";
import { holding } from "../aHome.ts";
import { noAbort, put, withFolder } from "../seen.ts";
import { folderOf, id, marker, neighbour, words } from "./names.ts";
import { fillCron, fillEvents, fillRuns, fillSearch, fillSessions, fillTasks, fillTeams } from "./rows.ts";

/** A data folder that holds two conversations, and the folder around it. */
export async function withDataFolder(use: (home: string, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await fillDataFolder(join(folder, "data"));
    await use(join(folder, "data"), folder);
  });
}

/** What two conversations leave, one of them with a sub-agent, in the tables of Cline 3.0.65; they share a word and a prompt. */
async function fillDataFolder(home: string): Promise<void> {
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
