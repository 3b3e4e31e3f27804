import { readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cline } from "../../../../src/agents/cline/cline.ts";
import { startChild } from "../../../support/children.ts";
import { until } from "../../../real/support/until.ts";
import { eraseAll, planIn } from "../aHome.ts";
import { put } from "../seen.ts";
import { open, rowsIn, withDataFolder } from "./aDataFolder.ts";
import { folderOf, id, marker, neighbour } from "./names.ts";

beforeEach(() => {
  vi.stubEnv("PATH", ["/usr/bin", "/bin"].join(delimiter));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const history = "cache/user_input_history.jsonl";

test("a conversation that was forked from it is told, and stays", async () => {
  await withDataFolder(async (home) => {
    const database = open(home, "sessions.db");
    database.prepare("UPDATE sessions SET metadata_json = ? WHERE session_id = ?").run(JSON.stringify({ fork: { forkedFromSessionId: id } }), neighbour);
    database.close();
    const plan = await planIn(cline, home, id);
    expect(plan.leftAlone).toContainEqual(expect.objectContaining({ path: folderOf(home, neighbour), holds: "text" }));
    await eraseAll(plan);
    expect(rowsIn(home, "sessions.db").join("\n")).toContain("forkedFromSessionId");
  });
});

test("a prompt that another conversation has too stays in the history, and is told", async () => {
  await withDataFolder(async (home) => {
    const { leftAlone } = await planIn(cline, home, id);
    expect(leftAlone).toEqual([
      { name: "prompt history", path: join(home, history), why: "a prompt of it was typed in another conversation too, or may have been", holds: "text" },
    ]);
  });
});

test("a prompt history that can't be told apart, since the transcript is broken, stays and is told", async () => {
  await withDataFolder(async (home) => {
    await put(folderOf(home, id, `${id}.messages.json`), "{");
    expect((await planIn(cline, home, id)).leftAlone).toMatchObject([{ path: join(home, history), holds: "text" }]);
  });
});

test("a log that a hub keeps open stays, and so does a line that names another conversation too", async () => {
  await withDataFolder(async (home) => {
    await appendFile(join(home, "logs/cline.log"), `{"copied":"${id}","to":"${neighbour}"}\n{"requestId":"hubreq_${id}"}\n`);
    const log = await put(join(home, "logs/hub-daemon.log"), `[hub] {"sessionId":"${id}"}\n`);
    const hub = await startChild([
      process.execPath,
      "-e",
      `require("fs").openSync(${JSON.stringify(log)}, "a"); console.log("holds"); setInterval(() => {}, 60_000)`,
    ]);
    await until(() => hub.said().includes("holds"));
    const plan = await planIn(cline, home, id);
    expect(plan.stores.map(({ path }) => path)).not.toContain(log);
    expect(plan.leftAlone).toContainEqual(expect.objectContaining({ path: log, holds: "id" }));
    expect(plan.leftAlone).toContainEqual(expect.objectContaining({ path: join(home, "logs/cline.log"), why: "they name other conversations too" }));
    await eraseAll(plan);
    expect(readFileSync(join(home, "logs/cline.log"), "utf8").split("\n").length).toBe(4);
    expect(readFileSync(log, "utf8")).toContain(id);
  });
});

test("a team that another conversation has too stays, and is told", async () => {
  await withDataFolder(async (home) => {
    const database = open(home, "sessions.db");
    database.prepare("UPDATE sessions SET team_name = ?").run(`team-${marker}`);
    database.close();
    const plan = await planIn(cline, home, id);
    expect(plan.leftAlone).toContainEqual(expect.objectContaining({ path: join(home, "db/teams.db"), holds: "text" }));
    await eraseAll(plan);
    expect(rowsIn(home, "teams.db").join("\n")).toContain(marker);
  });
});
