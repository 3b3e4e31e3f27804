import { readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cline } from "../../../../src/agents/cline/cline.ts";
import { aHolder } from "../../system/aDatabase.ts";
import { eraseAll, planIn, residueOf, treeOf } from "../aHome.ts";
import { noAbort } from "../seen.ts";
import { open, rowsIn, stillHolding, withDataFolder } from "./aDataFolder.ts";
import { folderOf, id, marker, neighbour } from "./names.ts";

beforeEach(() => {
  vi.stubEnv("PATH", ["/usr/bin", "/bin"].join(delimiter));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const databases = ["sessions.db", "session-search.db", "hub-events-hub-production.db", "hub-runs-hub-test.db", "tasks.db", "cron.db", "teams.db"];

test("all of a conversation goes, its sub-agents' too, and what is its neighbour's stays row for row and byte for byte", async () => {
  await withDataFolder(async (home) => {
    const plan = await planIn(cline, home, id);
    const kept = await treeOf(folderOf(home, neighbour));
    const others = databases.map((file) => rowsIn(home, file).filter((row) => !row.includes(id) && !row.includes(marker)));
    expect(plan.stores.at(-1)).toMatchObject({ name: "transcript", path: folderOf(home, id) });
    expect(await eraseAll(plan)).toEqual(plan.stores.map(({ name }) => [name, "erased"]));
    expect(await residueOf(plan)).toEqual([]);
    expect((await planIn(cline, home, id)).stores).toEqual([]);
    expect(await stillHolding(home, plan)).toEqual([]);

    expect(await treeOf(folderOf(home, neighbour))).toEqual(kept);
    for (const [at, file] of databases.entries()) expect(rowsIn(home, file)).toEqual(expect.arrayContaining([...(others[at] ?? [])]));
    expect(others.map((rows) => rows.length)).toEqual([4, 41, 21, 1, 2, 2, 1]);
    expect(
      readFileSync(join(home, "cache/user_input_history.jsonl"), "utf8")
        .split("\n")
        .map((line) => (line === "" ? "" : (JSON.parse(line) as { prompt: string }).prompt)),
    ).toEqual(["hello neighbourly", "go on", `hello ${marker} twice`, ""]);
    expect(readFileSync(join(home, "logs/cline.log"), "utf8")).toBe(`{"event":"session.started","properties":{"sessionId":"${neighbour}"}}\n`);
  });
});

test("the search index is intact afterwards, without its words, and set as it was", async () => {
  await withDataFolder(async (home) => {
    const bytes = () => readFileSync(join(home, "db/session-search.db"), "latin1").split(marker).length;
    const before = bytes();
    await eraseAll(await planIn(cline, home, id));
    // In the first page of a table that grew, its own writer leaves some for good: `mayRemain` tells.
    expect(bytes()).toBeLessThan(before / 5);
    const database = open(home, "session-search.db");
    database.exec("INSERT INTO session_search (session_search) VALUES ('integrity-check')");
    const found = (word: string) => database.prepare("SELECT count(*) FROM session_search WHERE session_search MATCH ?").pluck().get(word);
    expect([found(marker), found("neighbourly"), found("shared")]).toEqual([0, 40, 40]);
    expect(database.prepare("SELECT k FROM session_search_config").pluck().all()).toEqual(["version"]);
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    database.close();
  });
});

test("a task, a scheduled run and an execution stay, and no longer tell of it", async () => {
  await withDataFolder(async (home) => {
    await eraseAll(await planIn(cline, home, id));
    const of = (file: string, query: string) => {
      const database = open(home, file);
      const rows = database.prepare(query).raw().all();
      database.close();
      return rows;
    };
    expect(of("cron.db", "SELECT run_id, session_id FROM cron_runs ORDER BY 1")).toEqual([
      ["x", null],
      ["y", neighbour],
    ]);
    expect(of("tasks.db", "SELECT task_id, last_session_id FROM agenda_tasks ORDER BY 1")).toEqual([
      ["a", null],
      ["b", neighbour],
    ]);
    expect(of("tasks.db", "SELECT run_id, session_id, result_summary FROM agenda_task_runs ORDER BY 1")).toEqual([
      ["x", null, null],
      ["y", neighbour, "neighbourly"],
    ]);
    expect(of("sessions.db", "SELECT execution_id, session_id FROM schedule_executions ORDER BY 1")).toEqual([
      ["neighbourly", neighbour],
      [marker, null],
    ]);
  });
});

test("a database that a hub has open is written, and its log is emptied", async () => {
  await withDataFolder(async (home) => {
    const holders = await Promise.all(databases.map((file) => aHolder(join(home, "db", file), "SELECT count(*) FROM sqlite_schema")));
    const plan = await planIn(cline, home, id);
    expect((await eraseAll(plan)).every(([, outcome]) => outcome === "erased")).toBe(true);
    expect(await residueOf(plan)).toEqual([]);
    expect(await stillHolding(home, plan)).toEqual([]);
    expect(holders.length).toBe(databases.length);
  });
});

test.each(["..", "../../settings", `${id}/..`, `${id}__agent`, "1796040021438_%%%%%", `${id}\n`, ""])(
  "an id of another form (%j) has no stores",
  async (hostile) => {
    await withDataFolder(async (home) => {
      expect(await planIn(cline, home, hostile)).toEqual({ stores: [], leftAlone: [] });
    });
  },
);

test.each(["sessions", "db", "logs", "cache"])("nothing is deleted where %s is a link to elsewhere", async (name) => {
  await withDataFolder(async (home, folder) => {
    renameSync(join(home, name), join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), join(home, name));
    const before = await treeOf(join(folder, "elsewhere"));
    const plan = await planIn(cline, home, id);
    await eraseAll(plan);
    expect(await treeOf(join(folder, "elsewhere"))).toEqual(before);
    const reasons = [...(await eraseAll(plan)).map(([, outcome]) => outcome), ...plan.leftAlone.map(({ why }) => why)];
    expect(reasons).toContain(`it does not lie in ${home} itself`);
  });
});

test("a home that has only some of it, or none, is no fault", async () => {
  await withDataFolder(async (home) => {
    rmSync(join(home, "db/session-search.db"));
    const database = open(home, "tasks.db");
    database.exec("DROP TABLE agenda_task_runs; ALTER TABLE agenda_tasks DROP COLUMN last_session_id");
    database.close();
    const plan = await planIn(cline, home, id);
    expect((await eraseAll(plan)).every(([, outcome]) => outcome === "erased")).toBe(true);
    expect(await planIn(cline, join(home, "nowhere"), id)).toEqual({ stores: [], leftAlone: [] });
  });
});

test("cut off after any step, a second purge completes it", async () => {
  let steps = 1;
  for (let step = 0; step < steps; step++)
    await withDataFolder(async (home) => {
      const plan = await planIn(cline, home, id);
      steps = plan.stores.length;
      for (const store of plan.stores.slice(0, step)) await store.erase(noAbort);
      const again = await planIn(cline, home, id);
      await eraseAll(again);
      expect(await residueOf(plan)).toEqual([]);
      expect(await stillHolding(home, plan)).toEqual([]);
    });
});
