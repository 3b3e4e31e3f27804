import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/sources/mux/json.ts";
import { openTwin, twinPathOf } from "../../../../src/sources/mux/twin/twin.ts";
import type { TwinEdit } from "../../../../src/sources/mux/twin/write.ts";
import { textOfExact } from "../../../../src/sources/mux/exactJson.ts";
import { aFolder } from "../../../support/folder.ts";
import { runPython } from "../../../support/python.ts";
import { aHolder, letGo } from "../../system/aDatabase.ts";
import { intoSessions, intoState, make, seenByPython, sessionsTable, stateTable } from "./aTwin.ts";

async function rowsIn(path: string): Promise<string> {
  const reading = await openTwin(path).read();
  return reading.kind === "read" ? textOfExact(reading.rows) : `${reading.kind} ${"reason" in reading ? reading.reason : ""}`.trim();
}

const change = (path: string, edit: TwinEdit): ReturnType<ReturnType<typeof openTwin>["change"]> => openTwin(path).change(() => edit);
const set = (name: string, row: JsonObject, nth = 1): TwinEdit => ({ kind: "set", name, nth, row });

test.each(["/a/agents.yaml", "/a/agents", "/a.b/agents", "/a.b/.agents", "/a/..agents", "/a/.agents.yml", "/a/x.y.yaml", "/a/x.", "/a b/x .yaml"])(
  "the twin of %s is where Python looks for it",
  (path) => {
    expect(twinPathOf(path)).toBe(runPython("import json, os, sys; print(json.dumps(os.path.splitext(json.load(sys.stdin))[0] + '.db'))", path));
  },
);

test("no twin is absent, for a read and for a change, and none is made", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  expect(await openTwin(path).read()).toEqual({ kind: "absent" });
  expect(await change(path, { kind: "add", row: { name: "a" } })).toEqual({ kind: "unavailable", reason: "it is gone" });
  expect(readdirSync(folder.path)).toEqual([]);
});

test("an empty one, as a mere sqlite3.connect leaves it, is unavailable: not absent, and not a registry without rows", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  writeFileSync(path, "");
  const refused = { kind: "unavailable", reason: "it holds neither the table sessions nor the table state" };
  expect(await openTwin(path).read()).toEqual(refused);
  expect(await change(path, { kind: "add", row: { name: "a" } })).toEqual(refused);
  expect(readFileSync(path).length).toBe(0);
});

test("tables of those names with other columns are no registry's", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  make(path, "CREATE TABLE sessions (id, title)");
  expect(await rowsIn(path)).toBe("unavailable its tables are not those that were looked for");
});

test("rows of the table sessions are read, and changed, added and removed there; other columns are left alone", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  make(
    path,
    "CREATE TABLE sessions (name TEXT PRIMARY KEY, data TEXT, seen REAL NOT NULL DEFAULT 7.5, note)",
    ["INSERT INTO sessions VALUES ('a', ?, 1.5, 'kept')", '{"name":"a","big":12345678901234567890,"ratio":1.0,"한글":"é"}'],
    ["INSERT INTO sessions VALUES ('b', ?, 2.5, NULL)", '{"name":"b"}'],
  );
  expect(await rowsIn(path)).toBe('[{"name":"a","big":12345678901234567890,"ratio":1.0,"한글":"é"},{"name":"b"}]');
  const changed = await openTwin(path).change(([a]) => set("a", { ...a, status: "stopped", epoch: 1, resumable: true }));
  expect(changed).toMatchObject({ kind: "changed", rows: [{ name: "a", status: "stopped" }, { name: "b" }] });
  expect(await change(path, { kind: "remove", name: "b", nth: 1 })).toMatchObject({ kind: "changed" });
  expect(await change(path, { kind: "add", row: { name: "c d", text: 'no "x" \u2028' } })).toMatchObject({ kind: "changed" });
  expect(seenByPython(path).sessions).toEqual([
    ["a", "{'name': 'a', 'big': 12345678901234567890, 'ratio': 1.0, '한글': 'é', 'status': 'stopped', 'epoch': 1, 'resumable': True}"],
    ["c d", "{'name': 'c d', 'text': 'no \"x\" \\u2028'}"],
  ]);
  const beside =
    "import json, sqlite3, sys; print(json.dumps(sqlite3.connect(sys.argv[1]).execute('SELECT seen, note FROM sessions ORDER BY rowid').fetchall()))";
  expect(runPython(beside, null, [path])).toEqual([
    [1.5, "kept"],
    [7.5, null],
  ]);
});

test("a document in the table state is read, and changed by rows, with all else of it as it was", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  const identities = { claude: { project_cwd: "/w", session_id: "s" } };
  const rows = [{ name: "a", n: 1 }, "no row", { name: "a", n: 2 }, { unnamed: 1 }, { name: "b" }];
  make(path, stateTable, intoState(JSON.stringify({ version: 3, tmux_sessions: rows, agent_identities: identities }).replace("3", "3.0")));
  expect(await openTwin(path).read()).toMatchObject({ kind: "read", rows: [rows[0], rows[2], rows[4]], identities, unreadable: 2 });
  await change(path, set("a", { name: "a", n: 22 }, 2));
  await change(path, { kind: "remove", name: "b", nth: 1 });
  await change(path, { kind: "add", row: { name: "c" } });
  expect(seenByPython(path).state).toBe(
    "{'version': 3.0, 'tmux_sessions': [{'name': 'a', 'n': 1}, 'no row', {'name': 'a', 'n': 22}, {'unnamed': 1}, {'name': 'c'}], " +
      "'agent_identities': {'claude': {'project_cwd': '/w', 'session_id': 's'}}}",
  );
});

