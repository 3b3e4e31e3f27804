import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { gemini } from "../../../../src/agents/gemini/gemini.ts";
import { eraseAll, holding, planIn, residueOf, treeOf } from "../aHome.ts";
import { put, withFolder } from "../seen.ts";

const id = "676ceaac-5b56-4c26-892b-53de79a14935";
/** It begins with the same 8 characters. */
const near = "676ceaac-1111-4c26-892b-53de79a14935";
const subagent = "0b7c1c55-5b0e-4d2f-9a3c-2f8f9c2a6c11";
const marker = "tell me of the purple walrus";

const lines = (...records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const user = (text: string, timestamp = "2026-11-30T00:22:41.070Z") => ({ id: randomUUID(), timestamp, type: "user", content: [{ text }] });
const header = (sessionId: string) => ({
  sessionId,
  projectHash: "51ef",
  startTime: "2026-11-30T00:22:34.458Z",
  lastUpdated: "2026-11-30T00:22:34.458Z",
  kind: "main",
});
const ran = (command: string) =>
  user(`I ran the following shell command:\n\`\`\`sh\n${command}\n\`\`\`\n\nThis produced the following result:\n\`\`\`\n\`\`\``);
const logged = (sessionId: string, message: string, messageId = 0) => ({ sessionId, messageId, type: "user", message, timestamp: "2026-11-30T00:22:41.044Z" });
const log = (...entries: readonly object[]) => JSON.stringify(entries, null, 2);

const project = (home: string) => join(home, "tmp", "app");
const chatFile = (home: string, of: string, minute = "00-22") => join(project(home), "chats", `session-2026-11-30T${minute}-${of.slice(0, 8)}.jsonl`);

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A conversation with all that it can have, and a neighbour in the same folder. */
async function makeHome(home: string): Promise<void> {
  await put(chatFile(home, id), lines(header(id), user("<session_context>\nThis is the Gemini CLI."), user(marker), ran("echo own"), ran("echo both")));
  await put(chatFile(home, id, "00-40"), lines(header(id), { $set: { sessionId: id } }, user("taken up again")));
  await put(join(project(home), "chats", id, `${subagent}.jsonl`), lines({ ...header(subagent), kind: "subagent" }, user(marker)));
  for (const of of [id, near, subagent]) {
    await put(join(project(home), "tool-outputs", `session-${of}`, "run_shell_command_1.txt"), of === near ? "other" : marker);
    await put(join(project(home), "logs", `session-${of}.jsonl`), of === near ? "{}\n" : `${marker}\n`);
    await put(join(project(home), of, "plans", "plan.md"), of === near ? "other" : marker);
  }
  await put(join(project(home), "checkpoints", "1-made.txt-write_file.json"), JSON.stringify({ history: [marker], messageId: `${id}########2` }));
  await put(join(project(home), "checkpoints", "2-made.txt-write_file.json"), JSON.stringify({ history: [], messageId: `${near}########2` }));
  await put(chatFile(home, near, "00-30"), lines(header(near), user("hello"), ran("echo both"), ran("echo others")));
  await put(join(project(home), "logs.json"), log(logged(id, marker), logged(near, "echo both"), logged(id, "echo own", 1), logged(near, "echo others", 1)));
  await put(join(project(home), "shell_history"), "echo own\necho both\necho others");
  await put(join(project(home), ".project_root"), "/srv/app");
  await put(join(home, "projects.json"), JSON.stringify({ projects: { "/srv/app": "app" } }));
}

test("every store of a conversation goes, the transcripts last, and a second plan finds nothing", async () => {
  await withFolder(async (home) => {
    await makeHome(home);
    const plan = await planIn(gemini, home, id);
    expect(plan.stores.map(({ name }) => name)).toEqual([
      "long outputs of a subagent's tools",
      "a subagent's log",
      "a subagent's plans and tasks",
      "dialogues of its subagents",
      "long outputs of its tools",
      "its log",
      "its plans and tasks",
      "a checkpoint",
      "its lines in the history of shell commands",
      "its entries in the prompt history",
      "transcript",
      "transcript",
    ]);
    expect(plan.stores.every(({ bytes }) => bytes !== undefined && bytes > 0)).toBe(true);
    expect(plan.leftAlone).toEqual([
      {
        name: "some of its shell commands",
        path: join(project(home), "shell_history"),
        why: "another conversation ran the same ones, or may have",
        holds: "text",
      },
    ]);
    expect((await eraseAll(plan)).every(([, outcome]) => outcome === "erased")).toBe(true);
    expect(await residueOf(plan)).toEqual([]);
    expect(await holding(home, id, subagent, marker, "taken up again")).toEqual([]);
    expect(await planIn(gemini, home, id)).toEqual({ stores: [], leftAlone: [] });
  });
});

test("a neighbour whose id begins alike stays byte for byte, in the files that both share too", async () => {
  await withFolder(async (home) => {
    await makeHome(home);
    const before = await treeOf(home);
    await eraseAll(await planIn(gemini, home, id));
    const after = await treeOf(home);
    expect(await readFile(join(project(home), "logs.json"), "utf8")).toBe(log(logged(near, "echo both"), logged(near, "echo others", 1)));
    expect(await readFile(join(project(home), "shell_history"), "utf8")).toBe("echo both\necho others");
    const changed = [...after].filter(([path, bytes]) => before.get(path) !== bytes).map(([path]) => path);
    expect(changed.toSorted()).toEqual([join(project(home), "logs.json"), join(project(home), "shell_history")]);
    const gone = [...before.keys()].filter((path) => !after.has(path));
    expect(gone.filter((path) => path.includes(near) || path.includes("00-30") || path.includes("/2-made"))).toEqual([]);
    expect(await gemini.canResume({ agent: "gemini", id: near, toldBy: "agent", home }, undefined, new AbortController().signal)).toMatchObject({
      value: true,
    });
  });
});

test("a purge that is cut off after any store is completed by the next", async () => {
  for (let done = 0; done < 12; done++) {
    await withFolder(async (home) => {
      await makeHome(home);
      const { stores, leftAlone } = await planIn(gemini, home, id);
      expect(stores).toHaveLength(12);
      await eraseAll({ stores: stores.slice(0, done), leftAlone });
      await eraseAll(await planIn(gemini, home, id));
      expect(await holding(home, id, subagent, marker, "echo own")).toEqual([]);
    });
  }
});

test("a file in which another conversation stands too is left alone", async () => {
  await withFolder(async (home) => {
    const path = await put(chatFile(home, id), lines(header(near), user("hello"), header(id), user(marker)));
    const why = `the conversation ${near} stands in the same file`;
    expect(await planIn(gemini, home, id)).toEqual({ stores: [], leftAlone: [{ name: "transcript", path, why, holds: "text" }] });
  });
});

test("an earlier version's transcript is known by what it says of itself", async () => {
  await withFolder(async (home) => {
    const of = (sessionId: string) => JSON.stringify({ sessionId, messages: [{ type: "user", content: marker }] });
    const path = await put(join(project(home), "chats", "session-2025-11-30T00-22-676ceaac.json"), of(id));
    const other = await put(join(project(home), "chats", "session-2025-11-30T00-23-676ceaac.json"), of(near));
    const plan = await planIn(gemini, home, id);
    expect(plan.stores.map((store) => store.path)).toEqual([path]);
    await eraseAll(plan);
    expect(await holding(home, marker)).toEqual([other]);
  });
});

test("a copy that was saved by a name, a report of a failed request and the folder's snapshots are told of and stay", async () => {
  await withFolder(async (home) => {
    await put(chatFile(home, id), lines(header(id), user(marker), { type: "info", timestamp: "2026-11-30T00:30:00.000Z", content: "Request cancelled." }));
    const saved = await put(join(project(home), "checkpoint-walrus.json"), JSON.stringify({ history: [{ parts: [{ text: marker }] }] }, null, 2));
    await put(join(project(home), "checkpoint-else.json"), JSON.stringify({ history: [] }));
    const noted = await put(join(project(home), "memory", ".extraction-state.json"), JSON.stringify({ runs: [{ sessionIds: [id] }] }));
    const at = Date.parse("2026-11-30T00:25:00.000Z") / 1000;
    await put(join(home, "history", "app", ".git", "logs", "HEAD"), `0 1 Gemini CLI <g@g> ${at} +0000\tcommit: Snapshot for write_file\n`);
    vi.stubEnv("TMPDIR", join(home, "for-a-while"));
    const report = await put(join(home, "for-a-while", "gemini-client-error-Turn.run.json"), JSON.stringify({ context: [{ parts: [{ text: marker }] }] }));
    await put(join(home, "for-a-while", "gemini-client-error-Other.json"), JSON.stringify({ context: [] }));
    const plan = await planIn(gemini, home, id);
    const left = [saved, noted, join(home, "history", "app"), report];
    expect(plan.leftAlone.map(({ path, holds }) => [path, holds])).toEqual(left.map((path) => [path, path === noted ? "id" : "text"]));
    const before = await treeOf(home);
    await eraseAll(plan);
    const gone = [...before.keys()].filter((path) => path !== chatFile(home, id));
    expect([...(await treeOf(home)).keys()]).toEqual(gone);
    expect((await holding(home, id, marker)).toSorted()).toEqual([saved, noted, report].toSorted());
  });
});

test("what a background command said goes where no other transcript tells of a process of that number", async () => {
  await withFolder(async (home) => {
    const moved = (...pids: readonly number[]) =>
      pids.map((pid) => ({
        id: randomUUID(),
        type: "gemini",
        toolCalls: [{ result: [{ output: `Command moved to background (PID: ${pid}). Output hidden.` }] }],
      }));
    await put(chatFile(home, id), lines(header(id), user(marker), ...moved(4711, 4712)));
    await put(join(home, "tmp", "else", "chats", `session-2026-11-30T00-10-${near.slice(0, 8)}.jsonl`), lines(header(near), ...moved(4712, 4713)));
    const log = (pid: number) => put(join(home, "tmp", "background-processes", `background-${pid}.log`), marker);
    const [own, both, other] = [await log(4711), await log(4712), await log(4713)];
    const plan = await planIn(gemini, home, id);
    expect(plan.stores.map(({ path }) => path)).toEqual([own, chatFile(home, id)]);
    const why = "another conversation had a process of the same number, or may have";
    expect(plan.leftAlone).toEqual([{ name: "what a background command said", path: both, why, holds: "text" }]);
    await eraseAll(plan);
    expect((await holding(home, marker)).toSorted()).toEqual([both, other]);
  });
});

test.each(["../../outside", "..", "", "676ceaac", "*", "676ceaac-5b56-4c26-892b-53de79a14935/..", "chats", `${id}\n`])(
  "the id %j has no stores",
  async (hostile) => {
    await withFolder(async (home) => {
      await makeHome(home);
      expect(await planIn(gemini, home, hostile)).toEqual({ stores: [], leftAlone: [] });
    });
  },
);

test("what a linked folder leads to outside is not deleted", async () => {
  await withFolder(async (folder) => {
    const home = join(folder, ".gemini");
    await makeHome(home);
    const outside = join(folder, "outside");
    await mkdir(outside);
    await rename(join(project(home), "chats"), join(outside, "chats"));
    await symlink(join(outside, "chats"), join(project(home), "chats"));
    const before = await treeOf(outside);
    const plan = await planIn(gemini, home, id);
    expect((await eraseAll(plan)).filter(([name]) => name === "transcript" || name === "dialogues of its subagents")).toEqual(
      ["dialogues of its subagents", "transcript", "transcript"].map((name) => [name, `it does not lie in ${home} itself`]),
    );
    expect(await residueOf(plan)).toHaveLength(3);
    expect(await treeOf(outside)).toEqual(before);
  });
});

test("a link in the place of its subagents' folder leads to nobody else's", async () => {
  await withFolder(async (home) => {
    const other = await put(join(project(home), "chats", near, `${subagent}.jsonl`), marker);
    const output = await put(join(project(home), "tool-outputs", `session-${subagent}`, "out.txt"), marker);
    await symlink(join(project(home), "chats", near), join(project(home), "chats", id));
    const plan = await planIn(gemini, home, id);
    expect(await eraseAll(plan)).toEqual([["dialogues of its subagents", "it is a symbolic link"]]);
    expect((await holding(home, marker)).toSorted()).toEqual([other, output].toSorted());
  });
});

test("a home that is a link itself is no hindrance", async () => {
  await withFolder(async (folder) => {
    await makeHome(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, ".gemini"));
    await eraseAll(await planIn(gemini, join(folder, ".gemini"), id));
    expect(await holding(folder, id, marker)).toEqual([]);
  });
});

test("a prompt history that can't be told apart is left as it is, and said", async () => {
  await withFolder(async (home) => {
    const path = await put(join(project(home), "logs.json"), `[{"sessionId": "${id}"`);
    const plan = await planIn(gemini, home, id);
    expect(await eraseAll(plan)).toEqual([["its entries in the prompt history", "its entries can't be told apart"]]);
    expect(await residueOf(plan)).toEqual([`${path}: its entries can't be told apart`]);
    expect(await readFile(path, "utf8")).toBe(`[{"sessionId": "${id}"`);
  });
});
