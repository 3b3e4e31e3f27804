import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, readFile, rename, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, expect, test, vi } from "vitest";
import { copilot } from "../../../../src/agents/copilot/copilot.ts";
import { eraseAll, holding, planIn, residueOf, treeOf } from "../aHome.ts";
import { noAbort, put, withFolder } from "../seen.ts";

const id = "846a261b-1686-45ee-b34d-5caf3d99c056";
/** It begins with the same 8 characters. */
const near = "846a261b-1111-45ee-b34d-5caf3d99c056";
const marker = "purplewalrus";
const schema = readFileSync(new URL("../../../fixtures/copilot/session-store-1.0.102.sql", import.meta.url), "utf8");

afterEach(() => {
  vi.unstubAllEnvs();
});

const json = (value: unknown) => JSON.stringify(value, null, 2);
const databaseIn = (home: string) => join(home, "session-store.db");
const openDatabase = (home: string) => new Sqlite(databaseIn(home));
const logIn = (home: string, pid: number) => join(home, "logs", `process-1796040143435-${pid}.log`);
const logOf = (...ids: readonly string[]) => ids.map((of) => `2026-11-30T12:02:23.549Z [INFO] Registering foreground session: ${of}\n`).join("");

/** As the program leaves it that is ended by a signal: in WAL mode, with the log of the last words beside it. */
function fill(home: string, more = ""): void {
  const database = openDatabase(home);
  database.pragma("journal_mode = WAL");
  database.exec(schema + more);
  for (const of of [near, id]) {
    const word = of === id ? marker : "neighbour";
    database.prepare("INSERT INTO sessions (id, cwd, summary) VALUES (?, '/srv/app', ?)").run(of, word);
    for (let turn = 0; turn < 40; turn++) {
      const text = `prompt ${turn} of the ${word}`;
      const answer = `${word} `.repeat(200);
      database.prepare("INSERT INTO turns (session_id, turn_index, user_message, assistant_response) VALUES (?, ?, ?, ?)").run(of, turn, text, answer);
      database.prepare("INSERT INTO search_index VALUES (?, ?, 'turn', ?)").run(`${text}\n${answer}`, of, `${of}:turn:${turn}`);
    }
    database.prepare("INSERT INTO turns (session_id, turn_index, user_message) VALUES (?, 99, 'asked by both')").run(of);
    database.prepare("INSERT INTO checkpoints (session_id, checkpoint_number, history) VALUES (?, 1, ?)").run(of, word);
    database.prepare("INSERT INTO session_files (session_id, file_path) VALUES (?, ?)").run(of, `/srv/${word}`);
    database.prepare("INSERT INTO session_refs (session_id, ref_type, ref_value) VALUES (?, 'issue', ?)").run(of, word);
    database.prepare("INSERT INTO forge_trajectory_events (session_id, event_type, output) VALUES (?, 'x', ?)").run(of, word);
    database.prepare("INSERT INTO assistant_usage_events (session_id, model) VALUES (?, ?)").run(of, word);
  }
  database.close();
}

async function makeHome(home: string): Promise<void> {
  for (const of of [id, near]) {
    const word = of === id ? marker : "neighbour";
    const folder = join(home, "session-state", of);
    await put(join(folder, "workspace.yaml"), `id: ${of}\ncwd: /srv/app\nname: ${word}-name\n`);
    const asked = { type: "user.message", data: { content: `${word} please` } };
    const ran = { type: "tool.user_requested", data: { toolName: "local_shell", arguments: { command: "git status" } } };
    await put(join(folder, "events.jsonl"), `${JSON.stringify(asked)}\n${JSON.stringify(ran)}\n`);
    await put(join(folder, "rewind-file-snapshots", "index.json"), word);
    await put(join(home, "session-state", ".session-operation-locks", `${of}.lock`), "");
  }
  await put(join(home, "open-sessions-state.json"), json({ [near]: { working: false }, [id]: { working: false } }));
  await put(join(home, "sidebar-sessions-state", "3583.json"), json({ schemaVersion: 1, cwd: "/srv/app", sessionIds: [id, near] }));
  await put(join(home, "sidebar-sessions-state", "4000.json"), json({ schemaVersion: 1, cwd: "/srv/else", sessionIds: [near] }));
  await put(join(home, "command-history-state.json"), json({ commandHistory: [`${marker} please`, "/exit", "neighbour please", `prompt 3 of the ${marker}`] }));
  await put(logIn(home, 41), logOf(id));
  await put(logIn(home, 43), logOf(near));
  fill(home);
}

