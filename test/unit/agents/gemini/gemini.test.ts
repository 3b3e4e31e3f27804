import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gemini } from "../../../../src/agents/gemini/gemini.ts";
import { censusOf, noAbort, processOf, put, runOf, withFolder } from "../seen.ts";

const id = "676ceaac-5b56-4c26-892b-53de79a14935";
const chat = (sessionId: string) => `${JSON.stringify({ sessionId, projectHash: "51ef", startTime: "2026-11-30T00:22:34.458Z", kind: "main" })}\n{"$set":{}}\n`;

async function idOf(...args: readonly string[]): Promise<string | undefined> {
  const entry = processOf(7, { file: "/lib/@google/gemini-cli/bundle/gemini.js", packageName: "@google/gemini-cli", args, isScript: true });
  const told = await gemini.tellOf?.(runOf("gemini", entry.identity), censusOf(entry), noAbort);
  expect((await gemini.captureId?.(runOf("gemini", entry.identity), censusOf(entry), noAbort))?.id).toBe(told?.conversation?.id);
  return told?.conversation?.id;
}

test("its id is what it was started with, else not captured", async () => {
  expect(await idOf("--resume", id)).toBe(id);
  expect(await idOf("-m", "pro", `--session-id=${id}`)).toBe(id);
  expect(await idOf("--resume", "latest")).toBeUndefined();
  expect(await idOf("--resume", "5")).toBeUndefined();
  expect(await idOf("-i", `look at --resume ${id}`)).toBeUndefined();
  expect(await idOf()).toBeUndefined();
});

test("its last words name the conversation", () => {
  const words = `│  Session ID:                 ${id}      │\n│  Tool Calls: 0 │\n│  To resume this session: gemini --resume ${id}     │\n`;
  expect(gemini.idFromLastWords?.(words)).toBe(id);
  expect(gemini.idFromLastWords?.("gemini --resume latest")).toBeUndefined();
});

test("a conversation can be resumed where a file's first line names it", async () => {
  await withFolder(async (home) => {
    const asked = (of: string) => gemini.canResume({ agent: "gemini", id: of, toldBy: "exit", home }, undefined, noAbort);
    await put(join(home, "tmp", "app", "chats", `session-2026-11-30T00-22-${id.slice(0, 8)}.jsonl`), chat(id.replace("5b56", "ffff")));
    expect(await asked(id)).toMatchObject({ value: false, seen: `no transcript of it was found in ${join(home, "tmp")}` });
    await put(join(home, "tmp", "other", "chats", `session-2026-11-30T00-23-${id.slice(0, 8)}.jsonl`), chat(id));
    expect(await asked(id)).toMatchObject({ value: true, seen: "its transcript was found" });
    expect(await asked("latest")).toMatchObject({ value: false });
  });
});

test("resume names the id, and the home only where it is not the usual one", async () => {
  const conversation = { agent: "gemini", id, toldBy: "agent" } as const;
  expect(await gemini.resumeCommand({ ...conversation, home: join(homedir(), ".gemini") }, "/srv/app")).toEqual({
    argv: ["gemini", "--resume", id],
    cwd: "/srv/app",
  });
  expect(await gemini.resumeCommand({ ...conversation, home: "/srv/them/.gemini" }, undefined)).toEqual({
    argv: ["gemini", "--resume", id],
    env: { GEMINI_CLI_HOME: "/srv/them" },
  });
});
