import { join } from "node:path";
import type { Change, RecordOutcome } from "../../../../src/core/source.ts";
import { createMuxSource } from "../../../../src/sources/mux/muxSource.ts";
import { censusOf, now, talk } from "../../../support/facets.ts";
import { runPython } from "../../../support/python.ts";

const { signal } = new AbortController();
export const id = "f0b4aaaa-0000-4000-8000-000000000001";
export const purged = { kind: "purged", at: now, conversation: talk(id) } as const satisfies Change;

export const mine = {
  name: "app-creator-claude",
  status: "stopped",
  pane: { cwd: "/w" },
  claude_session_id_own: id,
  last_visible_status_at_termination: "SECRET screen",
  resumable: true,
  note: "stays",
};
export const other = { name: "other-creator-claude", status: "stopped", pane: { cwd: "/w" }, claude_session_id_own: "B", resumable: true };
export const identity = { project_cwd: "/w", session_id: id, session_jsonl: `/x/${id}.jsonl`, session_size_bytes: 12, session_lines: 3, mark: "stays" };

export type Twin = "none" | "sessions" | "state" | "both";
interface Made {
  readonly rows?: readonly object[];
  readonly identities?: object;
  readonly twin?: Twin;
}

/** As PyYAML writes it, and the twin as Python does, with a log of its own. */
export function make(
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
export function seenByPython(path: string): { readonly yaml: Seen; readonly twin: Seen | null } {
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

export async function purge(
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
