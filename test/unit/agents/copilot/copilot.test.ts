import { appendFile, open, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { copilot } from "../../../../src/agents/copilot/copilot.ts";
import type { ProcessEntry } from "../../../../src/core/census.ts";
import { censusOf, noAbort, processOf, put, runOf, withFolder } from "../seen.ts";

const id = "846a261b-1686-45ee-b34d-5caf3d99c056";
const other = "f9f8e2ca-6e15-4b04-ad78-b1707b39c32b";
const startedAt = Date.parse("2026-11-30T02:31:30.000Z");
const self = processOf(process.pid, undefined, [], { startedAt });
const folderOf = (home: string, of = id) => join(home, "session-state", of);
const tell = (home: string, entry: ProcessEntry = self) => copilot.tellOf?.(runOf("copilot", entry.identity, { configHome: home }), censusOf(entry), noAbort);

/** This very process holds the session, as Copilot's does. */
async function withSession<T>(use: (home: string, events: (...of: readonly object[]) => Promise<void>) => Promise<T>): Promise<T> {
  return withFolder(async (home) => {
    await put(join(folderOf(home), `inuse.${process.pid}.lock`), String(process.pid));
    await using hold = await open(await put(join(folderOf(home), `inuse.${process.pid}.hold`), ""), "r");
    expect(hold.fd).toBeGreaterThan(0);
    return await use(home, async (...of) => {
      const lines = of.map((event) => `${JSON.stringify({ timestamp: "2026-11-30T02:31:39.000Z", data: {}, ...event })}\n`);
      await appendFile(join(folderOf(home), "events.jsonl"), lines.join(""));
    });
  });
}

describe("which session a process has", () => {
  test("the one whose lock names it and that it holds open; the lock is its pid file", async () => {
    await withSession(async (home) => {
      await put(join(folderOf(home), "workspace.yaml"), `id: ${id}\ncwd: /srv/app\nname: fix the login form\n`);
      expect(await tell(home)).toMatchObject({
        conversation: { agent: "copilot", id, toldBy: "agent", home },
        pidFile: join(folderOf(home), `inuse.${process.pid}.lock`),
        title: "fix the login form",
        activity: { value: "silent" },
      });
    });
  });

  test("not one whose lock a killed process of the same pid left", async () => {
    await withSession(async (home) => {
      await put(join(folderOf(home, other), `inuse.${process.pid}.lock`), String(process.pid));
      expect((await tell(home))?.conversation?.id).toBe(id);
    });
  });

  test("where open files can't be told: the only lock that is no older than the process", async () => {
    await withFolder(async (home) => {
      const unseen = processOf(2 ** 30, undefined, [], { startedAt });
      const lock = await put(join(folderOf(home), `inuse.${2 ** 30}.lock`), String(2 ** 30));
      expect((await tell(home, unseen))?.conversation?.id).toBe(id);
      await utimes(lock, startedAt / 1000 - 60, startedAt / 1000 - 60);
      expect(await tell(home, unseen)).toEqual({});
    });
  });

  test("none where no lock names it", async () => {
    await withFolder(async (home) => {
      await put(join(folderOf(home), "inuse.99.lock"), "99");
      expect(await tell(home)).toEqual({});
      expect(await copilot.captureId?.(runOf("copilot", self.identity, { configHome: home }), censusOf(self), noAbort)).toBeUndefined();
    });
  });
});

describe("what it does", () => {
  const asked = { type: "permission.requested", data: { requestId: "r1", permissionRequest: { kind: "shell" } } };
  const question = { type: "tool.execution_start", data: { toolCallId: "t1", toolName: "ask_user" } };
  const turn = { type: "assistant.turn_start" };

  test.each<[string, readonly object[], string, string]>([
    ["a turn", [{ type: "user.message" }, turn], "working", "its events say that a turn goes on"],
    ["a turn that has ended", [turn, { type: "assistant.turn_end" }], "idle", "waits for a prompt"],
    ["a turn that the person broke off", [turn, asked, { type: "abort" }], "idle", "waits for a prompt"],
    ["a permission", [turn, asked], "needsInput", "permission: shell"],
    [
      "a permission that was answered",
      [turn, asked, { type: "permission.completed", data: { requestId: "r1" } }],
      "working",
      "its events say that a turn goes on",
    ],
    [
      "two permissions, one answered",
      [turn, asked, { ...asked, data: { requestId: "r2" } }, { type: "permission.completed", data: { requestId: "r1" } }],
      "needsInput",
      "permission: a tool",
    ],
    ["a question", [turn, question], "needsInput", "asks a question"],
    [
      "a question that was answered",
      [turn, question, { type: "tool.execution_complete", data: { toolCallId: "t1" } }],
      "working",
      "its events say that a turn goes on",
    ],
    ["what happened before it was started", [{ ...asked, timestamp: "2026-11-29T10:00:00.000Z" }], "silent", "no turn since it was started"],
    ["words it does not know", [{ type: "session.shutdown" }, { type: 7 }], "silent", "no turn since it was started"],
  ])("%s", async (_, of, value, seen) => {
    await withSession(async (home, events) => {
      await events(...of);
      expect((await tell(home))?.activity).toMatchObject({ value, seen });
    });
  });

  test("nothing has happened in it since its last event", async () => {
    await withSession(async (home, events) => {
      await events(turn, { type: "assistant.turn_end", timestamp: "2026-11-30T02:31:41.000Z" });
      expect((await tell(home))?.idleSince).toBe(Date.parse("2026-11-30T02:31:41.000Z"));
    });
  });

  test("a permission is still open when much was written after it", async () => {
    await withSession(async (home, events) => {
      await events(turn, asked);
      expect((await tell(home))?.activity?.value).toBe("needsInput");
      await events({ type: "tool.execution_progress", timestamp: "2026-11-30T02:31:40.000Z", data: { text: "x".repeat(100_000) } });
      expect((await tell(home))?.activity?.value).toBe("needsInput");
      await events({ type: "permission.completed", timestamp: "2026-11-30T02:31:41.000Z", data: { requestId: "r1" } });
      expect((await tell(home))?.activity?.value).toBe("working");
    });
  });
});

test("a session can be resumed once it has events", async () => {
  await withFolder(async (home) => {
    const canResume = (of: string) => copilot.canResume({ agent: "copilot", id: of, toldBy: "agent", home }, undefined, noAbort);
    await put(join(folderOf(home), "workspace.yaml"), "");
    expect(await canResume(id)).toMatchObject({ value: false, seen: `no transcript of it was found in ${join(home, "session-state")}` });
    await put(join(folderOf(home), "events.jsonl"), "");
    expect(await canResume(id)).toMatchObject({ value: true, seen: "its transcript was found" });
    expect(await canResume("../x")).toMatchObject({ value: false });
  });
});

test("resume names the id, and the home only where it is not the usual one", async () => {
  const conversation = { agent: "copilot", id, toldBy: "agent" } as const;
  expect(await copilot.resumeCommand({ ...conversation, home: join(homedir(), ".copilot") }, "/srv/app")).toEqual({
    argv: ["copilot", `--resume=${id}`],
    cwd: "/srv/app",
  });
  expect(await copilot.resumeCommand({ ...conversation, home: "/srv/copilot" }, undefined)).toEqual({
    argv: ["copilot", `--resume=${id}`],
    env: { COPILOT_HOME: "/srv/copilot" },
  });
});
