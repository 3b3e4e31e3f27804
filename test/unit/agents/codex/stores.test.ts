import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { codex } from "../../../../src/agents/codex/codex.ts";
import type { Kept } from "../../../../src/core/store.ts";
import { eraseAll, holding, residueOf, treeOf } from "../aHome.ts";
import { noAbort, put, withFolder } from "../seen.ts";
import { withAppServer } from "./appServer.ts";
import { deletes, inDatabases, planFor, putConversation, putProgram, rowsWithout, transcriptIn, transcriptOf } from "./codexHome.ts";

const id = "01a22a3e-7a1a-7042-a002-7d09585aaaad";
/** It begins with the same characters. */
const near = "01a22a3e-7a1a-7042-a002-7d09585aaaae";
const marker = "purplewalrus";

const names = ({ stores }: Kept) => stores.map(({ name }) => name);
const whys = ({ leftAlone }: Kept) => leftAlone.map(({ name, why, holds }) => `${name}: ${why} (${holds})`);
const texts = ({ leftAlone }: Kept) => leftAlone.filter(({ holds }) => holds === "text");

let home: string;
let calls: () => Promise<readonly string[]>;
let over: () => Promise<void>;

/** Each fact has a home with the conversation and a neighbour in the same folder, and a program that deletes. */
beforeEach(async () => {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const whole = withFolder(async (folder) => {
    home = join(folder, "codex");
    await mkdir(home);
    await putConversation(home, { id, text: marker, at: 1_000 });
    await putConversation(home, { id: near, text: "neighbour", at: 2_000 });
    await useProgram(folder, deletes);
    begun.resolve();
    await ended.promise;
  });
  await Promise.race([begun.promise, whole]);
  over = async () => {
    ended.resolve();
    await whole;
  };
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await over();
});

async function useProgram(folder: string, does: string): Promise<void> {
  const program = await putProgram(folder, does);
  calls = program.calls;
  vi.stubEnv("PATH", `${program.bin}:/usr/bin:/bin`);
}

