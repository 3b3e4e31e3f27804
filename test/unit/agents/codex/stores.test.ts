import { readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { codex } from "../../../../src/agents/codex/codex.ts";
import type { Kept } from "../../../../src/core/store.ts";
import { eraseAll, holding, residueOf, treeOf } from "../aHome.ts";
import { noAbort } from "../seen.ts";
import { withAppServer } from "./appServer.ts";
import { deletes, eachInAPlace, id, inDatabases, marker, near, planFor, putConversation, rowsWithout, transcriptIn } from "./codexHome.ts";

const place = eachInAPlace();
const names = ({ stores }: Kept) => stores.map(({ name }) => name);

test("everything of a conversation goes, its text first, its transcript by Codex itself; a second plan finds nothing", async () => {
  const { home, calls } = place();
  const plan = await planFor(home, id);
  expect(names(plan)).toEqual([
    "its rows in the log",
    "its prompts and answers",
    "its goal",
    "its queued prompts",
    "what was noted of it for the memories",
    "its tools, attachments and reviews",
    "its title and first prompt in the list of conversations",
    "images made in it",
    "note of what its window can do",
    "its lines in the prompt history",
    "its lines in the list of names",
    "transcript",
    "its lock",
    "snapshot of its shell",
    "how far its transcript was read",
    "its row in the list of conversations",
  ]);
  expect(plan.leftAlone).toEqual([]);

  const outcomes = await eraseAll(plan);
  expect(outcomes.map(([, outcome]) => outcome)).toEqual(outcomes.map(([name]) => (name === "its lock" ? "absent" : "erased")));
  expect(await calls()).toEqual([`${home}|delete ${id} --force`]);
  expect(await residueOf(plan)).toEqual([]);
  expect(await planFor(home, id)).toEqual({ stores: [], leftAlone: [] });
  // Neither in what the databases no longer use, nor in their logs.
  expect(await holding(home, marker)).toEqual([]);
});

test("a neighbour's files, lines and rows stay as they are, be its id ever so near", async () => {
  const { home } = place();
  const files = await treeOf(home);
  const rows = rowsWithout(home, id, marker);
  await eraseAll(await planFor(home, id));
  // A deletion of a queued prompt counts on.
  const same = (row: string) => row.replace(/"revision":\d+/, "");
  expect(rowsWithout(home).map(same)).toEqual(rows.map(same));
  const after = await treeOf(home);
  for (const [path, bytes] of files) if (path.includes(near)) expect(after.get(path), path).toBe(bytes);
  for (const file of ["history.jsonl", "session_index.jsonl"]) {
    const [, neighbours] = files.get(join(home, file))?.split(/^/m) ?? [];
    expect(after.get(join(home, file))).toBe(neighbours);
  }
});

test("cut off in the middle, before its transcript or after, a second purge completes it", async () => {
  const { home } = place();
  const steps = (await planFor(home, id)).stores.length;
  for (let done = 1; done < steps; done += 2) {
    for (const store of (await planFor(home, id)).stores.slice(0, done)) await store.erase(noAbort);
    const rest = await planFor(home, id);
    await eraseAll(rest);
    expect(await residueOf(rest)).toEqual([]);
    expect(await planFor(home, id), `cut off after ${done}`).toEqual({ stores: [], leftAlone: [] });
    expect(await holding(home, marker)).toEqual([]);
    await putConversation(home, { id, text: marker });
  }
});

test.each(["", "../../etc", `${id}/..`, "*", id.toUpperCase(), `${id}\n`])("nothing is looked for by %j, which is no id of Codex's", async (hostile) => {
  const { home } = place();
  const before = await treeOf(home);
  expect(await planFor(home, hostile)).toEqual({ stores: [], leftAlone: [] });
  expect(await treeOf(home)).toEqual(before);
});

test("an unknown conversation has nothing", async () => {
  const { home } = place();
  expect(await planFor(home, "01a22a3e-0000-7042-a002-7d09585aaaad")).toEqual({ stores: [], leftAlone: [] });
});

test("where its home isn't known, the usual one and the named ones are looked in, each once", async () => {
  const { home } = place();
  vi.stubEnv("CODEX_HOME", home);
  await symlink(home, `${home}-link`);
  const where = { conversation: { agent: "codex", id, toldBy: "agent" }, cwd: undefined, configHomes: [`${home}-link`, join(home, "none")] } as const;
  expect((await codex.stores?.(where, noAbort))?.stores).toHaveLength(16);
});

describe("Codex's own program", () => {
  const untouched = async (why: string) => {
    const { home } = place();
    const before = await treeOf(home);
    const plan = await planFor(home, id);
    for (const [name, outcome] of await eraseAll(plan)) expect(outcome, name).toContain(why);
    expect(await residueOf(plan)).not.toEqual([]);
    expect(rowsWithout(home)).toHaveLength(rowsWithout(home, "no such word").length);
    expect(await readFile(transcriptIn(home, id), "latin1")).toBe(before.get(transcriptIn(home, id)));
    expect(await readFile(join(home, "history.jsonl"), "latin1")).toBe(before.get(join(home, "history.jsonl")));
  };

  test("is not on PATH: nothing is touched, and what to run is said", async () => {
    const { home } = place();
    vi.stubEnv("PATH", home);
    await untouched(`run \`codex delete ${id}\` where it is, with CODEX_HOME set to ${home}`);
  });

  test("refuses: the transcript and what it is known by stay, with its words", async () => {
    const { home, useProgram } = place();
    await useProgram('printf "Error: failed to delete session\\n\\nStack backtrace:\\n" >&2\nexit 1');
    const outcomes = new Map(await eraseAll(await planFor(home, id)));
    expect(outcomes.get("transcript")).toBe("`codex delete` refused it: failed to delete session");
    expect(outcomes.get("its lock")).toBe("its transcript is still there");
    expect(outcomes.get("its row in the list of conversations")).toBe("its transcript is still there");
    expect(await readFile(transcriptIn(home, id), "utf8")).toContain(marker);

    await useProgram(deletes);
    await eraseAll(await planFor(home, id));
    expect(await planFor(home, id)).toEqual({ stores: [], leftAlone: [] });
    expect(await holding(home, marker)).toEqual([]);
  });

  test("says that it has deleted what it has not: then it is deleted without it", async () => {
    const { home, useProgram } = place();
    await useProgram("exit 0");
    const plan = await planFor(home, id);
    await eraseAll(plan);
    expect(await residueOf(plan)).toEqual([]);
    expect(await holding(home, marker)).toEqual([]);
  });

  test("says so, and the server still has it open: blocked, since it would come back", async () => {
    const { home, useProgram } = place();
    await useProgram("exit 0");
    const thread = { id, cwd: "/srv/app", createdAt: 1, name: "x", originator: "codex-tui", status: { type: "idle" } };
    await withAppServer(home, [thread], async () => {
      const outcomes = new Map(await eraseAll(await planFor(home, id)));
      expect(outcomes.get("transcript")).toBe("Codex's background server still has it open, and would write it anew");
    });
    expect(await readFile(transcriptIn(home, id), "utf8")).toContain(marker);
  });

  test("is not asked where the server is there and does not answer", async () => {
    const { home, calls } = place();
    await withAppServer(home, "silent", async () => {
      const outcomes = new Map(await eraseAll(await planFor(home, id)));
      expect(outcomes.get("transcript")).toBe("Codex's background server may have it open, and does not answer");
    });
    expect(await calls()).toEqual([]);
  });

  test("writes of its deletion into the log: that goes too, also where it comes a moment later", async () => {
    const { home, calls } = place();
    await withAppServer(home, [], async () => {
      const plan = await planFor(home, id);
      for (const store of plan.stores) {
        const erasing = store.erase(noAbort);
        if (store.name === "transcript") {
          const row = { ts: 9, ts_nanos: 0, level: "INFO", target: "codex_app_server", feedback_log_body: `thread ${id} was active; shutting down` };
          await vi.waitUntil(async () => (await calls()).length > 0);
          inDatabases(home, (kind, add) => kind === "logs" && add("logs", row));
        }
        await erasing;
      }
      expect(await residueOf(plan)).toEqual([]);
    });
  });

  test("is not needed for a conversation without a transcript, such as one that never had a prompt", async () => {
    const { home, calls } = place();
    await rm(transcriptIn(home, id));
    await eraseAll(await planFor(home, id));
    expect(await calls()).toEqual([]);
    expect(await planFor(home, id)).toEqual({ stores: [], leftAlone: [] });
  });
});
