import { chownSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseEnv } from "../../../../src/sources/tracking/envLines.ts";
import { openTrackedFile } from "../../../../src/sources/tracking/trackedFile.ts";
import { until } from "../../../real/support/until.ts";
import { censusOf, now } from "../../../support/facets.ts";
import { makePipe } from "../../system/aPipe.ts";
import { aTracking, named } from "./aTracking.ts";

const fixture = (name: string): string => readFileSync(new URL(`../../../fixtures/tracking/${name}`, import.meta.url), "utf8");
const [env, details] = [fixture("async-sessions.env"), fixture("async-sessions-details.json")];
const ids = async (tracking: Awaited<ReturnType<typeof aTracking>>): Promise<readonly string[]> =>
  (await tracking.read()).facets.map(({ key }) => key.replace("tracking:", ""));

test("each id is listed once, with what both files tell of it", async () => {
  await using tracking = await aTracking({ env, details });
  const { facets, unreachable, notices } = await tracking.read();
  const of = (file: string, name: string) => ({
    kind: "record",
    source: "tracking",
    place: file,
    says: { value: "active", seen: `listed in ${name}`, at: now },
    liveness: { value: "unknown", seen: "known only from the tracking files", at: now },
    isOnlyListed: true,
  });
  const talk = (id: string) => ({ agent: "opencode", conversation: { agent: "opencode", id, toldBy: "record" } });
  const inEnv = of(tracking.env, "async-sessions.env");
  const inDetails = of(tracking.details, "async-sessions-details.json");
  const startedAt = Date.parse("2026-04-06T18:45:23.123Z");
  expect(facets).toEqual([
    { ...inEnv, ...talk("ses_1planner"), key: "tracking:ses_1planner", name: "PLANNER", title: "PLANNER", cwd: "/app/planner", startedAt },
    { ...inEnv, ...talk("ses_2reviewer"), key: "tracking:ses_2reviewer", name: "REVIEWER", title: "REVIEWER" },
    { ...inEnv, key: "tracking:abc123-def456-ghi789", name: "AUTO-IMP-SUP", title: "AUTO-IMP-SUP" },
    { ...inDetails, ...talk("ses_3worker"), key: "tracking:ses_3worker", title: "AUTO-WORK" },
  ]);
  expect(unreachable).toEqual([]);
  expect(notices).toEqual([
    { place: tracking.env, sentence: "1 entry of async-sessions.env names no session, and is left as it is.", remedy: "openFile" },
    { place: tracking.details, sentence: "2 entries of async-sessions-details.json name no session, and are left as they are.", remedy: "openFile" },
  ]);
});

test.each([
  ["A=ses_1", ["ses_1"]],
  ["export A=ses_1 # the first", ["ses_1"]],
  ["  A = 'ses_1'  ", ["ses_1"]],
  ['A="ses_1";', ["ses_1"]],
  ["\uFEFFA=ses_1\r\nB=x-1\r\n", ["ses_1", "x-1"]],
  ["A=ses_1\nA=ses_1", ["ses_1"]],
  ["#A=ses_1\n\n \t\n", []],
  [`A=ses_1${" ".repeat(300_000)}x`, []],
  ["A=-x\nB=a/b\nC=a b\nD=\nE=$(id)\nF=../x\nG='ses_1\nses_1", []],
])("of the lines %.60s the ids are %j", async (text, expected) => {
  await using tracking = await aTracking({ env: text });
  expect(await ids(tracking)).toEqual(expected);
});

test("no files, no word", async () => {
  await using tracking = await aTracking({});
  expect(await tracking.read()).toEqual({ facets: [], unreachable: [], notices: [] });
});

test("empty files list nothing, and are nothing to worry about", async () => {
  await using tracking = await aTracking({ env: "", details: "\n" });
  expect(await tracking.read()).toEqual({ facets: [], unreachable: [], notices: [] });
});

test.each([
  ['{"session_id":"ses_1"}', "it is not an array"],
  ["null", "it is not an array"],
  ['[{"session_id":"ses_1"},', "it is not whole JSON"],
  ["[\0]", "it is not text"],
  ["[".repeat(2_000_000), "it is not whole JSON"],
])("details that say %.30s are told, and the other file is still read", async (text, reason) => {
  await using tracking = await aTracking({ env: "A=ses_9\n", details: text });
  const { facets, notices } = await tracking.read();
  expect(facets.map(({ key }) => key)).toEqual(["tracking:ses_9"]);
  const sentence = `async-sessions-details.json can't be read, and is left as it is: ${reason}.`;
  expect(notices).toEqual([{ place: tracking.details, sentence, remedy: "openFile" }]);
  expect(await tracking.source.lookAgain(named("ses_1"), censusOf(), AbortSignal.timeout(10_000))).toEqual({
    kind: "unreachable",
    reason: sentence.slice(0, -1),
  });
});

