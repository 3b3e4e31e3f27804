import { join } from "node:path";
import { runPython } from "../../../support/python.ts";

/** Beside the YAML: the table that holds the rows. */
export type Twin = "none" | "sessions" | "state";
export const twins: readonly Twin[] = ["none", "sessions", "state"];

export interface Row {
  readonly name: string;
  readonly [key: string]: unknown;
}

/** As the registry's own program would leave it; the twin with a log of its own (WAL) where it is one of rows, else with a journal. */
export function makeRegistry(folder: string, twin: Twin, rows: readonly Row[]): string {
  const path = join(folder, "agents.yaml");
  const script = `import json, os, sqlite3, sys, yaml
path, twin, rows = json.load(sys.stdin)
document = {"tmux_sessions": rows, "agent_identities": {"CLAUDE": {"project_cwd": "/w", "session_lines": 12}}}
with open(path, "w") as f: yaml.safe_dump(document, f, sort_keys=False)
if twin != "none":
    c = sqlite3.connect(os.path.splitext(path)[0] + ".db")
    c.execute("PRAGMA journal_mode = " + ("WAL" if twin == "sessions" else "DELETE"))
    if twin == "sessions":
        c.execute("CREATE TABLE sessions (name TEXT PRIMARY KEY, data TEXT)")
        c.executemany("INSERT INTO sessions VALUES (?, ?)", [(row["name"], json.dumps(row)) for row in rows])
    else:
        c.execute("CREATE TABLE state (id INTEGER PRIMARY KEY, data TEXT)")
        c.execute("INSERT INTO state VALUES (1, ?)", (json.dumps(document),))
    c.commit(); c.close()`;
  runPython(script, [path, twin, rows]);
  return path;
}

export interface Seen {
  readonly yaml: readonly Row[];
  readonly twin: readonly Row[] | null;
  /** With each value's own type: 1 is not 1.0, and not true. */
  readonly isAgreed: boolean;
}

/** As PyYAML and Python's sqlite3 read each of these registries; it throws where one can't be. */
export function seenByPython(paths: readonly string[]): readonly Seen[] {
  const script = `import json, os, sqlite3, sys, yaml
def twin(path):
    db = os.path.splitext(path)[0] + ".db"
    if not os.path.exists(db): return None
    c = sqlite3.connect(db)
    if c.execute("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").fetchone():
        rows = [json.loads(d) for d, in c.execute("SELECT data FROM sessions ORDER BY rowid")]
    else:
        rows = json.loads(c.execute("SELECT data FROM state WHERE id = 1").fetchone()[0])["tmux_sessions"]
    c.close()
    return rows
def words(rows): return sorted(repr(sorted(row.items())) for row in rows)
def seen(path):
    with open(path) as f: rows = yaml.safe_load(f)["tmux_sessions"]
    beside = twin(path)
    return {"yaml": rows, "twin": beside, "isAgreed": beside is None or words(beside) == words(rows)}
print(json.dumps([seen(path) for path in json.load(sys.stdin)]))`;
  return runPython(script, paths) as readonly Seen[];
}
