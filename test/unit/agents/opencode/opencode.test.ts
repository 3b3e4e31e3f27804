import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { opencode } from "../../../../src/agents/opencode/opencode.ts";
import type { Conversation } from "../../../../src/core/facet.ts";
import { censusOf, noAbort, processOf, runOf } from "../seen.ts";

const id = "ses_dd5b19e5bffe0VqIiarOGrEtls";

async function idOf(...args: readonly string[]): Promise<string | undefined> {
  const entry = processOf(7, { file: "/lib/opencode-ai/bin/opencode.exe", packageName: "opencode-ai", args, isScript: false }, ["opencode", ...args]);
  const told = await opencode.tellOf?.(runOf("opencode", entry.identity), censusOf(entry), noAbort);
  expect((await opencode.captureId?.(runOf("opencode", entry.identity), censusOf(entry), noAbort))?.id).toBe(told?.conversation?.id);
  return told?.conversation?.id;
}

test("its id is the session that it was started with, else not captured", async () => {
  expect(await idOf("-s", id)).toBe(id);
  expect(await idOf("--session", id, "/srv/app")).toBe(id);
  expect(await idOf("-s", id, "--fork")).toBeUndefined();
  expect(await idOf("--continue")).toBeUndefined();
  expect(await idOf("-s", "../x")).toBeUndefined();
});

test("its last words name the session", () => {
  expect(opencode.idFromLastWords?.(`  Session   fix the login form\n  Continue  opencode -s ${id}\nroot@build:/srv/app# `)).toBe(id);
  expect(opencode.idFromLastWords?.("opencode -s latest")).toBeUndefined();
});

test("an id that OpenCode named itself can be resumed; of any other it is not known here", async () => {
  const asked = (toldBy: Conversation["toldBy"]) => opencode.canResume({ agent: "opencode", id, toldBy }, undefined, noAbort);
  expect(await asked("exit")).toMatchObject({ value: true, seen: "OpenCode itself named it" });
  expect(await asked("record")).toMatchObject({ value: false, seen: "OpenCode's database was not asked for it" });
});

test("resume names the id, and the data folder only where it is not the usual one", async () => {
  const conversation = { agent: "opencode", id, toldBy: "agent" } as const;
  const usual = join(homedir(), ".local", "share", "opencode");
  expect(await opencode.resumeCommand({ ...conversation, home: usual }, "/srv/app")).toEqual({ argv: ["opencode", "-s", id], cwd: "/srv/app" });
  expect(await opencode.resumeCommand({ ...conversation, home: "/srv/data/opencode" }, undefined)).toEqual({
    argv: ["opencode", "-s", id],
    env: { XDG_DATA_HOME: "/srv/data" },
  });
});
