import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProcess, kill } from "../../../scripts/ownProcesses.ts";
import { runPython } from "../../support/python.ts";
import { openStage, until } from "../../support/stage.ts";
import type { Answer, Listed, Stage } from "../../support/stage.ts";

let stage: Stage;
let registry: string;
beforeAll(async () => {
  stage = await openStage();
  registry = join(stage.folder, "registry.yaml");
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Row {
  readonly [key: string]: unknown;
}
const warden = (...args: readonly string[]): Promise<Answer> => stage.warden(["--registry", registry, ...args]);
const rowOf = async (name: string): Promise<Listed | undefined> =>
  (await warden("list", "--json")).json().sessions.find(({ records }) => records.some(({ key }) => key === `mux:${name}`));
const inYaml = (): readonly Row[] =>
  (runPython("import json, sys, yaml; print(json.dumps(yaml.safe_load(open(json.load(sys.stdin)))))", registry) as { tmux_sessions: readonly Row[] })
    .tmux_sessions;
const inTwin = (): readonly Row[] =>
  runPython(
    "import json, sys, sqlite3; print(json.dumps([json.loads(row[0]) for row in sqlite3.connect(json.load(sys.stdin)).execute('select data from sessions')]))",
    registry.replace(/yaml$/, "db"),
  ) as readonly Row[];
/** Both files, as the registry's own program would leave them. */
const write = (rows: readonly Row[]): void => {
  const script = `
import json, sys, yaml, sqlite3
path, rows = json.load(sys.stdin)
yaml.safe_dump({"tmux_sessions": rows}, open(path, "w"), sort_keys=False)
connection = sqlite3.connect(path[:-4] + "db")
connection.execute("create table if not exists sessions (name text primary key, data text, touched text default 'never')")
connection.execute("delete from sessions")
connection.executemany("insert into sessions (name, data) values (?, ?)", [(row["name"], json.dumps(row)) for row in rows])
connection.commit()
`;
  runPython(script, [registry, rows]);
};
const running = (name: string): Row => ({ name, status: "running", pane: { cwd: stage.work } });

test("with a twin a stop is in both files, and a resume starts it again in its own tmux session: the same row, the same conversation", async () => {
  const session = await stage.startInPane("again-creator-claude", "claude", { subject: "again" });
  write([running("again-creator-claude"), running("beside-creator-claude")]);
  expect((await warden("stop", "--session", "again-creator-claude")).code).toBe(0);
  expect(existsSync(registry.replace(/yaml$/, "db"))).toBe(true);
  for (const rows of [inTwin(), inYaml()])
    expect(rows).toMatchObject([{ status: "stopped", claude_session_id_own: session.conversation_id }, { status: "running" }]);

  const resumed = await warden("resume", "again-creator-claude", "--json");
  expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
  const again = await until(() => rowOf("again-creator-claude"));
  expect([again.conversation_id, again.tmux?.session, again.pid === session.pid]).toEqual([session.conversation_id, "again-creator-claude", false]);
  for (const rows of [inTwin(), inYaml()]) {
    expect(rows[0]).toMatchObject({ status: "running", claude_session_id_own: session.conversation_id, session_warden: { pid: again.pid } });
    expect(rows[0]).not.toHaveProperty("stop_reason");
  }
  expect((await warden("terminate", "again-creator-claude", "--yes")).code).toBe(0);
});

test("a tmux server that hangs makes its rows unknown, and nothing is written; when it goes on they are what they were", async () => {
  const session = await stage.startInShell("hang-creator-claude", "claude", { subject: "hang" });
  write([running("hang-creator-claude"), running("gone-creator-claude")]);
  const server = findProcess(Number(stage.tmux("display-message", "-p", "#{pid}").trim()));
  if (!server) throw new Error("no tmux server");
  process.kill(server.pid, "SIGSTOP");
  try {
    expect(await rowOf("gone-creator-claude")).toMatchObject({ status: "unknown", why: expect.stringContaining("does not answer") });
    expect((await warden("finalize", "gone-creator-claude")).code).toBe(1);
    expect(inYaml().map(({ status }) => status)).toEqual(["running", "running"]);
  } finally {
    process.kill(server.pid, "SIGCONT");
  }
  await until(async () => (await rowOf("hang-creator-claude"))?.pid === session.pid);
  expect((await rowOf("gone-creator-claude"))?.status).toBe("exited");
});

test("a tmux server that is gone leaves rows that are exited after two looks, and an agent that outlives it is no row's end", async () => {
  const session = await stage.startInPane("server-creator-claude", "claude", { subject: "server" });
  const plain = await stage.startPlain("claude", { subject: "plain" });
  write([running("server-creator-claude"), { ...running("plain-creator-claude"), claude_session_id_own: plain.conversation_id }]);
  expect((await rowOf("server-creator-claude"))?.pid).toBe(session.pid);
  stage.tmux("kill-server");
  const left = findProcess(session.pid ?? 0);
  if (left) kill(left);
  const exited = await until(async () => {
    const row = await rowOf("server-creator-claude");
    return row?.status === "exited" ? row : undefined;
  });
  expect((await rowOf("plain-creator-claude"))?.pid).toBe(plain.pid);
  expect((await warden("finalize", exited.key)).code).toBe(0);
  for (const rows of [inTwin(), inYaml()])
    expect(rows).toMatchObject([{ status: "stopped", stop_reason: "agent_exited", claude_session_id_own: session.conversation_id }, { status: "running" }]);
  kill(plain.started);
});
