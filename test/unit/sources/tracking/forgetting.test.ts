import { chmodSync, chownSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTrackingSource } from "../../../../src/sources/tracking/trackingSource.ts";
import { aTracking, forgetIn, named } from "./aTracking.ts";

const isRoot = process.getuid?.() === 0;
const lines = ["A=ses_1", "B=ses_10", "C=xses_1", "D=ses_1_old", "E=ses_1-b", "F=SES_1", "export G='ses_1'"];
const like = ["ses_1", "ses_10", "xses_1", "ses_1_old", "ses_1-b", "SES_1", "ses"];

test("an id that begins or ends like another takes nothing of it", async () => {
  const rows = like.map((id) => `{"session_id":"${id}"}`);
  await using tracking = await aTracking({ env: lines.join("\n"), details: `[${rows.join(",")}]` });
  expect(await tracking.forget("ses_1")).toEqual({ kind: "recorded" });
  expect(tracking.texts()).toEqual({ env: `${lines.slice(1, 6).join("\n")}\n`, details: `[${rows.slice(1).join(",")}]` });
  expect(await tracking.forget("ses_1")).toEqual({ kind: "alreadySo" });
});

test.each([
  [
    "its comma and what is between them",
    '[ {"session_id":"a"} ,\n\t{"session_id":"x"},  {"session_id":"b"}\r\n]\n',
    '[ {"session_id":"a"} ,\n\t{"session_id":"b"}\r\n]\n',
  ],
  ["the first", '[{"session_id":"x"} , 1]', "[1]"],
  ["the last", '[\n  1 ,\n  {"session_id":"x"}\n]\n\n', "[\n  1\n]\n\n"],
  ["the only one", ' [ {"session_id":"x"} ] ', " [  ] "],
  ["all of several, wherever they are", '[{"session_id":"x"},1,{"session_id":"x"},{"session_id":"x"},2,{"session_id":"x"},{"session_id":"x"}]', "[1,2]"],
  ["all there are", '[{"session_id":"x"},\n{"session_id":"x"}]', "[]"],
  [
    "not what only looks like it",
    '["{\\"session_id\\":\\"x\\"}",{"a":{"session_id":"x"}},[{"session_id":"x"}],{"session_id":"x"}]',
    '["{\\"session_id\\":\\"x\\"}",{"a":{"session_id":"x"}},[{"session_id":"x"}]]',
  ],
  [
    "and leaves numbers, escapes, brackets in strings and unknown keys as they are written",
    '[{"session_id":"x","t":"]},[\\"\\\\"},{"session_id":"y","n":12345678901234567890.10,"e":1E+2,"u":"\\u00e4ä","t":"]},{[\\\\\\""}]',
    '[{"session_id":"y","n":12345678901234567890.10,"e":1E+2,"u":"\\u00e4ä","t":"]},{[\\\\\\""}]',
  ],
])("of the details go: %s", async (_what, before, after) => {
  await using tracking = await aTracking({ env: "", details: before });
  expect(await tracking.forget("x")).toEqual({ kind: "recorded" });
  expect(tracking.texts().details).toBe(after);
});

test("modes, foreign line ends and a missing final newline stay", async () => {
  await using tracking = await aTracking({ env: "# list\r\nA=ses_1\r\nB=ses_2", details: '[{"session_id":"ses_1"},\r\n{"session_id":"ses_2"}]' });
  chmodSync(tracking.env, 0o664);
  chmodSync(tracking.details, 0o640);
  await tracking.forget("ses_1");
  expect(tracking.texts()).toEqual({ env: "# list\r\nB=ses_2", details: '[{"session_id":"ses_2"}]' });
  expect([tracking.env, tracking.details].map((path) => statSync(path).mode & 0o777)).toEqual([0o664, 0o640]);
});

