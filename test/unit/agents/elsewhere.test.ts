import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { claude } from "../../../src/agents/claude/claude.ts";
import { cline } from "../../../src/agents/cline/cline.ts";
import { codex } from "../../../src/agents/codex/codex.ts";
import { copilot } from "../../../src/agents/copilot/copilot.ts";
import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { hermes } from "../../../src/agents/hermes.ts";
import { opencode } from "../../../src/agents/opencode/opencode.ts";
import type { Agent } from "../../../src/core/agent.ts";
import { aFolder } from "../../support/folder.ts";

let folder: Awaited<ReturnType<typeof aFolder>>;
let person: string;
beforeEach(async () => {
  folder = await aFolder();
  person = join(folder.path, "person");
  await mkdir(join(person, ".claude"), { recursive: true });
  vi.stubEnv("HOME", person);
  for (const { variable } of variables) vi.stubEnv(variable, undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await folder[Symbol.asyncDispose]();
});

const resumed = (agent: Agent, home: string | undefined) =>
  agent.resumeCommand({ agent: agent.id, id: "an-id", toldBy: "agent", ...(home !== undefined && { home }) }, undefined);

const variables: readonly { readonly agent: Agent; readonly variable: string; readonly below: string; readonly value?: (home: string) => string }[] = [
  { agent: claude, variable: "CLAUDE_CONFIG_DIR", below: ".claude" },
  { agent: codex, variable: "CODEX_HOME", below: ".codex" },
  { agent: copilot, variable: "COPILOT_HOME", below: ".copilot" },
  { agent: hermes, variable: "HERMES_HOME", below: ".hermes" },
  { agent: gemini, variable: "GEMINI_CLI_HOME", below: ".gemini", value: (home) => join(home, "..") },
  { agent: opencode, variable: "XDG_DATA_HOME", below: ".local/share/opencode", value: (home) => join(home, "..") },
];

test.each(variables)(
  "$agent.name: what lies where it looks anyhow needs no word, and what lies elsewhere is named",
  async ({ agent, variable, below, value }) => {
    expect((await resumed(agent, join(person, below))).env).toBeUndefined();
    const other = join(folder.path, "other", below);
    expect((await resumed(agent, other)).env).toEqual({ [variable]: value?.(other) ?? other });
    expect((await resumed(agent, undefined)).env).toBeUndefined();
  },
);

test.each(variables)(
  "$agent.name: with $variable set where we run, it is unset for the usual folder and left for its own",
  async ({ agent, variable, below, value }) => {
    const ours = join(folder.path, "ours", below);
    vi.stubEnv(variable, value?.(ours) ?? ours);
    expect((await resumed(agent, join(person, below))).env).toEqual({ [variable]: undefined });
    expect((await resumed(agent, ours)).env).toBeUndefined();
  },
);

test("a HOME that is a link, or ends in a slash, is no other place", async () => {
  await symlink(person, join(folder.path, "link"));
  for (const home of [join(folder.path, "link"), `${person}/`]) {
    vi.stubEnv("HOME", home);
    expect((await resumed(claude, join(person, ".claude"))).env).toBeUndefined();
  }
  vi.stubEnv("HOME", person);
  expect((await resumed(claude, join(folder.path, "link", ".claude/"))).env).toBeUndefined();
});

test("Cline is told by an argument, which goes before whatever our environment says", async () => {
  const usual = join(person, ".cline", "data");
  for (const [name, value] of [
    ["CLINE_DATA_DIR", undefined],
    ["CLINE_DATA_DIR", join(folder.path, "data")],
  ] as const) {
    vi.stubEnv("CLINE_DIR", undefined);
    vi.stubEnv(name, value);
    const other = join(folder.path, "other");
    expect((await resumed(cline, other)).argv).toEqual(["cline", "--data-dir", other, "--id", "an-id"]);
    expect((await resumed(cline, value ?? usual)).argv).toEqual(["cline", "--id", "an-id"]);
  }
  expect((await resumed(cline, usual)).argv).toContain("--data-dir");
});