const spoil: [string, string, (path: string) => void][] = [
  [
    "a symbolic link",
    "it is a symbolic link",
    (path) => {
      renameSync(path, `${path}.real`);
      symlinkSync(`${path}.real`, path);
    },
  ],
  [
    "a folder",
    "it is not a file",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  [
    "a pipe",
    "it is not a file",
    (path) => {
      rmSync(path);
      makePipe(path);
    },
  ],
  ["larger than 32 MB", "it is larger than 32 MB", (path) => truncateSync(path, 32 * 1024 * 1024 + 1)],
  ["no text", "it is not text", (path) => writeFileSync(path, "A=ses_1\n\xff", "latin1")],
];
// Only root can give a file away; who is not has no such file at hand.
if (process.getuid?.() === 0) spoil.push(["another user's", "it belongs to another user", (path) => chownSync(path, 12_345, 12_345)]);
test.each(spoil)("a file that is %s is told, left alone, and the other is still read", async (_what, reason, make) => {
  await using tracking = await aTracking({ env, details });
  make(tracking.env);
  const { facets, notices } = await tracking.read();
  expect(facets.map(({ key }) => key)).toEqual(["tracking:ses_1planner", "tracking:ses_3worker"]);
  expect(notices[0]).toEqual({ place: tracking.env, sentence: `async-sessions.env can't be read, and is left as it is: ${reason}.`, remedy: "openFile" });
  expect(await tracking.forget("ses_3worker")).toEqual({ kind: "failed", reason: `async-sessions.env can't be read, and is left as it is: ${reason}` });
  expect((await tracking.read()).facets.map(({ key }) => key)).toEqual(["tracking:ses_1planner"]);
});

test("10,000 entries are listed, and one of them goes without another byte", async () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => `  {"session_id": "ses_${at}", "n": ${at}.0}`);
  const lines = rows.map((_, at) => `N${at}=ses_${at}\n`);
  await using tracking = await aTracking({ env: lines.join(""), details: `[\n${rows.join(",\n")}\n]\n` });
  expect((await tracking.read()).facets.length).toBe(10_000);
  expect(await tracking.forget("ses_500")).toEqual({ kind: "recorded" });
  const texts = tracking.texts();
  expect(texts.env === lines.toSpliced(500, 1).join("")).toBe(true);
  expect(texts.details === `[\n${rows.toSpliced(500, 1).join(",\n")}\n]\n`).toBe(true);
  expect((await tracking.read()).facets.length).toBe(9_999);
});

test("what has settled is not read again until it changes; what was written just now is, and so is every fresh look", async () => {
  await using tracking = await aTracking({ env: "A=ses_1\n" });
  let parsed = 0;
  const file = openTrackedFile(tracking.env, (text) => {
    parsed++;
    return parseEnv(text);
  });
  const parsedBy = async (look: () => Promise<unknown>): Promise<number> => {
    const before = parsed;
    await look();
    return parsed - before;
  };
  const old = new Date(Date.now() - 60_000);
  utimesSync(tracking.env, old, old);
  expect([await parsedBy(file.read), await parsedBy(file.read), await parsedBy(file.readAfresh)]).toEqual([1, 0, 1]);
  const soon = new Date(Date.now() + 60_000);
  writeFileSync(tracking.env, "A=ses_2\n");
  utimesSync(tracking.env, soon, soon);
  expect([await parsedBy(file.read), await parsedBy(file.read)]).toEqual([1, 1]);
});

test("a look tells what is there now", async () => {
  await using tracking = await aTracking({ env: "A=ses_1\n" });
  await tracking.read();
  writeFileSync(tracking.env, "A=ses_2\n");
  const look = (id: string) => tracking.source.lookAgain(named(id), censusOf(), AbortSignal.timeout(10_000));
  expect(await look("ses_2")).toMatchObject({ kind: "seen", facet: { key: "tracking:ses_2", title: "A" } });
  expect(await look("ses_1")).toEqual({ kind: "notThere" });
});

test("a change of either file is told", async () => {
  await using tracking = await aTracking({});
  let changes = 0;
  using _watching = tracking.source.watch(() => changes++);
  for (const path of [tracking.env, tracking.details]) {
    const before = changes;
    await until(() => {
      writeFileSync(path, "");
      return changes > before;
    });
  }
});