test("without files there is nothing to take out, and none is made", async () => {
  await using tracking = await aTracking({});
  expect(await tracking.forget("ses_1")).toEqual({ kind: "alreadySo" });
  expect(tracking.names()).toEqual([]);
  const absent = createTrackingSource({ env: join(tracking.folder, "not/there.env"), details: join(tracking.folder, "not/there.json") });
  expect(await forgetIn(absent, "ses_1")).toEqual({ kind: "alreadySo" });
});

test("a file that does not name the session is not written", async () => {
  await using tracking = await aTracking({ env: "A=ses_1\n", details: '[{"session_id":"ses_2"}]' });
  const before = statSync(tracking.details).ino;
  expect(await tracking.forget("ses_1")).toEqual({ kind: "recorded" });
  expect(statSync(tracking.details).ino).toBe(before);
});

test("where the guard says no, nothing is changed; it is asked about what the files say now", async () => {
  await using tracking = await aTracking({ env: "A=ses_1\n", details: '[{"session_id":"ses_1"}]', others: ["session_log_ses_1"] });
  const before = tracking.texts();
  const asked: unknown[] = [];
  const outcome = await tracking.forget("ses_1", (fresh) => asked.push(fresh.title) < 0);
  expect(outcome).toMatchObject({ kind: "changedMeanwhile", fresh: { key: "tracking:ses_1", title: "A" } });
  expect(asked).toEqual(["A"]);
  expect(tracking.texts()).toEqual(before);
  expect(tracking.names()).toEqual(["async-sessions-details.json", "async-sessions.env", "session_log_ses_1"]);
});

test("what is cancelled before it has begun changes nothing, and other changes are none of its business", async () => {
  await using tracking = await aTracking({ env: "A=ses_1\n" });
  const told = (change: "forgotten" | "archived" | "restored", signal: AbortSignal) =>
    tracking.source.record?.(named("ses_1"), { kind: change }, () => true, signal);
  expect(await told("forgotten", AbortSignal.abort())).toMatchObject({ kind: "failed" });
  const { signal } = new AbortController();
  for (const change of ["archived", "restored"] as const) expect(await told(change, signal)).toEqual({ kind: "unsupported" });
  expect(readFileSync(tracking.env, "utf8")).toBe("A=ses_1\n");
});

test.each(["../ses_1", ".*", "", "-a", "a/b", "ses_1\n"])("what is no id, %j, does nothing", async (id) => {
  await using tracking = await aTracking({ env: "A=ses_1\n", others: ["session_a_ses_1"] });
  expect(await tracking.forget(id)).toMatchObject({ kind: "failed" });
  expect(tracking.names()).toEqual(["async-sessions.env", "session_a_ses_1"]);
});

test.each(['{"session_id":"ses_1"}', '[{"session_id":"ses_1"},', "[{'session_id':'ses_1'}]"])(
  "details that can't be parsed, %s, are left alone and told; the other file is done",
  async (details) => {
    await using tracking = await aTracking({ env: "A=ses_1\n", details });
    const reason = expect.stringContaining("async-sessions-details.json can't be read, and is left as it is: it is not");
    expect(await tracking.forget("ses_1")).toEqual({ kind: "failed", reason });
    expect(tracking.texts()).toEqual({ env: "", details });
  },
);

test("a link in the place of a file is refused, and what it leads to stays", async () => {
  await using tracking = await aTracking({ env: "A=ses_1\n", details: '[{"session_id":"ses_1"}]' });
  renameSync(tracking.details, join(tracking.folder, "elsewhere"));
  symlinkSync(join(tracking.folder, "elsewhere"), tracking.details);
  expect(await tracking.forget("ses_1")).toEqual({
    kind: "failed",
    reason: "async-sessions-details.json can't be read, and is left as it is: it is a symbolic link",
  });
  expect(tracking.texts()).toEqual({ env: "", details: '[{"session_id":"ses_1"}]' });
});

