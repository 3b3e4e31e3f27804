import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../../src/agents/agents.ts";
import { agy } from "../../../src/agents/agy.ts";
import { hermes } from "../../../src/agents/hermes.ts";
import { censusOf, noAbort, processOf, put, runOf, withFolder } from "./seen.ts";

const id = "0cb916db-26aa-40f2-86b5-1ba81b225fd2";
const session = "20261130_022356_0af3c1";

describe("agy", () => {
  test("its id is the conversation that it was started with, else not captured", async () => {
    const idOf = async (...args: string[]) => {
      const entry = processOf(7, { file: "/home/someone/.local/bin/agy", packageName: undefined, args, isScript: false }, ["agy", ...args]);
      return (await agy.captureId?.(runOf("agy", entry.identity), censusOf(entry), noAbort))?.id;
    };
    expect(await idOf("--conversation", id)).toBe(id);
    expect(await idOf("--conversation", "latest")).toBeUndefined();
    expect(await idOf("-c")).toBeUndefined();
  });

  test.each(["db", "pb"])("a conversation can be resumed where its .%s is found", async (ending) => {
    await withFolder(async (home) => {
      const asked = (of: string) => agy.canResume({ agent: "agy", id: of, toldBy: "agent", home }, undefined, noAbort);
      expect(await asked(id)).toMatchObject({ value: false });
      await put(join(home, "conversations", `${id}.${ending}`), "");
      expect(await asked(id)).toMatchObject({ value: true, seen: "its transcript was found" });
      expect(await asked("../x")).toMatchObject({ value: false });
    });
  });

  test("resume names the id", async () => {
    expect(await agy.resumeCommand({ agent: "agy", id, toldBy: "agent" }, "/srv/app")).toEqual({ argv: ["agy", "--conversation", id], cwd: "/srv/app" });
  });
});

describe("hermes", () => {
  test("its id is the session that it was started with, else not captured", async () => {
    const idOf = async (...args: string[]) => {
      const entry = processOf(7, undefined, ["/home/someone/.hermes/hermes-agent/venv/bin/python", "/home/someone/.local/bin/hermes", ...args]);
      return (await hermes.captureId?.(runOf("hermes", entry.identity), censusOf(entry), noAbort))?.id;
    };
    expect(await idOf("--resume", session)).toBe(session);
    expect(await idOf("--resume", "latest")).toBeUndefined();
    expect(await idOf("-c")).toBeUndefined();
  });

  test("resume names the id, and the home only where it is not the usual one", async () => {
    const conversation = { agent: "hermes", id: session, toldBy: "exit" } as const;
    expect(await hermes.resumeCommand({ ...conversation, home: join(homedir(), ".hermes") }, undefined)).toEqual({ argv: ["hermes", "--resume", session] });
    expect(await hermes.resumeCommand({ ...conversation, home: "/srv/hermes" }, undefined)).toEqual({
      argv: ["hermes", "--resume", session],
      env: { HERMES_HOME: "/srv/hermes" },
    });
  });

  test("its last words name the session", () => {
    expect(hermes.idFromLastWords?.(`Resume with: hermes --resume ${session}\n$ `)).toBe(session);
  });
});

test("nothing of either is deleted: what was never tried here is told of, with every place and in its order", () => {
  for (const agent of [agy, hermes]) expect(agent).not.toHaveProperty("stores");
  const agyPlaces = ["<id>.db-wal", "<id>.pb", "brain/<id>", "parent_conversation_id", "history.jsonl", "last_conversations.json", "cli-*.log"];
  for (const place of agyPlaces) expect(agy.storesByHand.join("\n")).toContain(place);
  const hermesPlaces = [
    "hermes sessions delete <id> --yes",
    "session_<id>.json",
    "<id>.jsonl",
    "request_dump_<id>_*.json",
    "terminal-sessions",
    "profiles/<name>",
  ];
  const told = hermes.storesByHand.join("\n");
  expect(hermesPlaces.map((place) => told.indexOf(place))).toEqual(hermesPlaces.map((place) => told.indexOf(place)).toSorted((a, b) => a - b));
  expect(told.indexOf("hermes sessions delete")).toBeGreaterThan(0);
});

test("agents are asked by a signal and given 5 s, and each says where its conversations lie", () => {
  expect(agents.map(({ id }) => id)).toEqual(["claude", "codex", "gemini", "copilot", "opencode", "cline", "agy", "hermes"]);
  for (const { ask, storesByHand } of agents) {
    expect(ask).toMatchObject({ signal: "SIGTERM", graceMs: 5_000 });
    expect(storesByHand.length).toBeGreaterThan(0);
  }
});
