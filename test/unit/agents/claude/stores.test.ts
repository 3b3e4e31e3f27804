import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { projectKey } from "../../../../src/agents/claude/transcripts.ts";
import { startDeaf } from "../../../support/children.ts";
import { noAbort } from "../seen.ts";
import { eraseAll, erased, without, wholeOf } from "../../system/erase/whole.ts";
import { aPerson, id, keepConversation, keptOf, lines, neighbourId, promptLine, put, transcriptOf, words } from "./keptTree.ts";

const uid = process.getuid?.() ?? 0;
const colliding = "11111111-72ef-43d0-9e25-d2d868d4b84e";

/** With a neighbour in the same folder and one in a folder of the same key. */
async function aFullPerson(): Promise<Awaited<ReturnType<typeof aPerson>> & { readonly project: string }> {
  const person = await aPerson();
  const { home, temporary, cwd } = person;
  keepConversation(home, temporary, { id: neighbourId, cwd, said: "neighbour" });
  keepConversation(home, temporary, { id, cwd, said: words });
  keepConversation(home, temporary, { id: colliding, cwd: cwd.replace("my_app", "my.app"), said: "colliding" });
  return { ...person, project: join(home, "projects", projectKey(cwd)) };
}

/** The paths, as they lie below the test's folder, of all that goes whole. */
function goneOf(person: { readonly path: string; readonly cwd: string }): readonly string[] {
  const key = projectKey(person.cwd);
  return [
    `tmp/claude-${uid}/${key}/${id}`,
    ...[`projects/${key}/${id}`, `projects/${key}/${id}.jsonl`, `debug/${id}.txt`, `todos/${id}-agent-${id}.json`].map((name) => `person/.claude/${name}`),
    ...["file-history", "session-env", "tasks"].map((folder) => `person/.claude/${folder}/${id}`),
  ];
}

test("all that it keeps of a conversation goes, and its neighbours in the same folder, key and history stay to the byte", async () => {
  await using person = await aFullPerson();
  const { home, cwd } = person;
  const history = "person/.claude/history.jsonl";
  appendFileSync(join(home, "history.jsonl"), `${promptLine(id, words)}not JSON ${id}\r\n${promptLine(neighbourId, `look at ${id}`)}`);
  const before = wholeOf(person.path);
  const kept = await keptOf({ home, cwd });
  expect(wholeOf(person.path)).toEqual(before);
  expect(kept.leftAlone.map(({ path, holds }) => [path, holds])).toEqual(["text", "id"].map((holds) => [join(home, "history.jsonl"), holds]));
  expect(await eraseAll(kept.stores)).toEqual(kept.stores.map(() => erased));

  const { [history]: _, ...others } = before;
  expect(wholeOf(person.path)).toEqual({ ...without(others, ...goneOf(person)), [history]: expect.stringMatching(/^100644 /) });
  expect(readFileSync(join(home, "history.jsonl"), "utf8")).toBe(
    `${promptLine(neighbourId, "neighbour")}${promptLine(colliding, "colliding")}not JSON ${id}\r\n${promptLine(neighbourId, `look at ${id}`)}`,
  );
  expect((await keptOf({ home, cwd })).stores).toEqual([]);
});

test("the transcript goes last; what leads to other things goes after them", async () => {
  await using person = await aFullPerson();
  const { home, cwd } = person;
  symlinkSync(join(home, "debug", `${id}.txt`), join(home, "debug/latest"));
  put(join(home, "paste-cache/7b6bd1c06f892820.txt"), words);
  appendFileSync(join(home, "history.jsonl"), promptLine(id, "[Pasted]", "7b6bd1c06f892820"));
  const { stores } = await keptOf({ home, cwd });
  const order = stores.map(({ path }) => path.slice(home.length + 1));
  const at = (path: string): number => order.indexOf(path);
  expect(order.at(-1)).toBe(`projects/${projectKey(cwd)}/${id}.jsonl`);
  expect(at("debug/latest")).toBeGreaterThan(-1);
  expect(at("debug/latest")).toBeLessThan(at(`debug/${id}.txt`));
  expect(at("paste-cache/7b6bd1c06f892820.txt")).toBeGreaterThan(-1);
  expect(at("paste-cache/7b6bd1c06f892820.txt")).toBeLessThan(at("history.jsonl"));
});

