import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claude } from "../../../../src/agents/claude/claude.ts";
import type { LiveEntry } from "../../../../src/core/agent.ts";
import { canBeSeenFrom } from "../../../../src/core/census.ts";
import { censusOf, here, noAbort, processOf, put, withFolder } from "../seen.ts";

const id = "36ec9b97-6f5b-46e0-b414-f8407ce00a5d";
const machineId = (await readFile("/etc/machine-id", "utf8").catch(() => "")).trim();
const domain = (machine: string, namespace: string) => `linux:${machine}:pid:[${namespace}]`;

/** As 2.1.332 writes it. */
const row = {
  pid: 4121,
  sessionId: id,
  cwd: "/home/someone/app",
  startedAt: 1_796_004_599_417,
  procStart: "412100",
  version: "2.1.332",
  kind: "interactive",
  entrypoint: "cli",
  pidDomain: domain(machineId, "4026531836"),
  tmux: "c:@0.%0",
  name: "app-ea",
  nameSource: "derived",
  status: "idle",
};

const living = censusOf(processOf(4121, undefined));

/** What the file of one session is read as; undefined where it gives no row. */
async function readOne(changes: object, census = living, name = "4121.json"): Promise<LiveEntry | undefined> {
  return withFolder(async (home) => {
    await put(join(home, "sessions", name), JSON.stringify({ ...row, ...changes }));
    return (await claude.readLive?.([home], census, noAbort))?.[0];
  });
}

test("a living session has its process, id, home, folder and start", async () => {
  await withFolder(async (home) => {
    const file = await put(join(home, "sessions", "4121.json"), JSON.stringify(row));
    const [entry] = (await claude.readLive?.([home], living, noAbort)) ?? [];
    expect(entry).toMatchObject({
      agent: "claude",
      process: { pid: 4121, start: { kind: "ticks", ticks: "412100" }, host: here.host, bootId: here.bootId, pidNamespace: here.pidNamespace },
      liveness: { value: "alive" },
      file,
      conversation: { agent: "claude", id, toldBy: "agent", home, resumable: { value: false } },
      runsIn: "terminal",
      cwd: "/home/someone/app",
      startedAt: 1_796_004_599_417,
    });
  });
});

test.each<[object, number | undefined]>([
  [{ updatedAt: 20 }, 20],
  [{ updatedAt: 20, statusUpdatedAt: 10 }, 10],
  [{ status: "waiting", waitingFor: "dialog open", statusUpdatedAt: 10 }, 10],
  [{}, undefined],
  [{ status: "busy", statusUpdatedAt: 10 }, undefined],
  [{ status: "shell", statusUpdatedAt: 10 }, undefined],
  [{ statusUpdatedAt: "yesterday" }, undefined],
])("%o has been idle since %o", async (changes, since) => {
  expect((await readOne(changes))?.idleSince).toBe(since);
});

test.each<[object, string, string]>([
  [{ status: "busy" }, "working", "its own file says busy"],
  [{ status: "idle" }, "idle", "waits for a prompt"],
  [{ status: "shell" }, "idle", "waits for a prompt, a shell runs in the background"],
  [{ status: "waiting", waitingFor: "permission prompt" }, "needsInput", "permission prompt"],
  [{ status: "waiting", waitingFor: "input needed" }, "needsInput", "input needed"],
  [{ status: "waiting", waitingFor: "sandbox request" }, "needsInput", "sandbox request"],
  [{ status: "waiting", waitingFor: "worker request" }, "needsInput", "worker request"],
  [{ status: "waiting", waitingFor: "goal proposal" }, "needsInput", "goal proposal"],
  [{ status: "waiting", waitingFor: "dialog open" }, "idle", "a menu is open"],
  [{ status: "waiting", waitingFor: "something new" }, "silent", "it waits, and its file does not say for whom"],
  [{ status: undefined }, "silent", "its own file has no status"],
])("%j is %s", async (changes, value, seen) => {
  expect((await readOne(changes))?.activity).toMatchObject({ value, seen });
});