test("every store of a conversation goes, the folder with its events last, and a second plan finds nothing", async () => {
  await withFolder(async (home) => {
    await makeHome(home);
    const plan = await planIn(copilot, home, id);
    expect(plan.stores.map(({ name }) => name)).toEqual([
      "the log of its process",
      "its prompts in the command history",
      "its entry among the open sessions",
      "its entry in a folder's list of sessions",
      "its rows in the session store and its search index",
      "its lock",
      "its events, checkpoints and snapshots",
    ]);
    expect(plan.leftAlone).toEqual([]);
    expect((await eraseAll(plan)).filter(([, outcome]) => outcome !== "erased")).toEqual([]);
    expect(await residueOf(plan)).toEqual([]);
    expect(await planIn(copilot, home, id)).toEqual({ stores: [], leftAlone: [] });
    expect(await holding(home, id, marker)).toEqual([]);
  });
});

test("the search index stays whole, holds no word of it any more, and merges as its program set it", async () => {
  await withFolder(async (home) => {
    await makeHome(home);
    const before = openDatabase(home);
    const settings = before.prepare("SELECT * FROM search_index_config").all();
    before.close();
    await eraseAll(await planIn(copilot, home, id));
    const after = openDatabase(home);
    expect(after.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(after.pragma("foreign_key_check")).toEqual([]);
    expect(() => after.exec("INSERT INTO search_index(search_index) VALUES ('integrity-check')")).not.toThrow();
    expect(after.prepare("SELECT count(*) FROM search_index WHERE search_index MATCH ?").pluck().get(marker)).toBe(0);
    expect(after.prepare("SELECT count(*) FROM search_index WHERE search_index MATCH 'neighbour'").pluck().get()).toBe(40);
    // A word stands there without what it has in common with the one before it.
    const blocks = "SELECT count(*) FROM search_index_data WHERE instr(block, CAST('lewalrus' AS BLOB)) > 0";
    expect(after.prepare(blocks).pluck().get()).toBe(0);
    expect(after.prepare(blocks.replace("lewalrus", "ighbour")).pluck().get()).toBeGreaterThan(0);
    expect(after.prepare("SELECT * FROM search_index_config").all()).toEqual(settings);
    expect(after.pragma("journal_mode", { simple: true })).toBe("wal");
    after.close();
  });
});

test("a neighbour stays row by row and byte for byte, in the files that both share too", async () => {
  await withFolder(async (home) => {
    await makeHome(home);
    const isOther = ([path]: readonly [string, string]) => path.includes(near) || path.includes("-43.log") || path.includes("4000.json");
    const files = [...(await treeOf(home))].filter(isOther);
    const rows = rowsOf(home, near);
    await eraseAll(await planIn(copilot, home, id));
    expect([...(await treeOf(home))].filter(isOther)).toEqual(files);
    expect(rowsOf(home, near)).toEqual(rows);
    expect(rows.length).toBeGreaterThan(80);
    expect(await readFile(join(home, "open-sessions-state.json"), "utf8")).toBe(json({ [near]: { working: false } }));
    expect(await readFile(join(home, "sidebar-sessions-state", "3583.json"), "utf8")).toBe(json({ schemaVersion: 1, cwd: "/srv/app", sessionIds: [near] }));
    expect(await readFile(join(home, "command-history-state.json"), "utf8")).toBe(json({ commandHistory: ["/exit", "neighbour please"] }));
  });
});

test("a purge that is cut off after any store is completed by the next", async () => {
  for (let done = 0; done < 7; done++) {
    await withFolder(async (home) => {
      await makeHome(home);
      const { stores, leftAlone } = await planIn(copilot, home, id);
      expect(stores).toHaveLength(7);
      await eraseAll({ stores: stores.slice(0, done), leftAlone });
      await eraseAll(await planIn(copilot, home, id));
      expect(await holding(home, id, marker)).toEqual([]);
    });
  }
});

test("what was typed in another conversation as well, or may have been, stays and is said", async () => {
  await withFolder(async (home) => {
    await makeHome(home);
    const path = await put(
      join(home, "command-history-state.json"),
      json({ commandHistory: ["asked by both", "!git status", `/rename ${marker}-name`, "yes"] }),
    );
    const plan = await planIn(copilot, home, id);
    expect(plan.stores.filter((store) => store.path === path)).toEqual([]);
    expect(plan.leftAlone).toMatchObject([{ path, holds: "text" }]);
    const before = await readFile(path, "utf8");
    await eraseAll(plan);
    expect(await readFile(path, "utf8")).toBe(before);
  });
});

test("the log of a process that had another conversation too is left alone, and one that is held open is not deleted", async () => {
  await withFolder(async (home) => {
    const shared = await put(logIn(home, 41), logOf(id, near));
    const own = await put(logIn(home, 42), logOf(id));
    await put(logIn(home, 43), logOf(near));
    const why = "its process had other conversations too";
    const plan = await planIn(copilot, home, id);
    expect(plan.leftAlone).toEqual([{ name: "a log that names it", path: shared, why, holds: "id" }]);
    expect(plan.stores.map(({ path }) => path)).toEqual([own]);
    // What is no session's is no other conversation.
    await put(own, `${logOf(id)}[ERROR] SessionClient background task refresh failed (continuing) [phase=pre-dispatch cursor=${randomUUID()}|208]\n`);
    expect((await planIn(copilot, home, id)).stores).toHaveLength(1);
    await put(own, `${logOf(id)}[WARNING] no hook session for session id ${near}\n`);
    expect(await plan.stores[0]?.erase(noAbort)).toEqual({ kind: "blocked", reason: why });
  });
});

test("the long outputs of a killed process of its own go, and no other's", async () => {
  await withFolder(async (home) => {
    const temp = join(home, "temp");
    vi.stubEnv("TMPDIR", temp);
    await put(logIn(home, 41), logOf(id));
    await put(logIn(home, 43), logOf(near));
    await put(join(home, "logs", "process-1796040343435-41.log"), logOf(near));
    await utimes(logIn(home, 41), 1_796_040_150, 1_796_040_150);
    const output = (at: number, pid: number) => put(join(temp, `${at}-copilot-tool-output-${pid}-${randomUUID()}.txt`), marker);
    const own = await output(1_796_040_148_187, 41);
    // Other processes that had the same pid before and after; another conversation's; a name that only looks so.
    const others = [
      await output(1_700_000_000_000, 41),
      await output(1_796_040_343_999, 41),
      // Of one whose log is not there: its own process had ended.
      await output(1_796_040_250_000, 41),
      await output(1_796_040_148_187, 43),
      await put(join(temp, "1796040148187-copilot-tool-output-41-notes.txt"), marker),
    ];
    const plan = await planIn(copilot, home, id);
    expect(plan.stores.map(({ path }) => path)).toEqual([own, logIn(home, 41)]);
    expect(plan.leftAlone).toMatchObject([{ path: others[2], holds: "text" }]);
    await eraseAll(plan);
    expect((await holding(temp, marker)).toSorted()).toEqual(others.toSorted());
  });
});

test("rows of a branch that name it stay and are said; tables that a later version adds are cleared by its id", async () => {
  await withFolder(async (home) => {
    fill(home, "CREATE TABLE notes (session_id TEXT, note TEXT);");
    const database = openDatabase(home);
    database.prepare("INSERT INTO notes VALUES (?, ?), (?, 'stays')").run(id, marker, near);
    database.prepare("INSERT INTO dynamic_context_items (repository, branch, src, name, content) VALUES ('r', 'b', 's', 'n', ?)").run(`see ${id}`);
    database.close();
    const plan = await planIn(copilot, home, id);
    const why = "dynamic_context_items is not kept by conversation";
    expect(plan.leftAlone).toEqual([{ name: "rows of the session store that name it", path: databaseIn(home), why, holds: "id" }]);
    await eraseAll(plan);
    const after = openDatabase(home);
    expect(after.prepare("SELECT note FROM notes").pluck().all()).toEqual(["stays"]);
    expect(after.prepare("SELECT content FROM dynamic_context_items").pluck().all()).toEqual([`see ${id}`]);
    after.close();
    expect(await holding(home, marker)).toEqual([]);
  });
});

test("an earlier version's transcripts go", async () => {
  await withFolder(async (home) => {
    await put(join(home, "history-session-state", `session_${id}_1760000000000.json`), marker);
    await put(join(home, "session-state", `${id}.jsonl`), marker);
    const other = await put(join(home, "history-session-state", `session_${near}_1760000000000.json`), marker);
    await eraseAll(await planIn(copilot, home, id));
    expect(await holding(home, marker)).toEqual([other]);
  });
});

test("a folder that says it is another's, and a file that is not known, are left alone", async () => {
  await withFolder(async (home) => {
    const folder = join(home, "session-state", id);
    await put(join(folder, "workspace.yaml"), `id: ${near}\n`);
    const unknown = await put(join(home, "pins.json"), json([id]));
    expect(await planIn(copilot, home, id)).toEqual({
      stores: [],
      leftAlone: [
        { name: "a file that names it", path: unknown, why: "it is not known what it is for", holds: "text" },
        { name: "a session's folder", path: folder, why: `it says that it is of ${near}`, holds: "text" },
      ],
    });
  });
});

test.each(["../../outside", "..", "", "846a261b", "%", ".session-operation-locks", `${id}\n`, `${id}'`])("the id %j has no stores", async (hostile) => {
  await withFolder(async (home) => {
    await makeHome(home);
    expect(await planIn(copilot, home, hostile)).toEqual({ stores: [], leftAlone: [] });
  });
});

test("what a linked folder, or a linked database, leads to outside is not touched", async () => {
  await withFolder(async (folder) => {
    const home = join(folder, ".copilot");
    await makeHome(home);
    const outside = join(folder, "outside");
    await mkdir(outside);
    for (const name of ["session-state", "session-store.db"]) {
      await rename(join(home, name), join(outside, name));
      await symlink(join(outside, name), join(home, name));
    }
    const before = await treeOf(outside);
    const outcomes = new Map(await eraseAll(await planIn(copilot, home, id)));
    const notItself = `it does not lie in ${home} itself`;
    expect(outcomes.get("its events, checkpoints and snapshots")).toBe(notItself);
    expect(outcomes.get("its lock")).toBe(notItself);
    expect(outcomes.get("its rows in the session store and its search index")).toBe("it is a symbolic link");
    const after = [...(await treeOf(outside))].filter(([path]) => !/-(shm|wal)$/.test(path));
    expect(new Map(after)).toEqual(before);
  });
});

test("a program that reads the store meanwhile is not held up, and what is in the log then is said", async () => {
  await withFolder(async (home) => {
    await makeHome(home);
    const plan = await planIn(copilot, home, id);
    const reader = openDatabase(home);
    reader.exec("BEGIN");
    expect(reader.prepare("SELECT count(*) FROM turns").pluck().get()).toBe(82);
    const rows = plan.stores.find(({ path }) => path === databaseIn(home));
    expect(await rows?.erase(noAbort)).toEqual({ kind: "erased" });
    expect(await rows?.mayRemain?.(noAbort)).toContain("Its id still stands in parts of");
    reader.exec("COMMIT");
    reader.close();
    await using file = await open(databaseIn(home));
    expect((await file.stat()).size).toBeGreaterThan(0);
  });
});

/** By another program of the same kind. */
function rowsOf(home: string, of: string): readonly string[] {
  const database = new Sqlite(databaseIn(home), { readonly: true });
  const tables = ["turns", "checkpoints", "session_files", "session_refs", "forge_trajectory_events", "assistant_usage_events", "search_index"];
  const rows = tables.flatMap((table) => database.prepare(`SELECT rowid AS at, * FROM ${table} WHERE session_id = ?`).all(of));
  const sessions = database.prepare("SELECT * FROM sessions WHERE id = ?").all(of);
  database.close();
  return [...rows, ...sessions].map((row) => JSON.stringify(row));
}
