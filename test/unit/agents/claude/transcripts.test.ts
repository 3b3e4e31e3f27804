import { appendFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claude } from "../../../../src/agents/claude/claude.ts";
import { findLastPrompt, projectKey } from "../../../../src/agents/claude/transcripts.ts";
import { noAbort, put, withFolder } from "../seen.ts";

const id = "660c5869-72ef-43d0-9e25-d2d868d4b84e";
const cwd = "/home/someone/app";
const line = (value: object) => `${JSON.stringify(value)}\n`;
const canResume = async (home: string, at: string | undefined = cwd, asked = id) =>
  claude.canResume({ agent: "claude", id: asked, toldBy: "agent", home }, at, noAbort);

// Folder names that 2.1.332 and 2.1.197 really made.
test.each([
  ["/home/someone/a_b.c d@é", "-home-someone-a-b-c-d--"],
  ["/emoji😀x", "-emoji--x"],
  ["/한글디렉터리", "-------"],
  ["/e\u0301", "-e-"],
  [`/${"x".repeat(199)}`, `-${"x".repeat(199)}`],
])("the folder of %s is %s", (folder, key) => {
  expect(projectKey(folder)).toBe(key);
});

test("a folder of more than 200 units gets a short name with a hash of the whole", () => {
  const [a, b] = [projectKey(`/${"x".repeat(250)}a`), projectKey(`/${"x".repeat(250)}b`)];
  expect(a).toMatch(/^-x{199}-[0-9a-z]+$/);
  expect(a).not.toBe(b);
});

test("a conversation can be resumed where its transcript is found under its folder's own key", async () => {
  await withFolder(async (home) => {
    await put(join(home, "projects", projectKey(cwd), `${id}.jsonl`), line({ type: "mode" }));
    expect(await canResume(home)).toMatchObject({ value: true, seen: "its transcript was found" });
  });
});

test("a conversation that was resumed elsewhere is found where it began", async () => {
  await withFolder(async (home) => {
    await put(join(home, "projects", "-home-someone-first", `${id}.jsonl`), line({ type: "mode" }));
    expect(await canResume(home)).toMatchObject({ value: true });
    expect(await canResume(home, undefined)).toMatchObject({ value: true });
  });
});

test("before the first prompt there is no transcript, and nothing to resume", async () => {
  await withFolder(async (home) => {
    await put(join(home, "projects", projectKey(cwd), "memory", "notes.md"), "");
    expect(await canResume(home)).toMatchObject({ value: false, seen: `no transcript of it was found in ${join(home, "projects")}` });
  });
});

test("what is no id is never looked for", async () => {
  await withFolder(async (home) => {
    await put(join(home, "secret.jsonl"), "");
    expect(await canResume(join(home, "x"), cwd, "../../secret")).toMatchObject({ value: false });
  });
});

test("the title is the last prompt of a person, read again when the transcript grows", async () => {
  await withFolder(async (home) => {
    const user = (content: unknown, more: object = {}) => line({ type: "user", message: { role: "user", content }, isSidechain: false, ...more });
    const path = await put(
      join(home, "projects", projectKey(cwd), `${id}.jsonl`),
      user("first prompt") +
        user([{ type: "tool_result", content: "done" }]) +
        user("<command-name>/config</command-name>") +
        user("asked by a tool", { isSidechain: true }) +
        "{broken",
    );
    expect(await findLastPrompt(home, id, cwd)).toBe("first prompt");
    await appendFile(path, `\n${line({ type: "last-prompt", lastPrompt: "second prompt", sessionId: id })}`);
    expect(await findLastPrompt(home, id, cwd)).toBe("second prompt");
    await appendFile(path, line({ type: "api-request", params: "x".repeat(100_000) }));
    expect(await findLastPrompt(home, id, cwd)).toBe("second prompt");
  });
});

test("resume names the id, and the config home only where it is not the usual one", async () => {
  const conversation = { agent: "claude", id, toldBy: "agent" } as const;
  expect(await claude.resumeCommand({ ...conversation, home: join(homedir(), ".claude") }, cwd)).toEqual({ argv: ["claude", "--resume", id], cwd });
  expect(await claude.resumeCommand({ ...conversation, home: "/srv/claude" }, cwd)).toEqual({
    argv: ["claude", "--resume", id],
    cwd,
    env: { CLAUDE_CONFIG_DIR: "/srv/claude" },
  });
});

test("where it puts temporary files is told only where its environment names a place", () => {
  const told = (...variables: readonly (readonly [string, string])[]) => claude.temporaryFolderOf?.(new Map(variables));
  expect(told(["TMPDIR", "/srv/tmp"], ["CLAUDE_CODE_TMPDIR", "/srv/claude"])).toBe("/srv/claude");
  expect(told(["TMPDIR", "/srv/tmp"], ["CLAUDE_CODE_TMPDIR", ""])).toBe("/srv/tmp");
  expect(told(["HOME", "/home/someone"])).toBeUndefined();
});

test("its config home is CLAUDE_CONFIG_DIR, else below HOME", () => {
  expect(claude.configHomeOf(new Map([["HOME", "/home/someone"]]))).toBe("/home/someone/.claude");
  expect(
    claude.configHomeOf(
      new Map([
        ["HOME", "/home/someone"],
        ["CLAUDE_CONFIG_DIR", "/srv/claude"],
      ]),
    ),
  ).toBe("/srv/claude");
  expect(claude.configHomeOf(new Map())).toBeUndefined();
});