test("cut off after any step, a second purge completes it", async () => {
  await using first = await aFullPerson();
  const { length } = (await keptOf({ home: first.home, cwd: first.cwd })).stores;
  expect(length).toBeGreaterThan(8);
  for (let steps = 0; steps <= length; steps++) {
    await using person = await aFullPerson();
    const { home, cwd } = person;
    put(join(home, "paste-cache/7b6bd1c06f892820.txt"), words);
    appendFileSync(join(home, "history.jsonl"), promptLine(id, "[Pasted]", "7b6bd1c06f892820"));
    for (const store of (await keptOf({ home, cwd })).stores.slice(0, steps)) await store.erase(noAbort);
    await eraseAll((await keptOf({ home, cwd })).stores);
    const left = wholeOf(person.path);
    expect(Object.keys(left).filter((name) => name.includes(id) || name.endsWith("7b6bd1c06f892820.txt"))).toEqual([]);
    expect(readFileSync(join(home, "history.jsonl"), "utf8")).toBe(promptLine(neighbourId, "neighbour") + promptLine(colliding, "colliding"));
  }
});

test.each(["../../outside", `${id}/..`, "", "*", id.toUpperCase(), `${id}\n`, "660c5869"])("what is no id of its own, %j, has no stores", async (hostile) => {
  await using person = await aFullPerson();
  expect(await keptOf({ id: hostile, home: person.home, cwd: person.cwd })).toEqual({ stores: [], leftAlone: [] });
});

test("a pasted text that another conversation points to stays, and is told", async () => {
  await using person = await aFullPerson();
  const { home, cwd } = person;
  const [own, shared] = ["7b6bd1c06f892820", "a44abec8b22ca330"].map((hash) => join(home, "paste-cache", `${hash}.txt`)) as [string, string];
  for (const path of [own, shared]) put(path, words);
  appendFileSync(
    join(home, "history.jsonl"),
    promptLine(id, "[Pasted]", "7b6bd1c06f892820", "a44abec8b22ca330") + promptLine(neighbourId, "", "a44abec8b22ca330"),
  );
  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect(stores.filter(({ path }) => path.includes("paste-cache")).map(({ path }) => path)).toEqual([own]);
  expect(leftAlone).toEqual([{ name: "text that was pasted into it", path: shared, why: "the same text was pasted into another conversation", holds: "text" }]);
});

test("a pasted text that another conversation has come to point to since the plan stays", async () => {
  await using person = await aFullPerson();
  const { home, cwd } = person;
  put(join(home, "paste-cache/7b6bd1c06f892820.txt"), words);
  appendFileSync(join(home, "history.jsonl"), promptLine(id, "[Pasted]", "7b6bd1c06f892820"));
  const paste = (await keptOf({ home, cwd })).stores.find(({ path }) => path.includes("paste-cache"));
  appendFileSync(join(home, "history.jsonl"), promptLine(neighbourId, "[Pasted]", "7b6bd1c06f892820"));
  expect(await paste?.erase(noAbort)).toEqual({ kind: "blocked", reason: "another conversation's prompt points to it by now" });
});

test("a name of a paste that leads elsewhere is not taken for one", async () => {
  await using person = await aFullPerson();
  const { home, cwd } = person;
  put(join(home, "settings.txt"), "");
  appendFileSync(join(home, "history.jsonl"), promptLine(id, "", "../settings", "", "/etc/hostname"));
  const { stores } = await keptOf({ home, cwd });
  expect(stores.filter(({ path }) => !path.includes(id) && !path.endsWith("history.jsonl"))).toEqual([]);
});

test("a plan that only its own transcript names goes; one that another conversation works by stays", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const [own, shared, others] = ["make-it-swirling-kurzweil", "make-it-shared-hopper", "of-others-turing"] as const;
  for (const name of [own, shared, others, `${own}-agent-a12`]) put(join(home, "plans", `${name}.md`), words);
  put(join(home, "projects/-a", `${id}.jsonl`), transcriptOf(id, cwd, words) + lines({ slug: own }, { slug: shared }, { slug: "../settings" }));
  put(join(home, "projects/-b", `${neighbourId}.jsonl`), lines({ slug: shared }, { slug: others }));
  const before = wholeOf(home);
  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect(leftAlone).toEqual([{ name: "its plan", path: join(home, `plans/${shared}.md`), why: "another conversation works by it", holds: "text" }]);
  expect(await eraseAll(stores)).toEqual(stores.map(() => erased));
  expect(wholeOf(home)).toEqual(without(before, `plans/${own}.md`, `plans/${own}-agent-a12.md`, `projects/-a/${id}.jsonl`));
});

