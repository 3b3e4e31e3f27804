import { appendFile, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cline } from "../../../../src/agents/cline/cline.ts";
import type { Conversation, Run } from "../../../../src/core/facet.ts";
import { startChild } from "../../../support/children.ts";
import { censusOf, here, identityOf, noAbort, processOf, put, runOf, withFolder } from "../seen.ts";

const id = "1796005435671_tt14c";
const other = "1796005443728_69zb9";
const startedAt = Date.parse("2026-11-30T02:23:50.000Z");
const window = processOf(7038, { file: "/lib/cline/bin/.cline", packageName: "cline", args: [], isScript: false }, [".cline"], { startedAt });
const line = (changes: object = {}, sessionId = id) =>
  `${JSON.stringify({ level: 30, time: "2026-11-30T02:23:55.811Z", pid: 7038, hostname: here.host, event: "session.started", properties: { sessionId }, msg: "telemetry.event", ...changes })}\n`;
const runIn = (home: string, changes: Partial<Run> = {}) => runOf("cline", window.identity, { configHome: home, ...changes });
const logOf = (home: string) => join(home, "logs", "cline.log");
const idOf = async (home: string, entry = window) => (await cline.captureId?.(runIn(home), censusOf(entry), noAbort))?.id;

describe("which session a window shows", () => {
  test("the last that its log says this process began", async () => {
    await withFolder(async (home) => {
      await put(logOf(home), line({ event: "task.created", properties: { ulid: other } }) + line());
      expect(await cline.captureId?.(runIn(home), censusOf(window), noAbort)).toEqual({ agent: "cline", id, toldBy: "agent", home });
      await appendFile(logOf(home), line({ time: "2026-11-30T02:24:03.799Z" }, other));
      expect(await idOf(home)).toBe(other);
    });
  });

  test("is still known when the log has grown far beyond its line", async () => {
    await withFolder(async (home) => {
      await put(logOf(home), line());
      expect(await idOf(home)).toBe(id);
      const chatter = line({ event: "agent.message-added", properties: { text: "x".repeat(100_000) } });
      for (let at = 0; at < 60; at++) await appendFile(logOf(home), chatter);
      expect(await idOf(home)).toBe(id);
      await appendFile(logOf(home), line({}, other));
      expect(await idOf(home)).toBe(other);
    });
  });

  test.each<[string, string]>([
    ["another process", line({ pid: 7039 })],
    ["an earlier process with the same pid", line({ time: "2026-11-29T10:00:00.000Z" })],
    ["a process of another host that shares the home", line({ hostname: "elsewhere" })],
    ["something that is no id", line({}, "../../settings/providers")],
    ["a broken line", line().slice(0, 80)],
  ])("not that of %s", async (_, text) => {
    await withFolder(async (home) => {
      await put(logOf(home), text);
      expect(await idOf(home)).toBeUndefined();
    });
  });

  test("none where telemetry writes no log, or the process's start is not known", async () => {
    await withFolder(async (home) => {
      expect(await idOf(home)).toBeUndefined();
      await put(logOf(home), line());
      expect(await idOf(home, { ...window, startedAt: undefined })).toBeUndefined();
    });
  });

  test("its own argument says where its files lie, before its environment", async () => {
    await withFolder(async (home) => {
      await put(logOf(join(home, "mine")), line());
      const started = { ...window, program: { file: "/lib/cline/bin/.cline", packageName: "cline", args: ["--data-dir", "mine"], isScript: false } };
      const told = await cline.tellOf?.(runIn("/nowhere", { cwd: home }), censusOf(started), noAbort);
      expect(told?.conversation).toMatchObject({ id, home: join(home, "mine") });
    });
  });
});

describe("what it does", () => {
  test.each([
    ["pending", "needsInput"],
    ["running", "working"],
    ["idle", "idle"],
    ["completed", "idle"],
    ["something new", "silent"],
  ])("%s is %s", async (status, value) => {
    await withFolder(async (home) => {
      await put(logOf(home), line());
      await put(join(home, "sessions", id, `${id}.json`), JSON.stringify({ session_id: id, pid: 6993, status, metadata: { title: "fix the login form" } }));
      const told = await cline.tellOf?.(runIn(home), censusOf(window), noAbort);
      expect(told).toMatchObject({ conversation: { id }, activity: { value }, title: "fix the login form" });
    });
  });
});

