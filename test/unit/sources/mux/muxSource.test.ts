import { chmodSync, lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import type { SessionRecord } from "../../../../src/core/facet.ts";
import type { Change, RecordOutcome, Source } from "../../../../src/core/source.ts";
import { createMuxSource } from "../../../../src/sources/mux/muxSource.ts";
import { until } from "../../../real/support/until.ts";
import { anAgent, aRun, censusOf, talk } from "../../../support/facets.ts";
import { runPython } from "../../../support/python.ts";

const { signal } = new AbortController();
const root = realpathSync(mkdtempSync(join(tmpdir(), "mux-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

function aRegistry(text?: string): { readonly path: string; readonly twin: string; readonly source: Source; readonly read: () => string } {
  const path = join(root, `registry ${++count}.yaml`);
  if (text !== undefined) writeFileSync(path, text);
  const source = createMuxSource(path, [anAgent()], { cwdOf: async () => "/app" });
  return { path, twin: path.replace(/yaml$/, "db"), source, read: () => readFileSync(path, "utf8") };
}
async function recordsOf(source: Source): Promise<readonly SessionRecord[]> {
  return (await source.read(censusOf(), signal)).facets as readonly SessionRecord[];
}
async function tell(source: Source, key: string, change: Change): Promise<RecordOutcome | undefined> {
  const look = await source.lookAgain((await recordsOf(source)).find((record) => record.key === key) as SessionRecord, censusOf(), signal);
  return look.kind === "seen" ? source.record?.(look.facet as SessionRecord, change, () => true, signal) : undefined;
}
function makeTwin(path: string, script: string): void {
  runPython(`import json, sys, sqlite3\nc = sqlite3.connect(json.load(sys.stdin))\n${script}\nc.commit()\nc.close()`, path);
}
const two = "tmux_sessions:\n- name: a-creator-claude # mine\n  status: running\n  pane: {cwd: /app}\n- name: b-creator-claude\n  status: stopped\n";

test("a registry that is not there is no error, and a first row makes it, for its owner alone", async () => {
  const { source, path, read } = aRegistry();
  expect(await source.read(censusOf(), signal)).toEqual({ facets: [], unreachable: [], notices: [] });
  expect(await source.add?.(aRun({ cwd: "/app" }), "new", signal)).toEqual({ kind: "recorded" });
  expect(await source.add?.(aRun({ cwd: "/app" }), "new", signal)).toEqual({ kind: "alreadySo" });
  expect(await source.add?.(aRun({ cwd: "/else", conversation: talk("other") }), "new", signal)).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("another row called new"),
  });
  expect(read()).toMatch(/^tmux_sessions:\n- name: "new"\n {2}status: "running"\n/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("what was forgotten is given back where it was, comments and all, within its time", async () => {
  const { source, read } = aRegistry(two);
  const [gone] = await recordsOf(source);
  if (!gone) throw new Error("no row");
  expect(await tell(source, "mux:a-creator-claude", { kind: "forgotten" })).toEqual({ kind: "recorded" });
  expect(read()).toBe("tmux_sessions:\n- name: b-creator-claude\n  status: stopped\n");
  expect(await source.record?.(gone, { kind: "restored" }, () => true, signal)).toEqual({ kind: "recorded" });
  expect(read()).toBe(two);
  expect(await source.record?.(gone, { kind: "restored" }, () => true, signal)).toMatchObject({ kind: "failed" });
});

test("an exit is not written to a row that somebody else has written to since the look", async () => {
  const { source, path, read } = aRegistry(two);
  const [record] = await recordsOf(source);
  const look = record && (await source.lookAgain(record, censusOf(), signal));
  writeFileSync(path, two.replace("status: running", "status: running\n  revived_at: now"));
  const outcome =
    look?.kind === "seen" ? await source.record?.(look.facet as SessionRecord, { kind: "exited", conversation: undefined }, () => true, signal) : undefined;
  expect(outcome).toMatchObject({ kind: "changedMeanwhile" });
  expect(read()).toContain("revived_at: now");
  expect(read()).not.toContain("agent_exited");
});

test("a link stays a link, and a file keeps its mode", async () => {
  const { source, path } = aRegistry();
  const real = join(root, "the real one.yaml");
  writeFileSync(real, two);
  chmodSync(real, 0o640);
  symlinkSync(real, path);
  expect(await tell(source, "mux:a-creator-claude", { kind: "archived" })).toEqual({ kind: "recorded" });
  expect([lstatSync(path).isSymbolicLink(), statSync(real).mode & 0o777, readFileSync(real, "utf8").includes('status: "archived"')]).toEqual([
    true,
    0o640,
    true,
  ]);
});

test.each<[string, string | Buffer, string]>([
  ["no YAML", "tmux_sessions: [\n", "line 2, column 1"],
  ["no UTF-8", Buffer.from([0x74, 0x3a, 0xff, 0x0a]), "it is not UTF-8 text"],
])("%s: its place is silent with the reason, and nothing is written", async (_what, text, reason) => {
  const { source, path } = aRegistry();
  writeFileSync(path, text);
  const { unreachable } = await source.read(censusOf(), signal);
  expect(unreachable).toMatchObject([{ place: path, reason: expect.stringContaining(reason), remedy: "openFile" }]);
  expect(await source.add?.(aRun({ cwd: "/app" }), "new", signal)).toMatchObject({ kind: "unreachable" });
  expect(readFileSync(path).equals(Buffer.from(text as string))).toBe(true);
});

test("a twin that can't be opened makes the registry unavailable: the YAML beside it is not believed, and neither is written", async () => {
  for (const [twinText, reason] of [
    ["garbage that is no database, however long it may be", "it is not an SQLite database"],
    ["", "it holds neither the table sessions nor the table state"],
  ] as const) {
    const { source, twin, read } = aRegistry(two);
    writeFileSync(twin, twinText);
    const reading = await source.read(censusOf(), signal);
    expect([reading.facets, reading.unreachable[0]?.reason]).toEqual([[], expect.stringContaining(reason)]);
    expect(await source.add?.(aRun({ cwd: "/app" }), "new", signal)).toMatchObject({ kind: "unreachable" });
    expect([read(), readFileSync(twin, "utf8")]).toEqual([two, twinText]);
  }
});

test("a twin without rows beside a YAML with rows is not taken for the truth to write down", async () => {
  const { source, twin, read } = aRegistry(two);
  makeTwin(twin, "c.execute('create table sessions (name text primary key, data text)')");
  expect(await source.add?.(aRun({ cwd: "/app" }), "new", signal)).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("nothing is written until they agree"),
  });
  expect(read()).toBe(two);
});

test("a document in the table state is changed where the row stands, and exported; its other keys stay", async () => {
  const { source, twin, path } = aRegistry(two);
  makeTwin(
    twin,
    `
c.execute('create table state (id integer primary key, data text)')
c.execute('insert into state values (1, ?)', (json.dumps({"tmux_sessions": [{"name": "a-creator-claude", "status": "running", "big": 12345678901234567890, "ratio": 1.0}], "agent_identities": {"claude": {"session_id": "x"}}, "mine": [1.0]}),))`,
  );
  expect(await tell(source, "mux:a-creator-claude", { kind: "renamed", to: "login" })).toEqual({ kind: "recorded" });
  const told = runPython(
    "import json, sys, sqlite3, yaml\npath, twin = json.load(sys.stdin)\nd = json.loads(sqlite3.connect(twin).execute('select data from state').fetchone()[0])\nprint(json.dumps([d, yaml.safe_load(open(path))['tmux_sessions'], isinstance(d['mine'][0], float), d['tmux_sessions'][0]['big'] == 12345678901234567890]))",
    [path, twin],
  );
  expect(told).toMatchObject([
    { tmux_sessions: [{ status: "running", display_name: "login" }], agent_identities: { claude: { session_id: "x" } } },
    [{ name: "a-creator-claude", display_name: "login" }],
    true,
    true,
  ]);
});

test("a twin whose YAML can't be parsed is written, and the receipt says that the YAML was not", async () => {
  const { source, path, twin } = aRegistry("tmux_sessions: [\n");
  makeTwin(
    twin,
    `c.execute('create table sessions (name text primary key, data text)'); c.execute('insert into sessions values (?, ?)', ("a", json.dumps({"name": "a", "status": "stopped"})))`,
  );
  expect(await tell(source, "mux:a", { kind: "archived" })).toMatchObject({ kind: "failed", reason: expect.stringContaining("was left as it is") });
  expect([readFileSync(path, "utf8"), (await recordsOf(source)).map(({ says }) => says.value)]).toEqual(["tmux_sessions: [\n", ["archived"]]);
});

test("a row that only the YAML holds whole, since the twin's can't be read, is not taken out of it", async () => {
  const { source, twin, read } = aRegistry(two);
  const rows = `[("a-creator-claude", "{broken"), ("b-creator-claude", json.dumps({"name": "b-creator-claude", "status": "stopped"}))]`;
  makeTwin(twin, `c.execute('create table sessions (name text primary key, data text)'); c.executemany('insert into sessions values (?, ?)', ${rows})`);
  expect(await tell(source, "mux:b-creator-claude", { kind: "archived" })).toEqual({ kind: "recorded" });
  expect(read()).toBe(two.replace("status: stopped", 'status: "archived"'));
  expect(await source.add?.(aRun({ cwd: "/app" }), "a-creator-claude", signal)).toMatchObject({
    kind: "unreachable",
    reason: expect.stringContaining("can't be read"),
  });
  expect(await tell(source, "mux:b-creator-claude", { kind: "forgotten" })).toEqual({ kind: "recorded" });
  expect(read()).toBe(two.slice(0, two.indexOf("- name: b")));
});

test("the cache is a last resort: of this workspace, nobody's own, and claimed by one row alone", async () => {
  const text = (rows: string): string => `tmux_sessions:\n${rows}agent_identities:\n  claude: {project_cwd: /app, session_id: cached}\n`;
  const idsIn = async (rows: string) =>
    (await recordsOf(aRegistry(text(rows)).source)).map(({ conversation }) => conversation && `${conversation.id} ${conversation.toldBy}`);
  const row = (name: string, cwd: string, more = ""): string => `- {name: ${name}-creator-claude, status: stopped, pane: {cwd: ${cwd}}${more}}\n`;
  expect(await idsIn(row("a", "/app"))).toEqual(["cached cache"]);
  expect(await idsIn(row("a", "/other"))).toEqual([undefined]);
  expect(await idsIn(row("a", "/app") + row("b", "/app"))).toEqual([undefined, undefined]);
  expect(await idsIn(row("a", "/app") + row("b", "/app", ", claude_session_id_own: cached"))).toEqual([undefined, "cached record"]);
});

test("news of either file are heard, its log's too, and our own reading is no news for ever", async () => {
  const { source, path, twin } = aRegistry(two);
  makeTwin(
    twin,
    "c.execute('pragma journal_mode=wal'); c.execute('create table sessions (name text primary key, data text)'); c.execute(\"insert into sessions values ('a', '{}')\")",
  );
  let news = 0;
  using _watching = source.watch(() => {
    news++;
    void source.read(censusOf(), signal);
  });
  const quiet = async (): Promise<void> => {
    for (let before = -1; before !== news; await sleep(700)) before = news;
  };
  await until(async () => {
    const now = new Date();
    utimesSync(path, now, now);
    await sleep(200);
    return news > 0;
  });
  await quiet();
  const heard = news;
  makeTwin(twin, "c.execute(\"insert into sessions values ('b', '{}')\")");
  await until(async () => news > heard && (await recordsOf(source)).length === 2);
  await quiet();
  expect(news).toBeLessThan(heard + 10);
});

test("a row says its own name, the one that a person gave it, and its job", async () => {
  const { source } = aRegistry(
    "tmux_sessions:\n- {name: a-creator-claude, status: running, display_name: login, delegate_job_id: j1, claude_session_id_own: A, resumable: true}\n- just words\n",
  );
  const reading = await source.read(censusOf(), signal);
  expect(reading.facets).toMatchObject([
    {
      key: "mux:a-creator-claude",
      name: "a-creator-claude",
      givenName: "login",
      delegateJob: "j1",
      conversation: { id: "A", resumable: { value: true, seen: "the registry says so" } },
    },
  ]);
  expect(reading.notices.map(({ sentence }) => sentence)).toEqual(["1 row has no name or can't be read, and is left as it is."]);
});
