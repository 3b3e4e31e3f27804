import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Change, RecordOutcome } from "../../../../src/core/source.ts";
import { createMuxSource } from "../../../../src/sources/mux/muxSource.ts";
import { censusOf, now, talk } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";
import { runPython } from "../../../support/python.ts";

const { signal } = new AbortController();
const id = "f0b4aaaa-0000-4000-8000-000000000001";
const purged: Change = { kind: "purged", at: now, conversation: talk(id) };

const mine = {
  name: "app-creator-claude",
  status: "stopped",
  pane: { cwd: "/w" },
  claude_session_id_own: id,
  last_visible_status_at_termination: "SECRET screen",
  resumable: true,
  note: "stays",
};
const other = { name: "other-creator-claude", status: "stopped", pane: { cwd: "/w" }, claude_session_id_own: "B", resumable: true };
const identity = { project_cwd: "/w", session_id: id, session_jsonl: `/x/${id}.jsonl`, session_size_bytes: 12, session_lines: 3, mark: "stays" };

type Twin = "none" | "sessions" | "state" | "both";
interface Made {
  readonly rows?: readonly object[];
  readonly identities?: object;
  readonly twin?: Twin;
}

/** As PyYAML writes it, and the twin as Python does, with a log of its own. */
function make(
  folder: string,
  { rows = [mine, other], identities = { claude: identity, cline: { project_cwd: "/w", session_id: "c" } }, twin = "none" }: Made,
): string {
  const path = join(folder, "agents.yaml");
  const script = `import json, os, sqlite3, sys, yaml
path, twin, rows, identities = json.load(sys.stdin)
document = {"version": 1.0, "tmux_sessions": rows, "agent_identities": identities}
with open(path, "w") as f: yaml.safe_dump(document, f, sort_keys=False)
if twin != "none":
    c = sqlite3.connect(os.path.splitext(path)[0] + ".db")
    c.execute("PRAGMA journal_mode = WAL")
    if twin != "state":
        c.execute("CREATE TABLE sessions (name TEXT PRIMARY KEY, data TEXT)")
        c.executemany("INSERT INTO sessions VALUES (?, ?)", [(row["name"], json.dumps(row)) for row in rows])
    if twin != "sessions":
        c.execute("CREATE TABLE state (id INTEGER PRIMARY KEY, data TEXT)")
        c.execute("INSERT INTO state VALUES (1, ?)", (json.dumps({**document, "tmux_sessions": [] if twin == "both" else rows}),))
    c.commit(); c.close()`;
  runPython(script, [path, twin, rows, identities]);
  return path;
}

interface Seen {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly identities: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
}
function seenByPython(path: string): { readonly yaml: Seen; readonly twin: Seen | null } {
  const script = `import json, os, sqlite3, sys, yaml
path = json.load(sys.stdin)
d = yaml.safe_load(open(path))
out = {"yaml": {"rows": d["tmux_sessions"], "identities": d.get("agent_identities") or {}}, "twin": None}
db = os.path.splitext(path)[0] + ".db"
if os.path.exists(db):
    c = sqlite3.connect(db)
    tables = [n for n, in c.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    s = json.loads(c.execute("SELECT data FROM state WHERE id = 1").fetchone()[0]) if "state" in tables else {}
    rows = [json.loads(x) for x, in c.execute("SELECT data FROM sessions ORDER BY rowid")] if "sessions" in tables else s["tmux_sessions"]
    out["twin"] = {"rows": rows, "identities": s.get("agent_identities") or {}}
    c.close()
print(json.dumps(out))`;
  return runPython(script, path) as ReturnType<typeof seenByPython>;
}

async function purge(
  path: string,
  { name = mine.name, change = purged, meanwhile = () => {} }: Partial<{ name: string; change: Change; meanwhile: () => void }> = {},
) {
  const source = createMuxSource(path, [], { cwdOf: async () => undefined });
  const record = (await source.read(censusOf(), signal)).facets.find((each) => each.kind === "record" && each.name === name);
  if (record?.kind !== "record") throw new Error(`there is no ${name}`);
  await source.lookAgain(record, censusOf(), signal);
  meanwhile();
  return (await source.record?.(record, change, () => true, signal)) satisfies RecordOutcome | undefined;
}

const purgedRow = {
  name: mine.name,
  status: "terminated",
  pane: { cwd: "/w" },
  claude_session_id_own: null,
  resumable: false,
  note: "stays",
  terminated_at: new Date(now).toISOString().replace(/\.\d+Z$/, "Z"),
  terminated_at_epoch: now / 1000,
  termination_mode: "purge",
};
const emptied = { claude: { project_cwd: "/w", session_id: null, session_jsonl: null, mark: "stays" }, cline: { project_cwd: "/w", session_id: "c" } };