test("the link to the latest log of another conversation stays", async () => {
  await using person = await aFullPerson();
  const { home, cwd } = person;
  symlinkSync(join(home, "debug", `${neighbourId}.txt`), join(home, "debug/latest"));
  expect((await keptOf({ home, cwd })).stores.map(({ path }) => path)).not.toContain(join(home, "debug/latest"));
});

test("a background job is told by its state, not by its name", async () => {
  await using person = await aPerson();
  const { home } = person;
  const twin = `${id.slice(0, 8)}-0000-43d0-9e25-d2d868d4b84e`;
  put(join(home, "jobs/a95cec03/state.json"), JSON.stringify({ sessionId: id, intent: words }));
  put(join(home, "jobs/a95cec03/timeline.jsonl"), words);
  put(join(home, "daemon/gateway-routed/a95cec03"), "1");
  put(join(home, "jobs", id.slice(0, 8), "state.json"), JSON.stringify({ sessionId: twin }));
  put(join(home, "jobs/pins.json"), "[]");
  const before = wholeOf(home);
  const { stores, leftAlone } = await keptOf({ home });
  expect(leftAlone).toEqual([
    { name: "a background job", path: join(home, "jobs", id.slice(0, 8)), why: `its name begins as the id does, but it is that of ${twin}`, holds: "id" },
  ]);
  expect(await eraseAll(stores)).toEqual([erased, erased]);
  expect(wholeOf(home)).toEqual(without(before, "jobs/a95cec03", "daemon/gateway-routed/a95cec03"));
});

test("a job that tells nothing of itself stays, and is told", async () => {
  await using person = await aPerson();
  const path = join(person.home, "jobs", id.slice(0, 8));
  put(join(path, "state.json"), "{broken");
  expect(await keptOf({ home: person.home })).toMatchObject({ stores: [], leftAlone: [{ path, holds: "text" }] });
});

test("the mark of a process that was killed goes, with its key; that of one that lives stays", async () => {
  await using person = await aPerson();
  const { home } = person;
  const [dead, alive] = [await startDeaf(), await startDeaf()];
  const mark = ({ pid, identity }: typeof dead, sessionId = id): string => {
    const procStart = identity.start.kind === "ticks" ? identity.start.ticks : "";
    put(join(home, `sessions/${pid}.json`), JSON.stringify({ pid, procStart, sessionId, cwd: "/work" }));
    put(join(home, `sessions/${pid}.f51a1b40eec9f547.key`), "key");
    return join(home, `sessions/${pid}.json`);
  };
  mark(dead);
  const living = mark(alive);
  put(join(home, "sessions/1.json"), JSON.stringify({ pid: 1, procStart: "0", sessionId: neighbourId }));
  dead.process.kill("SIGKILL");
  await dead.ended;
  const before = wholeOf(home);

  const { stores } = await keptOf({ home });
  const why = { kind: "blocked", reason: "the process that it names lives, or that can't be known" };
  const told = await eraseAll(stores);
  expect(told.filter(({ outcome }) => outcome.kind === "erased")).toEqual([erased, erased]);
  expect(told.filter(({ outcome }) => outcome.kind === "blocked")).toEqual([
    { outcome: why, residue: [living.replace(".json", ".f51a1b40eec9f547.key")] },
    { outcome: why, residue: [living] },
  ]);
  expect(wholeOf(home)).toEqual(without(before, `sessions/${dead.pid}.json`, `sessions/${dead.pid}.f51a1b40eec9f547.key`));
});

test("a mark that another session has taken over by then stays", async () => {
  await using person = await aPerson();
  const { home } = person;
  const dead = await startDeaf();
  dead.process.kill("SIGKILL");
  await dead.ended;
  const path = join(home, `sessions/${dead.pid}.json`);
  put(path, JSON.stringify({ pid: dead.pid, procStart: "1", sessionId: id }));
  const { stores } = await keptOf({ home });
  expect(stores.map(({ path }) => path)).toEqual([path]);
  writeFileSync(path, JSON.stringify({ pid: dead.pid, procStart: "2", sessionId: neighbourId }));
  expect(await stores[0]?.erase(noAbort)).toEqual({ kind: "absent" });
  expect(readFileSync(path, "utf8")).toContain(neighbourId);
});