test.each<[object, string]>([
  [{}, "terminal"],
  [{ entrypoint: undefined }, "terminal"],
  [{ entrypoint: "sdk-cli" }, "automation"],
  [{ entrypoint: "sdk-ts" }, "automation"],
  [{ kind: "bg" }, "automation"],
  [{ entrypoint: "claude-vscode" }, "panel"],
])("%j runs in: %s", async (changes, where) => {
  expect((await readOne(changes))?.runsIn).toBe(where);
});

test("the file that kill -9 left is no session, whoever has its pid now", async () => {
  expect(await readOne({ status: "busy" }, censusOf())).toBeUndefined();
  expect(await readOne({ status: "busy", procStart: "99" })).toBeUndefined();
});

test("where the process table could not be read, nothing is known to be gone", async () => {
  expect((await readOne({}, { ...living, processes: undefined }))?.liveness).toMatchObject({ value: "unknown", seen: "process 4121 can't be looked at" });
});

test("a session of another container is unknown, and can't be signalled from here", async () => {
  const entry = await readOne({ pidDomain: domain(machineId, "4026532999") });
  expect(entry?.liveness).toMatchObject({ value: "unknown", seen: "it runs in another container" });
  expect(entry && canBeSeenFrom(here, entry.process)).toBe(false);
});

test("a session of another machine that shares the home is unknown, though its pid namespace has the same number", async () => {
  const entry = await readOne({ pidDomain: domain("0123456789abcdef0123456789abcdef", "4026531836") });
  expect(entry?.liveness).toMatchObject({ value: "unknown", seen: "it runs on another machine" });
  expect(entry && canBeSeenFrom(here, entry.process)).toBe(false);
});

test("2.1.197 names no pid domain and no source of its name", async () => {
  const old = { pidDomain: undefined, tmux: undefined, nameSource: undefined, entrypoint: "cli" };
  expect(await readOne({ ...old, name: "app-90" })).toMatchObject({ liveness: { value: "alive" }, process: { pidNamespace: here.pidNamespace } });
  expect((await readOne({ ...old, name: "app-90" }))?.title).toBeUndefined();
  expect((await readOne({ ...old, name: "flaky test hunt" }))?.title).toBe("flaky test hunt");
});

test("a name that somebody gave is the title, else the last prompt", async () => {
  expect((await readOne({ name: "login form", nameSource: "user" }))?.title).toBe("login form");
  expect((await readOne({ name: "x".repeat(5_000), nameSource: "user" }))?.title).toHaveLength(200);
  await withFolder(async (home) => {
    await put(join(home, "sessions", "4121.json"), JSON.stringify(row));
    await put(
      join(home, "projects", "-home-someone-app", `${id}.jsonl`),
      `${JSON.stringify({ type: "last-prompt", lastPrompt: "fix the login form", sessionId: id })}\n`,
    );
    const [entry] = (await claude.readLive?.([home], living, noAbort)) ?? [];
    expect(entry).toMatchObject({ title: "fix the login form", conversation: { resumable: { value: true, seen: "its transcript was found" } } });
  });
});

test("a file that is broken, foreign or misnamed is left out, and hides no other", async () => {
  await withFolder(async (home) => {
    const sessions = join(home, "sessions");
    await put(join(sessions, "1.json"), '{"pid":1,"sess');
    await put(join(sessions, "2.json"), JSON.stringify({ ...row, pid: 2, sessionId: "../../etc/passwd" }));
    await put(join(sessions, "3.json"), JSON.stringify(row));
    await put(join(sessions, "4.json"), JSON.stringify({ ...row, pid: 4, procStart: "soon" }));
    await put(join(sessions, "notes.json"), JSON.stringify(row));
    await put(join(sessions, "4121.0123.key"), "secret");
    await put(join(sessions, "4121.json"), JSON.stringify({ ...row, status: 7, name: null, newKey: [] }));
    const entries = (await claude.readLive?.([home, join(home, "absent")], living, noAbort)) ?? [];
    expect(entries.map(({ process, activity }) => [process.pid, activity.value])).toEqual([[4121, "silent"]]);
  });
});
