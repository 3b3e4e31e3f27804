import { chmodSync, existsSync } from "node:fs";
import { readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { gemini } from "../../../../src/agents/gemini/gemini.ts";
import type { LeftAlone } from "../../../../src/core/store.ts";
import { eraseAll, planIn } from "../aHome.ts";
import { runHeld } from "../runHeld.ts";
import { put, withFolder } from "../seen.ts";

const id = "676ceaac-5b56-4c26-892b-53de79a14935";
const other = "0b7c1c55-1111-4c26-892b-53de79a14935";
const project = (home: string) => join(home, "tmp", "app");
const chatOf = (home: string, of: string, inProject = "app") => join(home, "tmp", inProject, "chats", `session-2026-11-30T00-22-${of.slice(0, 8)}.jsonl`);
const lines = (of: string, ...texts: readonly string[]) =>
  [{ sessionId: of }, ...texts.map((text) => ({ type: "user", content: [{ text }] }))].map((line) => `${JSON.stringify(line)}\n`).join("");
const ran = (command: string) => `I ran the following shell command:\n\`\`\`sh\n${command}\n\`\`\`\n`;
const inBackground = "Command moved to background (PID: 4242)";

/** Two conversations that both ran one command, of which the prompt history tells nothing. */
async function makeHome(home: string): Promise<string> {
  await put(chatOf(home, id), lines(id, ran("npm test"), ran("make own")));
  await put(chatOf(home, other), lines(other, ran("npm test")));
  return put(join(project(home), "shell_history"), "npm test\nmake own");
}

test("a command that another's transcript tells of stays, where the prompt history does not tell of it", async () => {
  await withFolder(async (home) => {
    const path = await makeHome(home);
    const plan = await planIn(gemini, home, id);
    expect(plan.leftAlone).toMatchObject([{ path, holds: "text" }]);
    await eraseAll(plan);
    expect(await readFile(path, "utf8")).toBe("npm test\n");
  });
});

test.each(["logs.json", "chats/session-2026-11-30T00-30-0b7c1c55.json"])("all commands stay where %s is damaged", async (file) => {
  await withFolder(async (home) => {
    const path = await makeHome(home);
    await rm(chatOf(home, other));
    await put(join(project(home), file), "[{");
    const plan = await planIn(gemini, home, id);
    expect(plan.stores.map((store) => store.path)).not.toContain(path);
    expect(plan.leftAlone).toContainEqual(expect.objectContaining({ path, holds: "text" }));
  });
});

test.each(["a file", "a folder"])("what a command said stays where another's transcript is in %s that can't be read", async (closed) => {
  await withFolder(async (home) => {
    await put(chatOf(home, id), lines(id, inBackground));
    const theirs = await put(chatOf(home, other, "else"), lines(other, inBackground));
    const log = await put(join(home, "tmp", "background-processes", "background-4242.log"), "theirs");
    const unread = closed === "a file" ? theirs : join(theirs, "..");
    chmodSync(unread, 0);
    const { stores, leftAlone } = planHeld(home);
    chmodSync(unread, 0o700);
    expect(stores).not.toContain(log);
    expect(leftAlone).toContainEqual(expect.objectContaining({ path: log, holds: "text" }));
    expect(existsSync(log)).toBe(true);
  });
});

test("of a command of several lines each goes that no other's command has", async () => {
  await withFolder(async (home) => {
    await put(chatOf(home, id), lines(id, ran("for each in a; do\n\n  own $each\ndone")));
    await put(chatOf(home, other), lines(other, ran("while true; do\n  theirs\ndone")));
    const path = await put(join(project(home), "shell_history"), "for each in a; do\n\n  own $each\ndone\nwhile true; do\n  theirs\ndone\n");
    const plan = await planIn(gemini, home, id);
    expect(plan.leftAlone).toMatchObject([{ path, holds: "text" }]);
    await eraseAll(plan);
    expect(await readFile(path, "utf8")).toBe("\ndone\nwhile true; do\n  theirs\ndone\n");
  });
});

test("a history of shell commands that is a link is no place of a conversation that ran none", async () => {
  await withFolder(async (home) => {
    const chat = await put(chatOf(home, id), lines(id, "hello there"));
    await symlink(await put(join(home, "elsewhere"), "make theirs\n"), join(project(home), "shell_history"));
    expect((await planIn(gemini, home, id)).stores.map(({ path }) => path)).toEqual([chat]);
  });
});

test("a saved copy is known by the answers too, where every prompt is short", async () => {
  await withFolder(async (home) => {
    const answer = `That is "done": ${"it was the walrus. ".repeat(30)}`;
    await put(chatOf(home, id), `${lines(id, "fix it")}${JSON.stringify({ type: "gemini", content: answer })}\n`);
    const path = await put(join(project(home), "checkpoint-mine.json"), JSON.stringify({ history: [{ parts: [{ text: answer }] }] }));
    await put(join(project(home), "checkpoint-else.json"), JSON.stringify({ history: [{ parts: [{ text: "fix it" }] }] }));
    expect((await planIn(gemini, home, id)).leftAlone).toMatchObject([{ path, holds: "text" }]);
  });
});

test("what others were asked of the id is told, where the prompt history has its own prompts too", async () => {
  await withFolder(async (home) => {
    await put(chatOf(home, id), lines(id, "tell me of the walrus"));
    const entries = [
      { sessionId: id, message: "tell me of the walrus" },
      { sessionId: other, message: `what did ${id} do` },
    ];
    const path = await put(join(project(home), "logs.json"), JSON.stringify(entries));
    const { stores, leftAlone } = await planIn(gemini, home, id);
    expect(stores.map((store) => store.path)).toContain(path);
    expect(leftAlone).toMatchObject([{ path, holds: "id" }]);
  });
});

function planHeld(home: string): { readonly stores: readonly string[]; readonly leftAlone: readonly LeftAlone[] } {
  return runHeld(fileURLToPath(new URL("../planHeld.ts", import.meta.url)), "gemini", home, id) as ReturnType<typeof planHeld>;
}
