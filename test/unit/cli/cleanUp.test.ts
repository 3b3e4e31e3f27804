import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { playOpencode } from "../../support/playedOpencode.ts";
import type { PlayedOpencode } from "../../support/playedOpencode.ts";
import { wrongBy } from "../../support/schema.ts";
import { openStage } from "../../support/stage.ts";
import type { Stage } from "../../support/stage.ts";

let stage: Stage;
let server: PlayedOpencode;
let lists: { readonly folder: string; readonly env: string; readonly details: string };
let nth = 0;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const id = "ses_abc";
const others = "# of others\nOTHER=ses_abcd\n\nNIGHTLY_2=ses_ab\n";
const othersDetails = '[\n  {"session_id": "ses_abcd",   "n": 1.0}\n]\n';

beforeEach(async () => {
  const folder = join(stage.folder, `lists ${nth++}`);
  mkdirSync(folder);
  lists = { folder, env: join(folder, "sessions.env"), details: join(folder, "sessions.json") };
  writeFileSync(lists.env, `# of others\nNIGHTLY=${id}\nOTHER=ses_abcd\n\nNIGHTLY_2=ses_ab\n`);
  writeFileSync(lists.details, `[\n  {"session_id": "${id}", "tag": "AUTO-1"},\n  {"session_id": "ses_abcd",   "n": 1.0}\n]\n`);
  writeFileSync(join(folder, `health_needs_restart_${id}`), "");
  writeFileSync(join(folder, `session_verify_${id}.json`), "");
  writeFileSync(join(folder, "session_verify_ses_abcd.json"), "");
  server = await playOpencode();
  server.sessions.set(id, { directory: "/app", title: "[AUTO-1] nightly" });
  server.sessions.set("ses_abcd", { directory: "/app", title: "another" });
  return () => server[Symbol.asyncDispose]();
});

async function cleanUp(...args: readonly string[]) {
  const at = ["--tracking-env", lists.env, "--tracking-details", lists.details, "--server-url", server.origin];
  const answer = await stage.warden(["cleanup", "--json", ...at, ...args]);
  const told = JSON.parse(answer.stdout) as { readonly [key: string]: unknown };
  expect(wrongBy("opencode/cleanUpReceipt.schema.json", told)).toEqual([]);
  return { code: answer.code, told };
}

const isListed = (): boolean => readFileSync(lists.env, "utf8").includes(`=${id}\n`) || readFileSync(lists.details, "utf8").includes(`"${id}"`);

test("it is deleted, proved gone, and taken off the lists with its temp files; nobody else's byte is touched", async () => {
  const { code, told } = await cleanUp(id, "--tag", "AUTO-1");
  expect([code, told]).toEqual([
    0,
    expect.objectContaining({
      status: "success",
      session_id: id,
      tag: "AUTO-1",
      session_existed: true,
      termination_method: "graceful",
      tracking_cleanup_success: true,
      verification_result: "session_not_accessible",
      force_cleanup_enabled: false,
      cleanup_tracking_enabled: true,
      verification_enabled: true,
      warnings: [],
    }),
  ]);
  expect(server.calls("DELETE")).toEqual([`DELETE /session/${id}?directory=/app`]);
  expect([...server.sessions.keys()]).toEqual(["ses_abcd"]);
  expect(readFileSync(lists.env, "utf8")).toBe(others);
  expect(readFileSync(lists.details, "utf8")).toBe(othersDetails);
  const left = [`health_needs_restart_${id}`, `session_verify_${id}.json`, "session_verify_ses_abcd.json"].filter((name) =>
    existsSync(join(lists.folder, name)),
  );
  expect(left).toEqual(["session_verify_ses_abcd.json"]);
  expect(server.undeclared()).toEqual([]);

  const again = await cleanUp(id);
  expect([again.code, again.told]).toEqual([
    0,
    expect.objectContaining({ status: "success", session_existed: false, termination_method: "not_needed", tracking_cleanup_success: true }),
  ]);
});

test("one in the middle of a turn is ended first, with its sub-agents, and then deleted", async () => {
  server.sessions.set("ses_child", { directory: "/app", parentID: id });
  server.busy.set(id, "/app").set("ses_child", "/app");
  const { code, told } = await cleanUp(id);
  expect([code, told["termination_method"], [...server.busy]]).toEqual([0, "graceful", []]);
  const deeds = server.calls().filter((call) => /^(POST|DELETE)/.test(call));
  expect(deeds.map((call) => call.split("?")[0])).toEqual([
    `POST /session/${id}/abort`,
    ...deeds.slice(1, -1).map((call) => call.split("?")[0]),
    `DELETE /session/${id}`,
  ]);
  expect([...server.sessions.keys()]).toEqual(["ses_abcd"]);
});

