import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { projectKey } from "../../../../src/agents/claude/transcripts.ts";
import { eraseAll, erased, without, wholeOf } from "../../system/erase/whole.ts";
import { aPerson, id, keepConversation, keptOf, lines, put, transcriptOf, words } from "./keptTree.ts";

/** Where a transcript of this id lies that began in `cwd`; by default where Claude Code itself would put it. */
function putTranscript(home: string, cwd: string | undefined, key = projectKey(cwd ?? "/nowhere")): string {
  const path = join(home, "projects", key, `${id}.jsonl`);
  put(path, transcriptOf(id, cwd, words));
  return path;
}

const pathsOf = (found: readonly { readonly path: string }[]): readonly string[] => found.map(({ path }) => path).toSorted();

test("the only transcript is its own where it was resumed elsewhere: it stays where it began", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const path = putTranscript(home, "/home/someone/first");
  appendFileSync(path, lines({ type: "user", cwd, sessionId: id }));
  expect(pathsOf((await keptOf({ home, cwd })).stores)).toEqual([path]);
});

test("the only transcript is another's where it began in a folder above or below and was never at work in its own: one id may be in both", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const path = putTranscript(home, cwd);
  expect(pathsOf((await keptOf({ home, cwd })).stores)).toEqual([path]);
  for (const at of [join(cwd, "packages/a"), dirname(cwd)]) {
    const { stores, leftAlone } = await keptOf({ home, cwd: at });
    expect([pathsOf(stores), pathsOf(leftAlone)]).toEqual([[], [path]]);
  }
});

test("what only the id names is left where two conversations have it", async () => {
  await using person = await aPerson();
  const { home, temporary, cwd } = person;
  keepConversation(home, temporary, { id, cwd, said: words });
  keepConversation(home, temporary, { id, cwd: "/home/someone/other", said: "other" });
  const before = wholeOf(person.path);
  const { stores, leftAlone } = await keptOf({ home, cwd });
  const shared = leftAlone.filter(({ why }) => why === "another conversation has the same id, and nothing tells whose it is");
  expect(shared.map(({ path }) => path)).toEqual(
    expect.arrayContaining([join(home, "history.jsonl"), join(home, "file-history", id), join(home, "tasks", id)]),
  );
  await eraseAll(stores);
  const key = projectKey(cwd);
  expect(wholeOf(person.path)).toEqual(without(before, `person/.claude/projects/${key}/${id}`, `person/.claude/projects/${key}/${id}.jsonl`));
});

test("the other of two conversations with one id is not taken for it when it is purged again", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  putTranscript(home, cwd);
  const other = putTranscript(home, "/home/someone/other");
  await eraseAll((await keptOf({ home, cwd })).stores);
  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect(stores).toEqual([]);
  expect(leftAlone).toEqual([{ name: "transcript", path: other, why: `it began in /home/someone/other, and was never at work in ${cwd}`, holds: "text" }]);
});

test("the only transcript is its own where nothing tells where it was at work", async () => {
  await using person = await aPerson();
  const path = putTranscript(person.home, "/home/someone/other");
  expect(pathsOf((await keptOf({ home: person.home })).stores)).toEqual([path]);
});

test("of several with its id, those are its own that began where it was at work; the others are told, with what lies beside them", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const own = putTranscript(home, cwd);
  const other = putTranscript(home, "/home/someone/other");
  const silent = putTranscript(home, undefined);
  for (const path of [own, other]) put(join(path.replace(/\.jsonl$/, ""), "tool-results/a.txt"), words);
  put(join(home, "projects/-stray", id, "tool-results/a.txt"), words);
  const before = wholeOf(home);

  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect(pathsOf(stores)).toEqual([own.replace(/\.jsonl$/, ""), own].toSorted());
  expect(Object.fromEntries(leftAlone.map(({ path, why }) => [path, why]))).toEqual({
    [other]: "it began in /home/someone/other",
    [other.replace(/\.jsonl$/, "")]: "it began in /home/someone/other",
    [silent]: "several have its id, and this one does not tell where it began",
    [join(home, "projects/-stray", id)]: "several transcripts have its id, and none lies beside it",
  });
  expect(leftAlone.every(({ holds }) => holds === "text")).toBe(true);
  expect(await eraseAll(stores)).toEqual([erased, erased]);
  const key = projectKey(cwd);
  expect(wholeOf(home)).toEqual(without(before, `projects/${key}/${id}`, `projects/${key}/${id}.jsonl`));
});

test("of several, none is taken where it is not known where it was at work", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const both = [putTranscript(home, cwd), putTranscript(home, "/home/someone/other")];
  const { stores, leftAlone } = await keptOf({ home });
  expect([pathsOf(stores), pathsOf(leftAlone)]).toEqual([[], both.toSorted()]);
});

test("the folder's name tells nothing: a key that is another's, or none, is no hindrance", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const own = [putTranscript(home, cwd, projectKey("/home/someone/other")), putTranscript(home, cwd, "a-name-of-my-own")];
  const other = putTranscript(home, "/home/someone/other", projectKey(cwd));
  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect([pathsOf(stores), pathsOf(leftAlone)]).toEqual([own.toSorted(), [other]]);
});

