import { runPython } from "../../../support/python.ts";

export const sessionsTable = "CREATE TABLE sessions (name TEXT PRIMARY KEY, data TEXT)";
export const stateTable = "CREATE TABLE state (id INTEGER PRIMARY KEY, data TEXT)";
type Statement = string | readonly [sql: string, ...values: readonly unknown[]];
export const intoSessions = (name: string, data: string): Statement => ["INSERT INTO sessions (name, data) VALUES (?, ?)", name, data];
export const intoState = (data: string): Statement => ["INSERT INTO state (id, data) VALUES (1, ?)", data];

interface Seen {
  readonly sessions: readonly (readonly [name: string, data: string])[] | null;
  readonly state: string | null;
}

/** By Python's sqlite3, which is what the registry's own program uses. */
export function make(path: string, ...statements: readonly Statement[]): void {
  const script = `import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1])
for s in json.load(sys.stdin): c.execute(*((s, ()) if isinstance(s, str) else (s[0], s[1:])))
c.commit(); c.close()`;
  runPython(script, statements, [path]);
}

/** As Python reads what is in it, with each value's own type in its words. */
export function seenByPython(path: string): Seen {
  const script = `import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1])
tables = [n for n, in c.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
state = c.execute("SELECT data FROM state WHERE id = 1").fetchone() if "state" in tables else None
print(json.dumps({
  "sessions": [[n, repr(json.loads(d))] for n, d in c.execute("SELECT name, data FROM sessions ORDER BY rowid")] if "sessions" in tables else None,
  "state": repr(json.loads(state[0])) if state else None}))`;
  return runPython(script, null, [path]) as Seen;
}