test.each(["{}", '{"tmux_sessions":null}', '{"tmux_sessions":[]}'])("a first row is added to the document %s", async (document) => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  make(path, stateTable, intoState(document));
  expect(await rowsIn(path)).toBe("[]");
  await change(path, { kind: "add", row: { name: "a" } });
  expect(seenByPython(path).state).toBe("{'tmux_sessions': [{'name': 'a'}]}");
});

test("with both tables, a row of sessions hides the document's of that name, and each is changed where it was found", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  const document = '{"tmux_sessions":[{"name":"a","in":"state"},{"name":"b","in":"state"}]}';
  make(path, sessionsTable, stateTable, intoSessions("a", '{"name":"a","in":"sessions"}'), intoState(document));
  expect(await rowsIn(path)).toBe('[{"name":"a","in":"sessions"},{"name":"b","in":"state"}]');
  await change(path, set("a", { name: "a", in: "sessions", new: 1 }));
  await change(path, set("b", { name: "b", in: "state", new: 2 }));
  await change(path, { kind: "add", row: { name: "c" } });
  expect(seenByPython(path)).toEqual({
    sessions: [
      ["a", "{'name': 'a', 'in': 'sessions', 'new': 1}"],
      ["c", "{'name': 'c'}"],
    ],
    state: "{'tmux_sessions': [{'name': 'a', 'in': 'state'}, {'name': 'b', 'in': 'state', 'new': 2}]}",
  });
});

test("what can't be parsed is counted, listed by nobody and never written", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  const blob = ["INSERT INTO sessions VALUES (CAST('blob' AS BLOB), '{}')", "INSERT INTO sessions VALUES ('d', CAST('{}' AS BLOB))"] as const;
  const broken = ['{"name":', "[]", "7"].map((text, index) => intoSessions(`broken ${index}`, text));
  make(path, sessionsTable, stateTable, intoSessions("a", '{"name":"a"}'), ...broken, ...blob, "INSERT INTO sessions VALUES ('e', 5)", intoState("{nonsense"));
  const before = readFileSync(path);
  expect(await openTwin(path).read()).toMatchObject({ kind: "read", rows: [{ name: "a" }], unreadable: 7, identities: undefined });
  for (const edit of [set("broken 0", { name: "broken 0" }), { kind: "add", row: { name: "broken 0" } }] as const)
    expect(await change(path, edit)).toEqual({ kind: "unavailable", reason: "its table sessions has a row of that name that can't be read" });
  expect(await change(path, set("elsewhere", { name: "elsewhere" }))).toEqual({
    kind: "unavailable",
    reason: "the document in its table state can't be parsed",
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(await change(path, set("a", { name: "a", still: "written" }))).toMatchObject({ kind: "changed" });
});

test("two rows of one name in the table sessions are both listed, and neither is written", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  make(path, "CREATE TABLE sessions (name, data)", intoSessions("a", '{"name":"a","n":1}'), intoSessions("a", '{"name":"a","n":2}'));
  const before = readFileSync(path);
  expect(await rowsIn(path)).toBe('[{"name":"a","n":1},{"name":"a","n":2}]');
  expect(await change(path, set("a", { name: "a", n: 3 }))).toMatchObject({ kind: "unavailable" });
  expect(await change(path, { kind: "remove", name: "a", nth: 2 })).toMatchObject({ kind: "unavailable" });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a change of nothing leaves the file as it is", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  make(path, sessionsTable, intoSessions("a", '{"name":"a"}'));
  const before = readFileSync(path);
  expect(await openTwin(path).change(() => undefined)).toEqual({ kind: "changed", rows: [{ name: "a" }], unreadable: 0 });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a locked one is busy to a change, and unavailable to a read", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  make(path, sessionsTable);
  const holder = await aHolder(path, "BEGIN EXCLUSIVE");
  const [changed, reading] = await Promise.all([change(path, { kind: "add", row: { name: "a" } }), openTwin(path).read()]);
  expect([changed, reading]).toEqual([{ kind: "busy" }, { kind: "unavailable", reason: "somebody else holds it locked" }]);
  await letGo(holder);
  expect(await rowsIn(path)).toBe("[]");
});

test.each(["delete", "wal"])("what another program commits is read next, in mode %s, however often it was read before", async (mode) => {
  await using folder = await aFolder();
  const path = join(folder.path, "it.db");
  make(path, `PRAGMA journal_mode=${mode}`, sessionsTable);
  const twin = openTwin(path);
  for (let count = 0; count < 6; count++) {
    const reading = await twin.read();
    expect(reading.kind === "read" && reading.rows.length).toBe(count);
    make(path, intoSessions(`row ${count}`, "{}"));
  }
});