test("what names the id and is not its own is told, and stays to the byte", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  put(join(home, "projects/-a", `${id}.jsonl`), transcriptOf(id, cwd, words));
  const fork = join(home, "projects/-a", `${neighbourId}.jsonl`);
  put(fork, lines({ sessionId: neighbourId, session_id: id, message: words }));
  const other = join(home, "projects/-b/44444444-2d92-4ca3-ad0e-7b3e9ce12249.jsonl");
  put(other, lines({ sessionId: "44444444-2d92-4ca3-ad0e-7b3e9ce12249", message: `purge ${id}` }));
  const settings = join(person.path, "person/.claude.json");
  put(settings, JSON.stringify({ projects: { [cwd]: { lastSessionId: id } } }));
  put(join(home, "backups/.claude.json.backup.1795996662557"), readFileSync(settings, "utf8"));
  const shared = [
    "plugins/store/installed.json",
    `debug/${neighbourId}.txt`,
    "daemon.log",
    "history.jsonl",
    "jobs/a95cec03/state.json",
    `projects/-a/${neighbourId}/tool-results/a.txt`,
  ];
  for (const each of shared) put(join(home, each), promptLine(neighbourId, `look at ${id}`));
  put(join(home, "new-of-a-later-version/notes"), `${id} ${words}`);
  put(join(home, "new-of-a-later-version", id, "deep"), "");
  put(join(home, "settings.json"), "{}");
  const before = wholeOf(person.path);

  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect(await eraseAll(stores)).toEqual([erased]);
  expect(Object.fromEntries(leftAlone.map(({ path, holds }) => [path, holds]))).toEqual(
    Object.fromEntries([
      [fork, "text"],
      [other, "id"],
      [settings, "id"],
      [join(home, "backups/.claude.json.backup.1795996662557"), "id"],
      ...shared.map((each) => [join(home, each), "id"]),
      [join(home, "new-of-a-later-version/notes"), "text"],
      [join(home, "new-of-a-later-version", id), "text"],
    ]),
  );
  expect(leftAlone.find(({ path }) => path === fork)?.why).toBe("it was forked from this one, and repeats what was said");
  expect(wholeOf(person.path)).toEqual(without(before, `person/.claude/projects/-a/${id}.jsonl`));
});

test("what its shells have put out is looked for where any of them would put it, and not in another's", async () => {
  await using person = await aPerson();
  const { home, temporary } = person;
  const [named, once] = ["named", "named-once"].map((name) => join(person.path, name)) as [string, string];
  const other = join(temporary, "claude-99999", "-work", id);
  vi.stubEnv("CLAUDE_CODE_TMPDIR", named);
  const own = [temporary, named, once].map((folder) => join(folder, `claude-${uid}`, "-work", id));
  for (const path of [...own, other]) put(join(path, "tasks/a.output"), words);
  const { stores, leftAlone } = await keptOf({ home, temporaryFolder: once });
  expect([stores.map(({ path }) => path).toSorted(), leftAlone]).toEqual([own.toSorted(), []]);
});

test("a folder for temporary files that is a link, as anybody could have made it, is not followed", async () => {
  await using person = await aPerson();
  const { home, temporary } = person;
  const elsewhere = join(person.path, "elsewhere");
  put(join(elsewhere, "-work", id, "file"), words);
  symlinkSync(elsewhere, join(temporary, `claude-${uid}`));
  const path = join(temporary, `claude-${uid}`, "-work", id);
  expect(await keptOf({ home })).toEqual({
    stores: [],
    leftAlone: [{ name: "its temporary files", path, why: `${join(temporary, `claude-${uid}`)} is a symbolic link`, holds: "text" }],
  });
});

test("a folder of a store that leads out of the config home is refused", async () => {
  await using person = await aFullPerson();
  const { home, cwd } = person;
  const outside = join(person.path, "outside");
  mkdirSync(outside);
  put(join(outside, `${id}.jsonl`), transcriptOf(id, cwd, words));
  put(join(outside, id, "file"), words);
  symlinkSync(outside, join(home, "projects/linked"));
  symlinkSync(outside, join(home, "uploads"));
  const before = wholeOf(outside);
  const { stores } = await keptOf({ home, cwd });
  const told = await eraseAll(stores);
  const blocked = stores.filter((_, at) => told[at]?.outcome.kind === "blocked").map(({ path }) => path.slice(home.length + 1));
  expect(blocked.toSorted()).toEqual([`projects/linked/${id}`, `projects/linked/${id}.jsonl`, `uploads/${id}`, `uploads/${id}.jsonl`].toSorted());
  expect(wholeOf(outside)).toEqual(before);
});
