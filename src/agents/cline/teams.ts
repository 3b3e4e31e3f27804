import { join } from "node:path";
import type { Kept } from "../../core/store.ts";
import { rowStoresIn } from "../../system/erase/rows.ts";
import type { Database } from "../../system/sqlite.ts";
import { readRecords } from "./records.ts";
import { has, isIts, named } from "./tables.ts";

/** What its agents said to each other as a team. Each conversation has a team of its own name, unless a person has named one: that may be taken up by another. */
export async function keptTeams(home: string, id: string): Promise<Kept> {
  const path = join(home, "db", "teams.db");
  const kept: Kept[] = [];
  for (const { team, isShared } of await teamsOf(home, id)) {
    const stores = await rowStoresIn({
      root: home,
      path,
      name: "its team's tasks and messages",
      belongsBecause: `they name ${team}, which is the team of this conversation and of no other`,
      id: team,
      count: (database) =>
        tablesIn(database).reduce((sum, table) => sum + Number(database.prepare(`SELECT count(*) FROM ${table} WHERE team_name = ?`).pluck().get(team)), 0),
      remove: (database) => tablesIn(database).forEach((table) => database.prepare(`DELETE FROM ${table} WHERE team_name = ?`).run(team)),
    });
    const why = `${team} is the team of another conversation too`;
    kept.push(isShared ? { stores: [], leftAlone: stores.map(({ name }) => ({ name, path, why, holds: "text" })) } : { stores, leftAlone: [] });
  }
  return { stores: kept.flatMap(({ stores }) => stores), leftAlone: kept.flatMap(({ leftAlone }) => leftAlone) };
}

const teamTables = ["team_events", "team_runtime_snapshot", "team_tasks", "team_runs", "team_outcomes", "team_outcome_fragments"];

function tablesIn(database: Database): readonly string[] {
  return teamTables.filter((table) => has(database, table, ["team_name"]));
}

async function teamsOf(home: string, id: string): Promise<readonly { readonly team: string; readonly isShared: boolean }[]> {
  const read = await readRecords(home, (database) => {
    if (!has(database, "sessions", ["session_id", "team_name"])) return [];
    const teams = (which: string) =>
      database
        .prepare(`SELECT DISTINCT team_name FROM sessions WHERE team_name <> '' AND ${which} ${isIts("session_id")}`)
        .pluck()
        .all(named(id));
    const others = teams("NOT");
    return teams("").map((team) => ({ team: String(team), isShared: others.includes(team) }));
  });
  return read ?? [];
}
