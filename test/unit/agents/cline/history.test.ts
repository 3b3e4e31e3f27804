import { chmodSync } from "node:fs";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cline } from "../../../../src/agents/cline/cline.ts";
import type { LeftAlone } from "../../../../src/core/store.ts";
import { eraseAll, planIn } from "../aHome.ts";
import { runHeld } from "../runHeld.ts";
import { put, withFolder } from "../seen.ts";
import { open, withDataFolder } from "./aDataFolder.ts";
import { folderOf, id, marker, neighbour } from "./names.ts";

const transcript = (...typed: readonly string[]) =>
  JSON.stringify({ messages: [{ role: "user", content: typed.map((text) => ({ type: "text", text: `<user_input mode="act">${text}</user_input>` })) }] });
const kept = (...prompts: readonly string[]) => prompts.map((prompt) => `${JSON.stringify({ prompt, ts: 1 })}\n`).join("");
const historyOf = (home: string) => join(home, "cache/user_input_history.jsonl");

test("a prompt history that is a link is no place of a conversation that has none of its prompts", async () => {
  await withFolder(async (home) => {
    await put(folderOf(home, id, `${id}.messages.json`), transcript("of it"));
    await mkdir(join(home, "cache"));
    await symlink(await put(join(home, "elsewhere"), kept("theirs")), historyOf(home));
    expect((await planIn(cline, home, id)).stores.map(({ name }) => name)).toEqual(["transcript"]);
  });
});

test("a prompt that another conversation has with a blank around it stays", async () => {
  await withFolder(async (home) => {
    await put(folderOf(home, id, `${id}.messages.json`), transcript("release it", "of it"));
    await put(folderOf(home, neighbour, `${neighbour}.messages.json`), transcript("release it \n"));
    const path = await put(historyOf(home), kept("release it", "of it "));
    const plan = await planIn(cline, home, id);
    expect(plan.leftAlone).toMatchObject([{ path, holds: "text" }]);
    await eraseAll(plan);
    expect(await readFile(path, "utf8")).toBe(kept("release it"));
  });
});

test("a prompt stays that another conversation has whose transcript lies elsewhere, by its record", async () => {
  await withDataFolder(async (home, folder) => {
    const elsewhere = await put(join(folder, "elsewhere.json"), transcript(`hello ${marker}`));
    const database = open(home, "sessions.db");
    database.prepare("UPDATE sessions SET messages_path = ? WHERE session_id = ?").run(elsewhere, neighbour);
    database.close();
    await eraseAll(await planIn(cline, home, id));
    expect(await readFile(historyOf(home), "utf8")).toContain(`"hello ${marker}"`);
  });
});

test.each(["a folder", "a file"])("every prompt stays while another conversation has %s that can't be read", async (closed) => {
  await withFolder(async (home) => {
    await put(folderOf(home, id, `${id}.messages.json`), transcript("release it"));
    const theirs = await put(folderOf(home, neighbour, `${neighbour}.messages.json`), transcript("release it"));
    const path = await put(historyOf(home), kept("release it"));
    const unread = closed === "a file" ? theirs : folderOf(home, neighbour);
    chmodSync(unread, 0);
    const { stores, leftAlone } = planHeld(home);
    chmodSync(unread, 0o700);
    expect(stores).toEqual([folderOf(home, id)]);
    expect(leftAlone).toContainEqual(expect.objectContaining({ path, holds: "text" }));
  });
});

function planHeld(home: string): { readonly stores: readonly string[]; readonly leftAlone: readonly LeftAlone[] } {
  return runHeld(fileURLToPath(new URL("../planHeld.ts", import.meta.url)), "cline", home, id) as ReturnType<typeof planHeld>;
}