test.each<Twin>(["none", "sessions", "state", "both"])("a purged row says so, and its id and screen are nowhere: twin %s", async (twin) => {
  await using folder = await aFolder();
  const path = make(folder.path, { twin });
  expect(await purge(path)).toEqual({ kind: "recorded" });
  const seen = seenByPython(path);
  expect(seen.yaml).toEqual({ rows: [purgedRow, other], identities: emptied });
  if (twin !== "none") expect(seen.twin).toEqual({ rows: [purgedRow, other], identities: twin === "sessions" ? {} : emptied });
  for (const file of ["agents.yaml", "agents.db", "agents.db-wal"].map((name) => join(folder.path, name)).filter((each) => existsSync(each))) {
    const bytes = readFileSync(file, "latin1");
    expect([bytes.includes(id), bytes.includes("SECRET")]).toEqual([false, false]);
  }
  const before = readFileSync(path);
  expect([await purge(path), readFileSync(path).equals(before)]).toEqual([{ kind: "alreadySo" }, true]);
});

test("only the lines of that row and of its cache entry change", async () => {
  await using folder = await aFolder();
  const path = make(folder.path, {});
  const text = readFileSync(path, "utf8")
    .replace("agent_identities:", "# by hand\nagent_identities:")
    .replace("session_lines: 3", "session_lines: 3 # counted");
  writeFileSync(path, `${text}# the end\r\n`);
  await purge(path);
  const kept = readFileSync(path, "utf8").split("\n");
  const lost = `${text}# the end\r\n`.split("\n").filter((line) => !kept.includes(line));
  expect(lost).toEqual([
    `  claude_session_id_own: ${id}`,
    "  last_visible_status_at_termination: SECRET screen",
    `    session_id: ${id}`,
    `    session_jsonl: /x/${id}.jsonl`,
    "    session_size_bytes: 12",
    "    session_lines: 3 # counted",
  ]);
  expect(kept.filter((line) => line.startsWith("#"))).toEqual(["# by hand", "# the end\r"]);
});

test.each<[string, object]>([
  ["another id", { claude: { ...identity, session_id: "B" } }],
  ["another workspace", { claude: { ...identity, project_cwd: "/elsewhere" } }],
  ["no workspace", { claude: { session_id: id } }],
  ["another agent", { cline: { ...identity } }],
])("the cache of %s is left alone", async (_what, identities) => {
  await using folder = await aFolder();
  const path = make(folder.path, { identities });
  expect(await purge(path)).toEqual({ kind: "recorded" });
  expect(seenByPython(path).yaml.identities).toEqual(identities);
});

test.each([
  [
    "agy",
    { conversation_id: id, conversation_db: "/x", conversation_brain_dir: "/y" },
    { conversation_id: null, conversation_db: null, conversation_brain_dir: null },
  ],
  ["hermes", { session_id: id, note: 1 }, { session_id: null, note: 1 }],
  ["cline", { session_id: id }, { session_id: null }],
  ["codex", { conversation_id: id }, { conversation_id: null }],
] as const)("%s has its own keys in the cache", async (agent, before, after) => {
  await using folder = await aFolder();
  const row = { name: `app-creator-${agent}`, status: "stopped", pane: { cwd: "/w" }, [`${agent}_conversation_id_own`]: id };
  const path = make(folder.path, { rows: [row], identities: { [agent]: { project_cwd: "/w", ...before } } });
  expect(await purge(path, { name: row.name, change: { ...purged, conversation: { ...talk(id), agent } } })).toEqual({ kind: "recorded" });
  expect(seenByPython(path).yaml.identities).toEqual({ [agent]: { project_cwd: "/w", ...after } });
});

test("a workspace is the same by whatever way it is named", async () => {
  await using folder = await aFolder();
  const [real, link] = [join(folder.path, "real"), join(folder.path, "link")];
  mkdirSync(real);
  symlinkSync(real, link);
  const path = make(folder.path, { rows: [{ ...mine, pane: { cwd: link } }], identities: { claude: { ...identity, project_cwd: real } } });
  await purge(path);
  expect(seenByPython(path).yaml.identities["claude"]?.["session_id"]).toBe(null);
});

test("a row that has another conversation by now is left alone", async () => {
  await using folder = await aFolder();
  const path = make(folder.path, { rows: [{ ...mine, claude_session_id_own: "newer" }] });
  const before = readFileSync(path, "utf8");
  expect([(await purge(path))?.kind, readFileSync(path, "utf8")]).toEqual(["changedMeanwhile", before]);
});

test.each([
  ["started again", "status: stopped", "status: running"],
  ["given another id", `own: ${id}`, "own: newer"],
])("a row that was %s since the look is left alone", async (_what, from, to) => {
  await using folder = await aFolder();
  const path = make(folder.path, { rows: [mine] });
  const text = readFileSync(path, "utf8").replace(from, to);
  expect((await purge(path, { meanwhile: () => writeFileSync(path, text) }))?.kind).toBe("changedMeanwhile");
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("a cache entry that only points to another is not written, and nothing else is", async () => {
  await using folder = await aFolder();
  const path = make(folder.path, { identities: {} });
  const text = readFileSync(path, "utf8").replace("agent_identities: {}", `agent_identities:\n  hermes: &x {project_cwd: /w, session_id: ${id}}\n  claude: *x`);
  writeFileSync(path, text);
  expect((await purge(path))?.kind).toBe("failed");
  expect(readFileSync(path, "utf8")).toBe(text);
});
