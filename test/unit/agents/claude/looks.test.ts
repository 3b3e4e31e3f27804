import type * as files from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { claude } from "../../../../src/agents/claude/claude.ts";
import { projectKey } from "../../../../src/agents/claude/transcripts.ts";
import { noAbort, put, withFolder } from "../seen.ts";

const asked = vi.hoisted((): string[] => []);
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof files>();
  return { ...real, stat: (path: string) => (asked.push(path), real.stat(path)) };
});

const id = "660c5869-72ef-43d0-9e25-d2d868d4b84e";
const cwd = "/home/someone/app";
const isFound = async (home: string) => (await claude.canResume({ agent: "claude", id, toldBy: "agent", home }, cwd, noAbort)).value;
const looksInto = (folder: string) => asked.splice(0).filter((path) => path.includes(folder)).length;

test("a session without a transcript is not looked for in every folder each time, and found as soon as it has one", async () => {
  await withFolder(async (home) => {
    for (let n = 0; n < 50; n++) await put(join(home, "projects", `-other-${n}`, "notes.md"), "");
    expect(await isFound(home)).toBe(false);
    expect(looksInto("-other-")).toBe(50);
    for (let times = 0; times < 3; times++) expect(await isFound(home)).toBe(false);
    expect(looksInto("-other-")).toBe(0);
    await put(join(home, "projects", "-other-new", `${id}.jsonl`), "");
    expect(await isFound(home)).toBe(true);
    await put(join(home, "projects", projectKey(cwd), `${id}.jsonl`), "");
    expect(await isFound(home)).toBe(true);
  });
});

test("one that lies where it began is looked for once", async () => {
  await withFolder(async (home) => {
    for (let n = 0; n < 50; n++) await put(join(home, "projects", `-other-${n}`, "notes.md"), "");
    await put(join(home, "projects", "-where-it-began", `${id}.jsonl`), "");
    expect(await isFound(home)).toBe(true);
    looksInto("");
    expect(await isFound(home)).toBe(true);
    expect(looksInto("-other-")).toBe(0);
  });
});