test("the temp files of exactly this session go", async () => {
  const its = [
    "health_needs_restart_ses_1",
    "session_log_ses_1.txt",
    "session_log_ses_1",
    "session__ses_1",
    "session_a_b_ses_1.json.bak",
    "session_x_ses_1 copy",
  ];
  const others = [
    "health_needs_restart_ses_10",
    "health_needs_restart_ses_1.txt",
    "health_needs_restart_xses_1",
    "my_session_log_ses_1",
    "ses_1",
    "session_log_SES_1",
    "session_log_my_ses_1",
    "session_log_ses_10.txt",
    "session_log_ses_1_old",
    "session_log_ses_1-b",
    "session_log_ses_2.of_ses_1",
    "session_log_xses_1",
    "session_ses_1",
  ];
  await using tracking = await aTracking({ env: "A=my_ses_1\n", others: [...its, ...others] });
  mkdirSync(join(tracking.folder, "session_folder_ses_10"));
  expect(await tracking.forget("ses_1")).toEqual({ kind: "recorded" });
  expect(tracking.names()).toEqual([...others, "async-sessions.env", "session_folder_ses_10"].sort());
});

test("a short id takes no temp file of an id that ends like it", async () => {
  await using tracking = await aTracking({ others: ["session_log_ses_1", "session_log_1"] });
  expect(await tracking.forget("1")).toEqual({ kind: "recorded" });
  expect(tracking.names()).toEqual(["session_log_ses_1"]);
});

test("what has the name of its temp file and is a folder, a link or another user's stays, and is told", async () => {
  await using tracking = await aTracking({ others: ["session_a_ses_1", "session_b_ses_1"] });
  mkdirSync(join(tracking.folder, "session_c_ses_1"));
  symlinkSync(tracking.folder, join(tracking.folder, "session_d_ses_1"));
  if (isRoot) chownSync(join(tracking.folder, "session_b_ses_1"), 12_345, 12_345);
  const left = [...(isRoot ? ["session_b_ses_1"] : []), "session_c_ses_1", "session_d_ses_1"];
  const outcome = await tracking.forget("ses_1");
  expect(outcome).toMatchObject({ kind: "failed" });
  for (const name of left) expect(outcome).toMatchObject({ reason: expect.stringContaining(name) });
  expect(tracking.names()).toEqual(left);
});

test("a program that writes the session in again, without the others, is told", async () => {
  await using tracking = await aTracking({ details: '[{"session_id":"ses_1"},{"session_id":"ses_2"},{"session_id":"ses_3"}]' });
  const over = (text: string) => async (): Promise<unknown> => {
    const done = tracking.forget("ses_1");
    // As soon as our text is in its place.
    while (readFileSync(tracking.details, "utf8").includes("ses_1")) await new Promise(setImmediate);
    writeFileSync(`${tracking.details}.tmp`, text);
    renameSync(`${tracking.details}.tmp`, tracking.details);
    return done;
  };
  expect(await over('[{"session_id":"ses_2"}]')()).toEqual({
    kind: "failed",
    reason: "it is out of async-sessions-details.json, but another program has rewritten it since, without ses_3",
  });
  writeFileSync(tracking.details, '[{"session_id":"ses_1"},{"session_id":"ses_2"}]');
  expect(await over('[{"session_id":"ses_1"},{"session_id":"ses_2"}]')()).toEqual({
    kind: "failed",
    reason: "another program has written it into async-sessions-details.json again",
  });
});

test("a program that writes into the details that were there before is told of", async () => {
  await using tracking = await aTracking({ details: '[{"session_id":"ses_1"}]' });
  const held = openSync(tracking.details, "r+");
  const done = tracking.forget("ses_1");
  while (readFileSync(tracking.details, "utf8").includes("ses_1")) await new Promise(setImmediate);
  writeSync(held, '[{"session_id":"ses_2"}]');
  closeSync(held);
  const reason = "it is out of async-sessions-details.json, but another program wrote to the file that was there before: what it wrote is lost";
  expect(await done).toEqual({ kind: "failed", reason });
});