test("a run that goes on though its session was deleted is found by its id, ended, and only then called gone", async () => {
  server.sessions.delete(id);
  server.busy.set(id, "/app");
  const { code, told } = await cleanUp(id);
  // Every server of the machine is asked for it: which of them could not tell stands there.
  expect([code, told["verification_result"], told["warnings"], [...server.busy]]).toEqual([0, "session_not_accessible", [], []]);
});

test("the key that the list shows is an id too", async () => {
  expect((await cleanUp(`opencode:${id}`)).told["session_id"]).toBe(id);
});

test("told to leave the lists alone, it does", async () => {
  const { code, told } = await cleanUp(id, "--no-cleanup-tracking");
  expect([code, told["cleanup_tracking_enabled"], told["tracking_cleanup_success"], isListed()]).toEqual([0, false, true, true]);
  expect(server.sessions.has(id)).toBe(false);
});

test("not looked for before, it is deleted and proved gone all the same", async () => {
  server.sessions.delete(id);
  const { code, told } = await cleanUp(id, "--no-verify");
  expect([code, told["verification_enabled"], told["verification_result"], isListed()]).toEqual([0, false, "session_not_accessible", false]);
  expect(server.calls("DELETE").map((call) => call.split("?")[0])).toEqual([`DELETE /session/${id}`]);
});

test("a title without the tag is a warning", async () => {
  const { code, told } = await cleanUp(id, "--tag", "AUTO-2");
  expect([code, told["tag"], told["warnings"]]).toEqual([0, "AUTO-2", ["Its title does not contain [AUTO-2]: [AUTO-1] nightly"]]);
});

test("where its server can't be asked it stays on the lists; a forced one is taken off them, and is no success", async () => {
  await server[Symbol.asyncDispose]();
  const { code, told } = await cleanUp(id);
  expect([code, told["status"], told["tracking_cleanup_success"], told["verification_result"], isListed()]).toEqual([
    1,
    "partial",
    false,
    "session_may_still_exist",
    true,
  ]);
  const forced = await cleanUp(id, "--force");
  expect([forced.code, forced.told["status"], forced.told["force_cleanup_enabled"], forced.told["tracking_cleanup_success"], isListed()]).toEqual([
    1,
    "partial",
    true,
    true,
    false,
  ]);
});

test("a list that can't be written makes it partial, and the session is deleted all the same", async () => {
  const details = `[\n  {"session_id": "${id}"`;
  writeFileSync(lists.details, details);
  const { code, told } = await cleanUp(id);
  expect([code, told["status"], told["tracking_cleanup_success"], told["verification_result"]]).toEqual([1, "partial", false, "session_not_accessible"]);
  expect(readFileSync(lists.details, "utf8")).toBe(details);
});

test("an id that can't be OpenCode's is taken off the lists, and no server hears of it", async () => {
  const own = "abc123-def456-ghi789";
  writeFileSync(lists.env, `${others}NIGHTLY=${own}\n`);
  const { code, told } = await cleanUp(own);
  expect([code, told["session_id"], told["session_existed"], told["termination_method"]]).toEqual([0, own, false, "not_needed"]);
  expect(readFileSync(lists.env, "utf8")).toBe(others);
  expect(server.requests).toEqual([]);
});

test.each(["../ses_abc", "ses_abc/", "-rf", "ses abc", "ses_abc?directory=/", "", "_a", "opencode:"])(
  "%s is no id: 2, and nothing is asked or written",
  async (bad) => {
    const answer = await stage.warden(["cleanup", "--tracking-env", lists.env, "--server-url", server.origin, "--", bad]);
    expect([answer.code, answer.stdout, isListed()]).toEqual([2, "", true]);
    expect(server.requests).toEqual([]);
  },
);

test("without --json it is said in a sentence", async () => {
  const at = ["--tracking-env", lists.env, "--tracking-details", lists.details, "--server-url", server.origin];
  const answer = await stage.warden(["cleanup", id, ...at]);
  expect([answer.code, answer.stdout, answer.stderr]).toEqual([0, "Deleted “[AUTO-1] nightly” from its server.", ""]);
});

test("what only the lists know of is listed as such, and what a server knows of too is one row", async () => {
  writeFileSync(lists.env, `NIGHTLY=${id}\nGONE=ses_gone\nSCRIPT=abc123\n`);
  writeFileSync(join(stage.stateFolder, "settings.json"), JSON.stringify({ "tracking.env": lists.env, "tracking.details": lists.details }));
  const { sessions } = (await stage.warden(["list", "--json", "--server-url", server.origin])).json();
  const row = (key: string) => sessions.filter((session) => session.key === key || session.records.some((record) => record.key === key));
  expect(row(`tracking:${id}`)).toMatchObject([{ key: `opencode:${id}`, status: "stopped", title: "[AUTO-1] nightly" }]);
  for (const key of ["tracking:ses_gone", "tracking:abc123"])
    expect(row(key)).toMatchObject([{ key, status: "unknown", why: "known only from the tracking files" }]);
});
