import type { Database } from "../../../src/system/sqlite.ts";
import { until } from "../../real/support/until.ts";
import { startChild } from "../../support/children.ts";
import type { Child } from "../../support/children.ts";
import { python, runPython } from "../../support/python.ts";

export const words = (database: Database): readonly unknown[] => database.prepare("SELECT word FROM words ORDER BY rowid").pluck().all();
export const add =
  (word: string) =>
  (database: Database): string => {
    database.prepare("INSERT INTO words VALUES (?)").run(word);
    return word;
  };
export const always = (): boolean => true;

/** By another program, in the mode that it is told; it is closed before this returns. */
export function makeWords(path: string, mode: "delete" | "wal" = "delete"): void {
  const script = `import sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("PRAGMA journal_mode=" + sys.argv[2])
c.execute("CREATE TABLE words (word)"); c.execute("INSERT INTO words VALUES ('first')"); c.commit(); c.close()`;
  runPython(script, null, [path, mode]);
}

export function wordsInPython(path: string): unknown {
  return runPython(
    "import json, sqlite3, sys; print(json.dumps([w for w, in sqlite3.connect(sys.argv[1]).execute('SELECT word FROM words ORDER BY rowid')]))",
    null,
    [path],
  );
}

/** Another program that has the database open and has run these statements; it lets go when its input ends. */
export async function aHolder(path: string, ...statements: readonly string[]): Promise<Child> {
  const script = `import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
for s in sys.argv[2:]: c.execute(s).fetchall()
print("holds", flush=True); sys.stdin.readline(); c.close()`;
  const holder = await startChild([python, "-c", script, path, ...statements]);
  await until(() => holder.said().includes("holds"));
  return holder;
}

export async function letGo(holder: Child): Promise<void> {
  holder.process.stdin?.end();
  await holder.ended;
}
