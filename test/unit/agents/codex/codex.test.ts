import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codex } from "../../../../src/agents/codex/codex.ts";
import type { Census, Pane, ProcessEntry } from "../../../../src/core/census.ts";
import type { Run } from "../../../../src/core/facet.ts";
import { censusOf, noAbort, processOf, put, runOf, withFolder } from "../seen.ts";
import { withAppServer } from "./appServer.ts";
import type { OpenThread } from "./appServer.ts";

const id = "01a22a3e-7a1a-7042-a002-7d09585aaaad";
const other = "01a22a3e-7c72-7963-9cb4-583170122175";
const rollout = (of: string) => `sessions/2026/11/30/rollout-2026-11-30T02-17-47-${of}.jsonl`;
const startedAt = 1_796_005_060_500;
const thread = (changes: Partial<OpenThread> = {}): OpenThread => ({
  id,
  cwd: "/",
  createdAt: 1_796_005_067,
  name: "fix the login form",
  originator: "codex-tui",
  status: { type: "idle" },
  ...changes,
});

/** A window of Codex that really runs, in `cwd`. */
async function withWindow<T>(cwd: string, args: readonly string[], use: (entry: ProcessEntry) => Promise<T>): Promise<T> {
  const child = spawn("sleep", ["60"], { cwd });
  await once(child, "spawn");
  try {
    const program = { file: "/lib/@openai/codex-linux-x64/vendor/x/bin/codex", packageName: "@openai/codex", args, isScript: false };
    return await use(processOf(child.pid ?? 0, program, ["codex", ...args], { startedAt }));
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

const runIn = (home: string, { identity }: ProcessEntry, changes: Partial<Run> = {}): Run => runOf("codex", identity, { configHome: home, ...changes });
const idOf = async (run: Run, census: Census) => (await codex.captureId?.(run, census, noAbort))?.id;

describe("which conversation a window shows", () => {
  test("the only thread of the only window in its folder, with what the daemon says of it", async () => {
    await withFolder((home) =>
      withAppServer(home, [thread({ cwd: home, status: { type: "active", activeFlags: ["waitingOnApproval"] } })], () =>
        withWindow(home, [], async (window) => {
          const told = await codex.tellOf?.(runIn(home, window), censusOf(window), noAbort);
          expect(told).toMatchObject({
            conversation: { agent: "codex", id, toldBy: "agent", home },
            activity: { value: "needsInput", seen: "waits for an approval" },
            title: "fix the login form",
          });
        }),
      ),
    );
  });

  test("since when nothing has happened in it the daemon tells, in seconds", async () => {
    await withFolder((home) =>
      withAppServer(home, [thread({ cwd: home, updatedAt: 1_796_005_070 })], () =>
        withWindow(home, [], async (window) => {
          expect((await codex.tellOf?.(runIn(home, window), censusOf(window), noAbort))?.idleSince).toBe(1_796_005_070_000);
        }),
      ),
    );
  });

  test("two windows in one folder: not captured", async () => {
    await withFolder((home) =>
      withAppServer(home, [thread({ cwd: home })], () =>
        withWindow(home, [], (one) =>
          withWindow(home, [], async (two) => {
            expect(await idOf(runIn(home, one), censusOf(one, two))).toBeUndefined();
            expect(await codex.tellOf?.(runIn(home, one), censusOf(one, two), noAbort)).toEqual({});
            expect(await idOf(runIn(home, one), censusOf(one))).toBe(id);
          }),
        ),
      ),
    );
  });

  test.each<[string, (home: string) => readonly OpenThread[]]>([
    ["two threads in one folder", (home) => [thread({ cwd: home }), thread({ id: other, cwd: home })]],
    ["a thread of another folder", () => [thread()]],
    ["a thread that is older than the window", (home) => [thread({ cwd: home, createdAt: 1_796_005_000 })]],
    ["a thread of a remote client", (home) => [thread({ cwd: home, originator: "codex-vscode" })]],
    ["a thread that is listed but not loaded", (home) => [thread({ cwd: home, isLoaded: false })]],
  ])("%s: not captured", async (_, threads) => {
    await withFolder((home) =>
      withAppServer(home, threads(home), () =>
        withWindow(home, [], async (window) => {
          expect(await idOf(runIn(home, window), censusOf(window))).toBeUndefined();
        }),
      ),
    );
  });

  test("in a pane its title has to show that very thread: not one of a window closed by now, nor the old one after /new", async () => {
    await withFolder((home) =>
      withAppServer(home, [thread({ cwd: home, createdAt: 1_796_005_600 })], () =>
        withWindow(home, [], async (window) => {
          const titled = (title: string) => runIn(home, window, { host: { kind: "process", process: window.identity, pane: { title } as Pane } });
          expect(await idOf(titled("⠋ fix the login form | app"), censusOf(window))).toBe(id);
          expect(await idOf(titled("fix the log… | app"), censusOf(window))).toBe(id);
          expect(await idOf(titled("app"), censusOf(window))).toBeUndefined();
          expect(await idOf(titled("another task | app"), censusOf(window))).toBeUndefined();
          expect(await idOf(runIn(home, window), censusOf(window))).toBeUndefined();
        }),
      ),
    );
  });

  test("the one it was told to resume, until it has begun another", async () => {
    await withFolder((home) =>
      withWindow(home, ["-m", "gpt", "resume", id], async (window) => {
        expect(await idOf(runIn(home, window), censusOf(window))).toBe(id);
        await withAppServer(home, [thread({ cwd: home, createdAt: 1_796_000_000 })], async () => {
          expect(await idOf(runIn(home, window), censusOf(window))).toBe(id);
        });
        await withAppServer(home, [thread({ id: other, cwd: home })], async () => {
          expect(await idOf(runIn(home, window), censusOf(window))).toBeUndefined();
        });
        const afterNew = runIn(home, window, { host: { kind: "process", process: window.identity, pane: { title: "app" } as Pane } });
        expect(await idOf(afterNew, censusOf(window))).toBeUndefined();
      }),
    );
  });

  test("the one whose lock it holds, where it runs the thread itself; of two, none", async () => {
    await withFolder(async (home) => {
      const self = processOf(process.pid, undefined);
      const lock = (of: string) => put(join(home, "thread-writer-locks", `${of}.lock`), "");
      await using first = await open(await lock(id), "r");
      expect(first.fd).toBeGreaterThan(0);
      expect(await idOf(runIn(home, self), censusOf(self))).toBe(id);
      await using second = await open(await lock(other), "r");
      expect(second.fd).toBeGreaterThan(0);
      expect(await idOf(runIn(home, self), censusOf(self))).toBeUndefined();
    });
  });

  test("the one at its title's start, never one that a prompt names", async () => {
    await withFolder(async (home) => {
      await put(join(home, rollout(id)), "");
      const self = processOf(process.pid, undefined);
      const titled = (title: string) => runIn(home, self, { host: { kind: "process", process: self.identity, pane: { title } as Pane } });
      expect(await idOf(titled("⠦ 01a22a3e-7a1a-7042-a002-7d095... | Working | app"), censusOf(self))).toBe(id);
      expect(await idOf(titled(`[ ! ] Action Required | ${id} | app`), censusOf(self))).toBe(id);
      expect(await idOf(titled(`look at ${id} | app`), censusOf(self))).toBeUndefined();
      expect(await idOf(titled(`${id} is broken | app`), censusOf(self))).toBeUndefined();
      expect(await idOf(titled("01a22a3e-7a1a-7042-a002-7d0a5... | app"), censusOf(self))).toBeUndefined();
      const behind = { ...self, isForeground: false };
      expect(await idOf(titled("01a22a3e-7a1a-7042-a002-7d095... | app"), censusOf(behind))).toBeUndefined();
    });
  });

  test("a daemon that never answers holds nobody up", async () => {
    await withFolder((home) =>
      withAppServer(home, "silent", () =>
        withWindow(home, [], async (window) => {
          expect(await idOf(runIn(home, window), censusOf(window))).toBeUndefined();
        }),
      ),
    );
  });
});

describe("a turn that goes on in the daemon", () => {
  test("is told by its id; an idle one is over", async () => {
    await withFolder(async (home) => {
      const run = runIn(home, processOf(7, undefined), { conversation: { agent: "codex", id, toldBy: "agent", home } });
      await withAppServer(home, [thread({ status: { type: "active" } })], async () => {
        expect(await codex.turnElsewhere?.(run, noAbort)).toEqual({ kind: "turn", where: "Codex's background server" });
      });
      await withAppServer(home, [thread(), thread({ id: other, status: { type: "active" } })], async () => {
        expect(await codex.turnElsewhere?.(run, noAbort)).toBeUndefined();
      });
      expect(await codex.turnElsewhere?.(run, noAbort)).toBeUndefined();
    });
  });

  test("may go on in a daemon that does not answer", async () => {
    await withFolder(async (home) => {
      const socket = join(home, "app-server-control", "app-server-control.sock");
      await mkdir(join(socket, ".."), { recursive: true });
      const silent = createServer(() => {}).listen(socket);
      await once(silent, "listening");
      try {
        const run = runIn(home, processOf(7, undefined));
        expect(await codex.turnElsewhere?.(run, noAbort)).toEqual({ kind: "turn", where: "Codex's background server, which does not answer" });
      } finally {
        silent.close();
      }
    });
  });

  test("may be one of the same folder, where the id was never known", async () => {
    await withFolder(async (home) => {
      const run = runIn(home, processOf(7, undefined), { cwd: "/srv/app" });
      await withAppServer(home, [thread({ cwd: "/srv/app", status: { type: "active" } })], async () => {
        expect(await codex.turnElsewhere?.(run, noAbort)).toEqual({ kind: "turn", where: "Codex's background server, for /srv/app" });
      });
    });
  });
});

test("a conversation can be resumed where its file lies under the day it began", async () => {
  await withFolder(async (home) => {
    await put(join(home, rollout(id)), "");
    const asked = (of: string) => codex.canResume({ agent: "codex", id: of, toldBy: "agent", home }, undefined, noAbort);
    expect(await asked(id)).toMatchObject({ value: true, seen: "its transcript was found" });
    expect(await asked(other)).toMatchObject({ value: false, seen: `no transcript of it was found in ${join(home, "sessions")}` });
    expect(await asked("../../auth")).toMatchObject({ value: false });
  });
});

test("resume names the id, and the config home only where it is not the usual one", async () => {
  const conversation = { agent: "codex", id, toldBy: "agent" } as const;
  expect(await codex.resumeCommand({ ...conversation, home: join(homedir(), ".codex") }, "/srv/app")).toEqual({
    argv: ["codex", "resume", id],
    cwd: "/srv/app",
  });
  expect(await codex.resumeCommand({ ...conversation, home: "/srv/codex" }, undefined)).toEqual({
    argv: ["codex", "resume", id],
    env: { CODEX_HOME: "/srv/codex" },
  });
});

test("its last words name the conversation", () => {
  expect(codex.idFromLastWords?.(`Disconnected from this task. Any running work continues. To reconnect, run: codex resume ${id}\n$ `)).toBe(id);
  expect(codex.idFromLastWords?.("$ codex resume --last")).toBeUndefined();
});
