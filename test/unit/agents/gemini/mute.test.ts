import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gemini } from "../../../../src/agents/gemini/gemini.ts";
import { planIn } from "../aHome.ts";
import { put, withFolder } from "../seen.ts";

const id = "676ceaac-5b56-4c26-892b-53de79a14935";
const at = (time: string) => new Date(`2026-11-30T${time}.000Z`);

test("where nothing that was said is long enough to be known by, a copy that was saved meanwhile is told, and no other", async () => {
  await withFolder(async (home) => {
    const project = join(home, "tmp", "app");
    const said = (type: string, time: string, content: string) => `${JSON.stringify({ type, timestamp: at(time), content })}\n`;
    const words = said("user", "00:20:00", "fix it") + said("gemini", "00:30:00", "It is fixed.");
    await put(join(project, "chats", `session-2026-11-30T00-20-${id.slice(0, 8)}.jsonl`), `{"sessionId":"${id}"}\n${words}`);
    const copy = async (name: string, time: string) => {
      const path = await put(join(project, `checkpoint-${name}.json`), `{"history":[{"parts":[{"text":"fix it"}]}]}`);
      await utimes(path, at(time), at(time));
      return path;
    };
    await copy("before", "00:10:00");
    const meanwhile = [await copy("after", "00:31:00"), await copy("meanwhile", "00:25:00")];
    await copy("later", "02:00:00");
    const { leftAlone } = await planIn(gemini, home, id);
    expect(leftAlone.map(({ path, holds }) => [path, holds])).toEqual(meanwhile.map((path) => [path, "text"]));
  });
});

test("an answer is known by its beginning, also where that ends amid a character", async () => {
  await withFolder(async (home) => {
    const project = join(home, "tmp", "app");
    const answer = `${"a".repeat(199)}🦭 and more`;
    await put(
      join(project, "chats", `session-2026-11-30T00-20-${id.slice(0, 8)}.jsonl`),
      `{"sessionId":"${id}"}\n${JSON.stringify({ type: "gemini", content: answer })}\n`,
    );
    const path = await put(join(project, "checkpoint-mine.json"), JSON.stringify({ history: [{ parts: [{ text: answer }] }] }));
    expect((await planIn(gemini, home, id)).leftAlone).toMatchObject([{ path, holds: "text" }]);
  });
});
