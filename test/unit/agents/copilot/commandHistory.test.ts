import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { copilot } from "../../../../src/agents/copilot/copilot.ts";
import { eraseAll, planIn } from "../aHome.ts";
import { put, withFolder } from "../seen.ts";

const id = "846a261b-1686-45ee-b34d-5caf3d99c056";
const other = "846a261b-1111-45ee-b34d-5caf3d99c056";
const schema = readFileSync(new URL("../../../fixtures/copilot/session-store-1.0.102.sql", import.meta.url), "utf8");

/** Two conversations that were asked the same, of which one was asked something else too. */
async function makeHome(home: string): Promise<string> {
  await putEvents(home, id, "asked by both", "asked by one");
  await putEvents(home, other, "asked by both");
  return put(join(home, "command-history-state.json"), JSON.stringify({ commandHistory: ["asked by both", "asked by one"] }));
}

function putEvents(home: string, of: string, ...asked: readonly string[]): Promise<string> {
  const lines = asked.map((content) => `${JSON.stringify({ type: "user.message", data: { content } })}\n`);
  return put(join(home, "session-state", of, "events.jsonl"), lines.join(""));
}

async function leftOf(path: string): Promise<unknown> {
  return (JSON.parse(await readFile(path, "utf8")) as { readonly commandHistory: unknown }).commandHistory;
}

test("what another conversation was asked too stays where no session store tells of it", async () => {
  await withFolder(async (home) => {
    const path = await makeHome(home);
    const plan = await planIn(copilot, home, id);
    expect(plan.leftAlone).toMatchObject([{ path, holds: "text" }]);
    await eraseAll(plan);
    expect(await leftOf(path)).toEqual(["asked by both"]);
  });
});

test("what an earlier version's transcript tells of another conversation stays", async () => {
  await withFolder(async (home) => {
    const path = await makeHome(home);
    await put(join(home, "history-session-state", `session_${other}_1.json`), JSON.stringify({ chatMessages: [{ content: "asked by one" }] }));
    await eraseAll(await planIn(copilot, home, id));
    expect(await leftOf(path)).toEqual(["asked by both", "asked by one"]);
  });
});

test.each(["damaged", "held by another program"])("nothing goes out of the command history while the session store is %s, and that is said", async (state) => {
  await withFolder(async (home) => {
    const path = await makeHome(home);
    const database = state === "damaged" ? undefined : new Sqlite(join(home, "session-store.db"));
    onTestFinished(() => void database?.close());
    if (database) database.exec(`${schema} BEGIN EXCLUSIVE`);
    else await put(join(home, "session-store.db"), "no database".repeat(1_000));
    const plan = await planIn(copilot, home, id);
    expect(plan.stores.map((store) => store.path)).not.toContain(path);
    expect(plan.leftAlone).toContainEqual(expect.objectContaining({ path, holds: "text" }));
  });
});