const long = "x".repeat(120);
test.each([
  ["composed and decomposed letters, where there is one such folder", "caf\u00e9", "cafe\u0301", true],
  ["more than 200 characters", `${long}/${long}/a`, `${long}/${long}/a`, true],
  ["more than 200 characters that differ behind them", `${long}/${long}/a`, `${long}/${long}/b`, false],
  ["a_b and a.b, which share a key", "a_b", "a.b", false],
  ["a folder and one within it", "a", "a/b", false],
  ["capital letters", "App", "app", false],
])("%s", async (_fact, workedIn, beganIn, isOwn) => {
  await using person = await aPerson();
  const { home, path } = person;
  mkdirSync(join(path, workedIn), { recursive: true });
  const [one, stray] = [putTranscript(home, join(path, beganIn)), putTranscript(home, "/home/someone/other")];
  const { stores, leftAlone } = await keptOf({ home, cwd: join(path, workedIn) });
  expect([pathsOf(stores), pathsOf(leftAlone)]).toEqual(isOwn ? [[one], [stray]] : [[], [one, stray].toSorted()]);
});

test("composed and decomposed letters are two folders where both are there", async () => {
  await using person = await aPerson();
  const { home, path } = person;
  const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"].map((name) => join(path, name)) as [string, string];
  for (const each of [composed, decomposed]) mkdirSync(each);
  const [own, other] = [putTranscript(home, composed), putTranscript(home, decomposed)];
  const { stores, leftAlone } = await keptOf({ home, cwd: composed });
  expect([pathsOf(stores), pathsOf(leftAlone)]).toEqual([[own], [other]]);
});

test("a folder that is reached by a link is the folder it leads to, and a removed one is still itself", async () => {
  await using person = await aPerson();
  const { home, path, cwd } = person;
  const link = join(path, "link-to-work");
  symlinkSync(join(path, "work"), link);
  const [own, other] = [putTranscript(home, cwd), putTranscript(home, "/home/someone/other")];
  expect(pathsOf((await keptOf({ home, cwd: join(link, "my_app") })).stores)).toEqual([own]);
  rmSync(cwd, { recursive: true });
  const { stores, leftAlone } = await keptOf({ home, cwd: join(link, "my_app") });
  expect([pathsOf(stores), pathsOf(leftAlone)]).toEqual([[own], [other]]);
});

test("a config home that is a link is purged by either name", async () => {
  await using person = await aPerson();
  const { home, temporary, cwd, path } = person;
  keepConversation(home, temporary, { id, cwd, said: words });
  const link = join(path, "link-to-home");
  symlinkSync(home, link);
  const { stores, leftAlone } = await keptOf({ home: link, cwd, configHomes: [home] });
  expect(leftAlone).toEqual([]);
  expect(await eraseAll(stores)).toEqual(stores.map(() => erased));
  expect(Object.keys(wholeOf(path)).filter((name) => name.includes(id))).toEqual([]);
});

test("a project's folder that is a link to another's is not counted twice", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const path = putTranscript(home, cwd, "a-first");
  symlinkSync(join(home, "projects/a-first"), join(home, "projects/b-link"));
  expect(pathsOf((await keptOf({ home, cwd })).stores)).toEqual([path]);
});

test("its config home known, copies in others are told and stay", async () => {
  await using person = await aPerson();
  const { home, temporary, cwd, path } = person;
  const other = join(path, "other-home");
  const own = putTranscript(other, cwd);
  keepConversation(home, temporary, { id, cwd, said: words });
  const before = wholeOf(home);
  const { stores, leftAlone } = await keptOf({ home: other, cwd });
  expect(stores.filter(({ path }) => !path.startsWith(temporary)).map(({ path }) => path)).toEqual([own]);
  expect(new Set(leftAlone.map(({ why }) => why))).toEqual(new Set([`it is in ${home}, which is not its config home`]));
  expect(pathsOf(leftAlone)).toContain(join(home, "history.jsonl"));
  await eraseAll(stores);
  expect(wholeOf(home)).toEqual(before);
});

test("its config home not known, it goes from the one that has it, and from none where several have one of its id", async () => {
  await using person = await aPerson();
  const { home, cwd, path } = person;
  const second = join(path, "second-home");
  const own = putTranscript(home, cwd);
  expect(pathsOf((await keptOf({ cwd, configHomes: [second] })).stores)).toEqual([own]);
  const other = putTranscript(second, cwd);
  put(join(second, "tasks", id, "1.json"), words);
  const { stores, leftAlone } = await keptOf({ cwd, configHomes: [second] });
  expect(stores).toEqual([]);
  expect(pathsOf(leftAlone)).toEqual([own, other, join(second, "tasks", id)].toSorted());
  expect(leftAlone[0]?.why).toBe("several config homes have one of its id, and which is meant is not known");
});

test("the usual config home is the one that the environment names", async () => {
  await using person = await aPerson();
  const named = join(person.path, "named-home");
  vi.stubEnv("CLAUDE_CONFIG_DIR", named);
  const path = putTranscript(named, person.cwd);
  putTranscript(person.home, person.cwd);
  expect(pathsOf((await keptOf({ cwd: person.cwd })).stores)).toEqual([path]);
});

test("a transcript with a line that no string could hold is found, and where it began", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const path = join(home, "projects/-a", `${id}.jsonl`);
  put(path, "");
  truncateSync(path, 600 * 1024 * 1024);
  appendFileSync(path, `\n${transcriptOf(id, "/home/someone/other", words)}`);
  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect(stores).toEqual([]);
  expect(leftAlone.map(({ why }) => why)).toEqual([`it began in /home/someone/other, and was never at work in ${cwd}`]);
});
