import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { copilot } from "../../../../src/agents/copilot/copilot.ts";
import { eraseAll, planIn } from "../aHome.ts";
import { withFolder } from "../seen.ts";

const id = "846a261b-1686-45ee-b34d-5caf3d99c056";
const other = "846a261b-1111-45ee-b34d-5caf3d99c056";
const schema = readFileSync(new URL("../../../fixtures/copilot/session-store-1.0.102.sql", import.meta.url), "utf8");

test("another conversation's rows that name it are told, and stay", async () => {
  await withFolder(async (home) => {
    const path = join(home, "session-store.db");
    const database = new Sqlite(path);
    database.exec(schema);
    for (const of of [id, other]) database.prepare("INSERT INTO sessions (id, cwd) VALUES (?, '/srv')").run(of);
    database.prepare("INSERT INTO turns (session_id, turn_index, user_message) VALUES (?, 1, ?)").run(other, `go on with ${id}`);
    const plan = await planIn(copilot, home, id);
    expect(plan.leftAlone).toEqual([{ name: "rows of the session store that name it", path, why: "they are of other conversations", holds: "id" }]);
    await eraseAll(plan);
    expect(database.prepare("SELECT user_message FROM turns").pluck().all()).toEqual([`go on with ${id}`]);
    database.close();
  });
});