test("nothing has happened in it since its file was written", async () => {
  await withFolder(async (home) => {
    await put(logOf(home), line());
    const file = await put(join(home, "sessions", id, `${id}.json`), JSON.stringify({ session_id: id, pid: 6993, status: "idle" }));
    await utimes(file, 1_796_005_000, 1_796_005_000);
    expect((await cline.tellOf?.(runIn(home), censusOf(window), noAbort))?.idleSince).toBe(1_796_005_000_000);
  });
});

describe("a turn that goes on in the hub", () => {
  const conversation = (home: string): Conversation => ({ agent: "cline", id, toldBy: "agent", home });
  const left = (home: string) => cline.turnElsewhere?.(runIn(home, { conversation: conversation(home) }), noAbort);
  const aHub = async (): Promise<number> => (await startChild([process.execPath, "-e", "setInterval(() => {}, 60_000)", "--", "--cline-hub-daemon"])).pid;
  const write = async (home: string, status: string, pid: number, hub: number) => {
    await put(join(home, "sessions", id, `${id}.json`), JSON.stringify({ pid, status }));
    await put(join(home, "locks", "hub", "production.json"), JSON.stringify({ pid: hub, host: "127.0.0.1" }));
  };

  test("is told while its session file says so and the hub is there", async () => {
    await withFolder(async (home) => {
      const hub = await aHub();
      await write(home, "running", hub, hub);
      expect(await left(home)).toEqual({ kind: "turn", where: "Cline's hub" });
      await write(home, "pending", hub, hub);
      expect(await left(home)).toEqual({ kind: "turn", where: "Cline's hub" });
    });
  });

  test("is over when the file says idle", async () => {
    await withFolder(async (home) => {
      const hub = await aHub();
      await write(home, "idle", hub, hub);
      expect(await left(home)).toBeUndefined();
    });
  });

  test("can't be where the window ran it itself, or the hub is gone: then the file was only not closed", async () => {
    await withFolder(async (home) => {
      await write(home, "running", identityOf(7038).pid, await aHub());
      expect(await left(home)).toBeUndefined();
      await write(home, "running", 6993, 2 ** 30);
      expect(await left(home)).toBeUndefined();
    });
  });

  test("is not believed of another program that has the pid of a hub by now", async () => {
    await withFolder(async (home) => {
      await write(home, "running", 6993, process.pid);
      expect(await left(home)).toBeUndefined();
    });
  });
});

test("a session can be resumed where its folder is", async () => {
  await withFolder(async (home) => {
    await put(join(home, "sessions", id, `${id}.messages.json`), "[]");
    const asked = (of: string) => cline.canResume({ agent: "cline", id: of, toldBy: "exit", home }, undefined, noAbort);
    expect(await asked(id)).toMatchObject({ value: true, seen: "its transcript was found" });
    expect(await asked(other)).toMatchObject({ value: false });
    expect(await asked("..")).toMatchObject({ value: false });
  });
});

test("its last words name the session", () => {
  const screen = `Session Summary\n  ID        ${id}\n  Messages  2\n  Continue  cline --id ${id}\nroot@build:/srv/app# `;
  expect(cline.idFromLastWords?.(screen)).toBe(id);
  expect(cline.idFromLastWords?.("Continue  cline --id <session-id>")).toBeUndefined();
});

test("resume names the id, and its data folder only where it is not the usual one", async () => {
  const conversation = { agent: "cline", id, toldBy: "agent" } as const;
  expect(await cline.resumeCommand({ ...conversation, home: join(homedir(), ".cline", "data") }, "/srv/app")).toEqual({
    argv: ["cline", "--id", id],
    cwd: "/srv/app",
  });
  expect(await cline.resumeCommand({ ...conversation, home: "/srv/cline" }, undefined)).toEqual({ argv: ["cline", "--data-dir", "/srv/cline", "--id", id] });
});

test("its home is CLINE_DATA_DIR, else below CLINE_DIR, else below HOME", () => {
  const home = (variables: Record<string, string>) => cline.configHomeOf(new Map(Object.entries({ HOME: "/home/someone", ...variables })));
  expect(home({})).toBe("/home/someone/.cline/data");
  expect(home({ CLINE_DIR: "/srv/cline" })).toBe("/srv/cline/data");
  expect(home({ CLINE_DIR: "/srv/cline", CLINE_DATA_DIR: "/srv/elsewhere" })).toBe("/srv/elsewhere");
});
