import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cline } from "../../../../src/agents/cline/cline.ts";
import { eraseAll, planIn, residueOf } from "../aHome.ts";
import { open, rowsIn, standInCline, withDataFolder } from "./aDataFolder.ts";
import { folderOf, id, neighbour } from "./names.ts";

beforeEach(() => {
  vi.stubEnv("PATH", ["/usr/bin", "/bin"].join(delimiter));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test("Cline is asked to delete it first, for this home only, whatever our own environment says of another", async () => {
  await withDataFolder(async (home, folder) => {
    vi.stubEnv("CLINE_DATA_DIR", "/elsewhere");
    vi.stubEnv("CLINE_SESSION_DATA_DIR", "/elsewhere/sessions");
    vi.stubEnv("CLINE_HUB_PORT", "1");
    vi.stubEnv("PATH", [await standInCline(folder, `rm -r '${folderOf(home, id)}'`), "/usr/bin", "/bin"].join(delimiter));
    const plan = await planIn(cline, home, id);
    expect((await eraseAll(plan)).at(-1)).toEqual(["transcript", "erased"]);
    expect(readFileSync(join(folder, "asked"), "utf8")).toBe(`history delete --session-id ${id}\n`);
    const variables = readFileSync(join(folder, "environment"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("CLINE_"));
    expect(variables.toSorted()).toEqual([`CLINE_DATA_DIR=${home}`, "CLINE_NO_AUTO_UPDATE=1"]);
    expect(await residueOf(plan)).toEqual([]);
  });
});

test.each([
  ["says that it has, and has not", 'echo "Deleted session $4"'],
  ["says that it knows none such", "echo not found >&2; exit 1"],
  ["is killed", "kill -9 $$"],
])("what Cline leaves that %s is deleted all the same", async (_, lines) => {
  await withDataFolder(async (home, folder) => {
    vi.stubEnv("PATH", [await standInCline(folder, lines), "/usr/bin", "/bin"].join(delimiter));
    const plan = await planIn(cline, home, id);
    expect((await eraseAll(plan)).every(([, outcome]) => outcome === "erased")).toBe(true);
    expect(await residueOf(plan)).toEqual([]);
    expect(existsSync(join(folder, "asked"))).toBe(true);
  });
});

test.each<[string, string, readonly string[]]>([
  ["whose record names a folder elsewhere", "UPDATE sessions SET messages_path = ? WHERE session_id = ?", ["/srv/notes/all.json", id]],
  ["that another conversation names as its parent", "UPDATE sessions SET parent_session_id = ? WHERE session_id = ?", [id, neighbour]],
])("Cline is not asked to delete one %s, since it would delete that too", async (_, statement, values) => {
  await withDataFolder(async (home, folder) => {
    vi.stubEnv("PATH", [await standInCline(folder, "exit 0"), "/usr/bin", "/bin"].join(delimiter));
    const database = open(home, "sessions.db");
    database.prepare(statement).run(...values);
    database.close();
    const plan = await planIn(cline, home, id);
    expect((await eraseAll(plan)).every(([, outcome]) => outcome === "erased")).toBe(true);
    expect(existsSync(join(folder, "asked"))).toBe(false);
    expect(rowsIn(home, "sessions.db").join("\n")).toContain(`"session_id":"${neighbour}"`);
  });
});
