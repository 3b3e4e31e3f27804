import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { opencode } from "../../../../src/agents/opencode/opencode.ts";
import type { Kept } from "../../../../src/core/store.ts";
import { planIn } from "../aHome.ts";
import { aFolder } from "../../../support/folder.ts";
import { python, runPython } from "../../../support/python.ts";

export const id = "ses_a1";
export const child = "ses_a2";
export const other = "ses_b1";

export interface DataHome {
  /** Of the person. */
  readonly root: string;
  readonly home: string;
  readonly database: string;
  /** What was run by `opencode`, with the folder and some of the variables. */
  readonly ran: string;
  put(path: string, text: string): string;
}

const output = (home: string, name: string): string => `...truncated... Full output saved to: ${home}/tool-output/${name}`;

/** A data folder as OpenCode 1.18.33 keeps it: a session with a sub-agent's, and another that shares one output with it. */
export async function aDataHome({ fork = true } = {}): Promise<DataHome> {
  const folder = await aFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const root = folder.path;
  const home = join(root, ".local/share/opencode");
  const database = join(home, "opencode.db");
  const put = (path: string, text: string): string => {
    const whole = join(root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return whole;
  };
  for (const name of ["tool_1", "tool_2", "tool_3", "tool_4"]) put(`.local/share/opencode/tool-output/${name}`, `SECRET ${name}`);
  makeDatabase(database, [
    part(id, "p1", { type: "text", text: "SECRET prompt" }),
    part(id, "p2", { type: "tool", state: { output: output(home, "tool_1") } }),
    part(child, "p3", { type: "tool", state: { output: output(home, "tool_2") } }),
    part(id, "p4", { type: "tool", state: { output: output(home, "tool_3") } }),
    ...(fork ? [part(other, "p5", { type: "tool", state: { output: output(home, "tool_3") } })] : []),
    part(id, "p8", { type: "tool", state: { input: { command: 'echo "SECRET command" && ls -l', description: "list" } } }),
    part(other, "p9", { type: "tool", state: { input: { command: "ls -l; other-command" } } }),
    part(other, "p6", { type: "text", text: "asked both" }),
    part(id, "p7", { type: "text", text: "asked both" }),
  ]);
  return { root, home, database, ran: join(root, "ran.txt"), put };
}

type Part = readonly [id: string, message: string, session: string, data: string];
const part = (session: string, name: string, data: object): Part => [`prt_${name}`, `msg_${name}`, session, JSON.stringify(data)];

function makeDatabase(path: string, parts: readonly Part[]): void {
  const script = `import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("PRAGMA journal_mode=wal")
c.executescript("""
CREATE TABLE session (id text PRIMARY KEY, parent_id text, title text);
CREATE TABLE message (id text PRIMARY KEY, session_id text, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text);
CREATE TABLE event (id text PRIMARY KEY, aggregate_id text, data text);
CREATE TABLE todo (session_id text, content text);
""")
c.executemany("INSERT INTO session VALUES (?, ?, 'SECRET title')", [("${id}", None), ("${child}", "${id}"), ("${other}", None)])
for p, m, s, d in json.load(sys.stdin):
    c.execute("INSERT INTO message VALUES (?, ?, ?)", (m, s, json.dumps({"role": "user"})))
    c.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (p, m, s, d))
c.execute("INSERT INTO event VALUES ('e', '${id}', 'SECRET')")
c.commit(); c.close()`;
  runPython(script, parts, [path]);
}

/** An `opencode` on PATH that deletes a session as the real one does, unless it is told to end otherwise. */
export function putOpencode({ root, database, ran }: DataHome, ending: "deletes" | "fails" | "does nothing" = "deletes"): void {
  const bin = join(root, "bin");
  mkdirSync(bin, { recursive: true });
  const program = join(bin, "opencode");
  const does = {
    deletes: `c = sqlite3.connect(${JSON.stringify(database)})
ids = [i for i, in c.execute("SELECT id FROM session WHERE id = ? OR parent_id = ?", (sys.argv[-1],) * 2)]
for i in ids:
    for t, k in (("part", "session_id"), ("message", "session_id"), ("event", "aggregate_id"), ("session", "id")): c.execute(f"DELETE FROM {t} WHERE {k} = ?", (i,))
c.commit(); c.close()`,
    fails: `sys.stderr.write("\\x1b[91mError: \\x1b[0mdatabase is locked\\n"); sys.exit(1)`,
    "does nothing": "",
  }[ending];
  writeFileSync(
    program,
    `#!/usr/bin/env ${python}
import json, os, sqlite3, sys
names = ["XDG_DATA_HOME", "OPENCODE_DB", "OPENCODE_PURE", "OPENCODE_DISABLE_PROJECT_CONFIG"]
with open(${JSON.stringify(ran)}, "a") as f: f.write(json.dumps([sys.argv[1:], os.getcwd(), {n: os.environ.get(n) for n in names}]) + "\\n")
${does}
`,
  );
  chmodSync(program, 0o755);
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"] ?? ""}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

export const plan = ({ home }: DataHome, of = id): Promise<Kept> => planIn(opencode, home, of);
export const names = ({ stores }: Kept): readonly string[] => stores.map(({ name, path }) => `${name}: ${path.split("/").at(-1)}`);