test("everything of a conversation goes, its text first, its transcript by Codex itself; a second plan finds nothing", async () => {
  const plan = await planFor(home, id);
  expect(names(plan)).toEqual([
    "its rows in the log",
    "its prompts and answers",
    "its goal",
    "its queued prompts",
    "what was noted of it for the memories",
    "its tools, attachments and reviews",
    "its title and first prompt in the list of conversations",
    "snapshot of its shell",
    "images made in it",
    "note of what its window can do",
    "its lines in the prompt history",
    "its lines in the list of names",
    "transcript",
    "its lock",
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
  const files = await treeOf(home);
  const lines = (of: string) => [...files].flatMap(([path, bytes]) => (path.endsWith(".jsonl") && !path.includes(of) ? [[path, bytes] as const] : []));
  const rows = rowsWithout(home, id, marker);
  await eraseAll(await planFor(home, id));
  // A deletion of a queued prompt counts on.
  const same = (row: string) => row.replace(/"revision":\d+/, "");
  expect(rowsWithout(home).map(same)).toEqual(rows.map(same));
  const after = await treeOf(home);
  for (const [path, bytes] of files) if (path.includes(near)) expect(after.get(path), path).toBe(bytes);
  for (const [path, bytes] of lines(id))
    expect(after.get(path), path).toBe(
      bytes
        .split(/^/m)
        .filter((line) => !line.includes(id))
        .join(""),
    );
});

test.each(["", "../../etc", `${id}/..`, "*", id.toUpperCase(), `${id}\n`])("nothing is looked for by %j, which is no id of Codex's", async (hostile) => {
  const before = await treeOf(home);
  expect(await planFor(home, hostile)).toEqual({ stores: [], leftAlone: [] });
  expect(await treeOf(home)).toEqual(before);
});

test("an unknown conversation has nothing", async () => {
  expect(await planFor(home, "01a22a3e-0000-7042-a002-7d09585aaaad")).toEqual({ stores: [], leftAlone: [] });
});

test("where its home isn't known, the usual one and the named ones are looked in, each once", async () => {
  vi.stubEnv("CODEX_HOME", home);
  await symlink(home, `${home}-link`);
  const place = { conversation: { agent: "codex", id, toldBy: "agent" }, cwd: undefined, configHomes: [`${home}-link`, join(home, "none")] } as const;
  expect((await codex.stores?.(place, noAbort))?.stores).toHaveLength(16);
});

describe("Codex's own program", () => {
  const untouched = async (why: string) => {
    const before = await treeOf(home);
    const plan = await planFor(home, id);
    for (const [name, outcome] of await eraseAll(plan)) expect(outcome, name).toContain(why);
    expect(await residueOf(plan)).not.toEqual([]);
    expect(rowsWithout(home)).toHaveLength(rowsWithout(home, "no such word").length);
    expect(await readFile(transcriptIn(home, id), "latin1")).toBe(before.get(transcriptIn(home, id)));
    expect(await readFile(join(home, "history.jsonl"), "latin1")).toBe(before.get(join(home, "history.jsonl")));
  };

  test("is not on PATH: nothing is touched, and what to run is said", async () => {
    vi.stubEnv("PATH", home);
    await untouched(`run \`codex delete ${id}\` where it is, with CODEX_HOME set to ${home}`);
  });

  test("refuses: the transcript and what it is known by stay, with its words", async () => {
    await useProgram(join(home, ".."), 'printf "Error: failed to delete session\\n\\nStack backtrace:\\n" >&2\nexit 1');
    const outcomes = new Map(await eraseAll(await planFor(home, id)));
    expect(outcomes.get("transcript")).toBe("`codex delete` refused it: failed to delete session");
    expect(outcomes.get("its lock")).toBe("its transcript is still there");
    expect(outcomes.get("its row in the list of conversations")).toBe("its transcript is still there");
    expect(await readFile(transcriptIn(home, id), "utf8")).toContain(marker);

    await useProgram(join(home, ".."), deletes);
    await eraseAll(await planFor(home, id));
    expect(await planFor(home, id)).toEqual({ stores: [], leftAlone: [] });
    expect(await holding(home, marker)).toEqual([]);
  });

  test("says that it has deleted what it has not: then it is deleted without it", async () => {
    await useProgram(join(home, ".."), "exit 0");
    const plan = await planFor(home, id);
    await eraseAll(plan);
    expect(await residueOf(plan)).toEqual([]);
    expect(await holding(home, marker)).toEqual([]);
  });

  test("says so, and the server still has it open: blocked, since it would come back", async () => {
    await useProgram(join(home, ".."), "exit 0");
    const thread = { id, cwd: "/srv/app", createdAt: 1, name: "x", originator: "codex-tui", status: { type: "idle" } };
    await withAppServer(home, [thread], async () => {
      const outcomes = new Map(await eraseAll(await planFor(home, id)));
      expect(outcomes.get("transcript")).toBe("Codex's background server still has it open, and would write it anew");
    });
    expect(await readFile(transcriptIn(home, id), "utf8")).toContain(marker);
  });

  test("is not asked where the server is there and does not answer", async () => {
    await withAppServer(home, "silent", async () => {
      const outcomes = new Map(await eraseAll(await planFor(home, id)));
      expect(outcomes.get("transcript")).toBe("Codex's background server may have it open, and does not answer");
    });
    expect(await calls()).toEqual([]);
  });

  test("writes of its deletion into the log: that goes too, also where it comes a moment later", async () => {
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
    await rm(transcriptIn(home, id));
    await eraseAll(await planFor(home, id));
    expect(await calls()).toEqual([]);
    expect(await planFor(home, id)).toEqual({ stores: [], leftAlone: [] });
  });
});

describe("transcripts", () => {
  test.each(["archived", "compressed"])("one that is %s is found", async (how) => {
    const before = transcriptIn(home, id);
    const path = how === "archived" ? join(home, "archived_sessions", before.slice(before.lastIndexOf("/") + 1)) : `${before}.zst`;
    await put(path, "");
    await writeFile(path, how === "archived" ? await readFile(before) : zstdCompressSync(await readFile(before)));
    await rm(before);
    const plan = await planFor(home, id);
    expect(plan.stores.find(({ name }) => name === "transcript")?.path).toBe(path);
    await eraseAll(plan);
    expect(await planFor(home, id)).toEqual({ stores: [], leftAlone: [] });
  });

  test("another file with its id stays, in this purge and in the next; Codex, which could take it, is not asked", async () => {
    const copy = await put(transcriptIn(home, id, "29"), transcriptOf({ id, text: marker, cwd: "/srv/other" }));
    const liar = await put(transcriptIn(home, id, "28"), transcriptOf({ id: near, text: marker }));
    const torn = await put(transcriptIn(home, id, "27"), '{"type":"session_meta"');
    const plan = await planFor(home, id);
    const reasons = [`its first line can't be read`, `its first line says that it is conversation ${near}`, "it began in /srv/other"];
    expect(plan.leftAlone.map(({ path, why }) => [path, why])).toEqual([torn, liar, copy].map((path, index) => [path, reasons[index]]));
    await eraseAll(plan);
    expect(await calls()).toEqual([]);
    expect(await residueOf(plan)).toEqual([]);
    const again = await planFor(home, id);
    expect(again.stores).toEqual([]);
    expect(again.leftAlone).toHaveLength(3);
    expect(await readFile(copy, "utf8")).toBe(transcriptOf({ id, text: marker, cwd: "/srv/other" }));
  });

  test("one that was taken up in another folder is its own, since Codex lists it", async () => {
    expect(names(await planFor(home, id, "/srv/elsewhere"))).toContain("transcript");
  });

  test("a folder is the same however its letters are composed", async () => {
    const path = transcriptIn(home, id, "29");
    await put(path, transcriptOf({ id, text: marker, cwd: "/srv/caf\u00e9" }));
    const plan = await planFor(home, id, "/srv/cafe\u0301");
    expect(plan.leftAlone).toEqual([]);
    expect(plan.stores.find(({ name }) => name === "transcript")?.belongsBecause).toContain(transcriptIn(home, id));
  });

  test("a link is not followed, nor a folder that leads out of the home", async () => {
    const away = join(home, "../away");
    await rename(join(home, "sessions/2026/11/30"), await mkdir(away, { recursive: true }).then(() => join(away, "30")));
    await symlink(join(away, "30"), join(home, "sessions/2026/11/30"));
    const before = await treeOf(away);
    const outcomes = new Map(await eraseAll(await planFor(home, id)));
    expect(outcomes.get("transcript")).toBe(`it does not lie in ${home} itself`);
    expect(await treeOf(away)).toEqual(before);
    expect(await calls()).toEqual([]);
  });
});

describe("other conversations", () => {
  const child = "01a22a3e-7c72-7963-9cb4-583170122175";
  const grandchild = "01a22a3e-7c72-7963-9cb4-583170122176";

  test("sub-agents that it spawned go with it, theirs first and before it; who spawned whom last", async () => {
    await putConversation(home, { id: child, text: marker, cwd: "/srv/deeper" });
    // Of this one only its own first line tells.
    await putConversation(home, { id: grandchild, text: marker, meta: { source: { subagent: { thread_spawn: { parent_thread_id: child, depth: 2 } } } } });
    inDatabases(home, (kind, add) => kind === "state" && add("thread_spawn_edges", { parent_thread_id: id, child_thread_id: child, status: "closed" }));
    const plan = await planFor(home, id);
    expect(names(plan).at(-1)).toBe("who spawned which sub-agent");
    await eraseAll(plan);
    expect(await calls()).toEqual([grandchild, child, id].map((each) => `${home}|delete ${each} --force`));
    expect(await residueOf(plan)).toEqual([]);
    expect(await holding(home, marker)).toEqual([]);
    expect(await readFile(transcriptIn(home, near), "utf8")).toContain("neighbour");
  });

  test("a fork that rests on its transcript: nothing is touched, and the fork is named", async () => {
    await putConversation(home, { id: child, text: "fork", meta: { forked_from_id: id, history_base: { thread_id: id, end_ordinal_exclusive: 14 } } });
    const plan = await planFor(home, id);
    expect(whys(plan)).toContain("a fork of it: it is another conversation, which begins with what was said in this one (text)");
    for (const [, outcome] of await eraseAll(plan))
      expect(outcome).toBe(`conversation ${child} was forked from it and can't be read without it: purge that one first`);
    expect(await readFile(transcriptIn(home, id), "utf8")).toContain(marker);
    expect(rowsWithout(home).filter((row) => row.includes(marker))).not.toEqual([]);
  });

  test("a fork with a copy of its own stays, and is told of", async () => {
    await putConversation(home, { id: child, text: "fork", at: 3_000, meta: { forked_from_id: id } });
    const plan = await planFor(home, id);
    expect(texts(plan).map(({ path }) => path)).toEqual([transcriptIn(home, child)]);
    await eraseAll(plan);
    expect(await residueOf(plan)).toEqual([]);
    expect(await readFile(transcriptIn(home, child), "utf8")).toContain("fork");
  });
});

describe("what is shared", () => {
  test("answers that a window drew while another conversation answered too stay in the log, and are told of", async () => {
    await putConversation(home, { id: "01a22a3e-7c72-7963-9cb4-583170122177", text: "meanwhile", at: 1_001 });
    const plan = await planFor(home, id);
    expect(whys(plan)).toEqual(["answers in the log: they were drawn while another conversation was answering too, and name none (text)"]);
    await eraseAll(plan);
    expect(rowsWithout(home).filter((row) => row.includes(marker))).toHaveLength(1);
    expect(rowsWithout(home).filter((row) => row.startsWith("logs") && row.includes("meanwhile"))).toHaveLength(2);
  });

  test("what names its id elsewhere is told of, and stays", async () => {
    inDatabases(home, (kind, add) => {
      if (kind === "logs") add("logs", { ts: 1, ts_nanos: 0, level: "INFO", target: "x", thread_id: near, feedback_log_body: `asked ${id}` });
    });
    const unknown = await put(join(home, "later_things", `${id}.json`), "{}");
    const log = await put(join(home, "log/codex-tui.log"), `thread ${id}\n`);
    const memory = await put(join(home, "memories/rollout_summaries/x.md"), `thread_id: ${id}\n`);
    const plan = await planFor(home, id);
    expect(plan.leftAlone.map(({ path, holds }) => [path, holds])).toEqual([
      [join(home, "logs_2.sqlite"), "id"],
      [unknown, "text"],
      [log, "text"],
      [memory, "text"],
    ]);
    await eraseAll(plan);
    expect(await readFile(log, "utf8")).toContain(id);
    expect(rowsWithout(home).filter((row) => row.includes(`asked ${id}`))).toHaveLength(1);
  });

  test("its id is taken from what the next server would open again", async () => {
    const path = await put(join(home, "app-server-daemon/loaded-threads.json"), `["${near}","${id}"]`);
    await eraseAll(await planFor(home, id));
    expect(await readFile(path, "utf8")).toBe(`["${near}"]`);
  });

  test("a line that is no JSON, or has its id in another place, is not its", async () => {
    const path = join(home, "history.jsonl");
    const others = `not json ${id}\n{"session_id":"${near}","text":"${id}"}\n{"session_id":["${id}"]}`;
    await writeFile(path, `${others}\n{"session_id":"${id}","ts":1,"text":"${marker}"}\n`);
    await eraseAll(await planFor(home, id));
    expect(await readFile(path, "utf8")).toBe(`${others}\n`);
  });

  test("a database of another version, without its tables, or of another name is no matter", async () => {
    await rm(join(home, "goals_1.sqlite"));
    await rename(join(home, "state_5.sqlite"), join(home, "state_11.sqlite"));
    await rename(join(home, "state_5.sqlite-wal"), join(home, "state_11.sqlite-wal")).catch(() => undefined);
    inDatabases(
      home,
      (kind, _, database) =>
        kind === "thread_history" && database.exec("DROP TRIGGER thread_realtime_items_projection_cleanup; DROP TABLE thread_realtime_items"),
    );
    const plan = await planFor(home, id);
    await eraseAll(plan);
    expect(await residueOf(plan)).toEqual([]);
  });

  test("databases that the configuration keeps elsewhere are found there", async () => {
    const elsewhere = join(home, "../databases");
    await mkdir(elsewhere);
    for (const name of (await treeOf(home)).keys()) if (/\.sqlite(-wal|-shm)?$/.test(name)) await rename(name, join(elsewhere, name.slice(home.length)));
    await put(join(home, "config.toml"), `model = "m"\nsqlite_home = "${elsewhere}"\n[features]\n`);
    await eraseAll(await planFor(home, id));
    expect(await holding(elsewhere, marker)).toEqual([]);
  });
});
