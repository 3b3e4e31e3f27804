import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Kept } from "../../../../src/core/store.ts";
import { eraseAll, holding, residueOf, treeOf } from "../aHome.ts";
import { put } from "../seen.ts";
import { eachInAPlace, id, inDatabases, marker, near, planFor, putConversation, rowsWithout, transcriptIn, transcriptOf } from "./codexHome.ts";

const place = eachInAPlace();
const names = ({ stores }: Kept) => stores.map(({ name }) => name);
const whys = ({ leftAlone }: Kept) => leftAlone.map(({ name, why, holds }) => `${name}: ${why} (${holds})`);
const texts = ({ leftAlone }: Kept) => leftAlone.filter(({ holds }) => holds === "text");

describe("transcripts", () => {
  test.each(["archived", "compressed"])("one that is %s is found", async (how) => {
    const { home } = place();
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
    const { home, calls } = place();
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
    const { home } = place();
    expect(names(await planFor(home, id, "/srv/elsewhere"))).toContain("transcript");
  });

  test("a folder is the same however its letters are composed", async () => {
    const { home } = place();
    const path = transcriptIn(home, id, "29");
    await put(path, transcriptOf({ id, text: marker, cwd: "/srv/caf\u00e9" }));
    const plan = await planFor(home, id, "/srv/cafe\u0301");
    expect(plan.leftAlone).toEqual([]);
    expect(plan.stores.find(({ name }) => name === "transcript")?.belongsBecause).toContain(transcriptIn(home, id));
  });

  test("a file that is a link is not followed", async () => {
    const { home, calls } = place();
    const away = await put(join(home, "../away.jsonl"), transcriptOf({ id, text: marker }));
    await rm(transcriptIn(home, id));
    await symlink(away, transcriptIn(home, id));
    const outcomes = new Map(await eraseAll(await planFor(home, id)));
    expect(outcomes.get("transcript")).toBe("it is a symbolic link");
    expect(await readFile(away, "utf8")).toContain(marker);
    expect(await calls()).toEqual([]);
  });

  test("a folder that leads out of the home is not gone into to delete", async () => {
    const { home, calls } = place();
    const away = join(home, "../away");
    await mkdir(away);
    await rename(join(home, "sessions/2026/11/30"), join(away, "30"));
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
    const { home, calls } = place();
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
    const { home } = place();
    await putConversation(home, { id: child, text: "fork", meta: { forked_from_id: id, history_base: { thread_id: id, end_ordinal_exclusive: 14 } } });
    const plan = await planFor(home, id);
    expect(whys(plan)).toContain("a fork of it: it is another conversation, which begins with what was said in this one (text)");
    for (const [, outcome] of await eraseAll(plan))
      expect(outcome).toBe(`conversation ${child} was forked from it and can't be read without it: purge that one first`);
    expect(await readFile(transcriptIn(home, id), "utf8")).toContain(marker);
    expect(rowsWithout(home).filter((row) => row.includes(marker))).not.toEqual([]);
  });

  test("a fork with a copy of its own stays, and is told of", async () => {
    const { home } = place();
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
    const { home } = place();
    await putConversation(home, { id: "01a22a3e-7c72-7963-9cb4-583170122177", text: "meanwhile", at: 1_001 });
    const plan = await planFor(home, id);
    expect(whys(plan)).toEqual(["answers in the log: they were drawn while another conversation was answering too, and name none (text)"]);
    await eraseAll(plan);
    expect(rowsWithout(home).filter((row) => row.includes(marker))).toHaveLength(1);
    expect(rowsWithout(home).filter((row) => row.startsWith("logs") && row.includes("meanwhile"))).toHaveLength(2);
  });

  test("what names its id elsewhere is told of, and stays", async () => {
    const { home } = place();
    inDatabases(home, (kind, add, database) => {
      if (kind === "logs") add("logs", { ts: 1, ts_nanos: 0, level: "INFO", target: "x", thread_id: near, feedback_log_body: `asked ${id}` });
      if (kind === "state") database.prepare("UPDATE threads SET attached_thread_parent_id = ? WHERE id = ?").run(id, near);
    });
    const unknown = await put(join(home, "later_things", `${id}.json`), "{}");
    const shared = await put(join(home, ".global-state.json"), JSON.stringify({ last: id }));
    const later = await put(join(home, "later_1.sqlite"), `not seen before ${id}`);
    const log = await put(join(home, "log/codex-tui.log"), `thread ${id}\n`);
    const memory = await put(join(home, "memories/rollout_summaries/x.md"), `thread_id: ${id}\n`);
    const plan = await planFor(home, id);
    expect(plan.leftAlone.map(({ path, holds }) => [path, holds])).toEqual([
      [join(home, "logs_2.sqlite"), "id"],
      [join(home, "state_5.sqlite"), "id"],
      [unknown, "text"],
      [shared, "id"],
      [later, "text"],
      [log, "text"],
      [memory, "text"],
    ]);
    await eraseAll(plan);
    expect(await readFile(log, "utf8")).toContain(id);
    expect(rowsWithout(home).filter((row) => row.includes(`asked ${id}`))).toHaveLength(1);
  });

  test("its id is taken from what the next server would open again", async () => {
    const { home } = place();
    const path = await put(join(home, "app-server-daemon/loaded-threads.json"), `["${near}","${id}"]`);
    await eraseAll(await planFor(home, id));
    expect(await readFile(path, "utf8")).toBe(`["${near}"]`);
  });

  test("a line that is no JSON, or has its id in another place, is not its", async () => {
    const { home } = place();
    const path = join(home, "history.jsonl");
    const others = `not json ${id}\n{"session_id":"${near}","text":"${id}"}\n{"session_id":["${id}"]}`;
    await writeFile(path, `${others}\n{"session_id":"${id}","ts":1,"text":"${marker}"}\n`);
    await eraseAll(await planFor(home, id));
    expect(await readFile(path, "utf8")).toBe(`${others}\n`);
  });

  test("a database of another version, without its tables, or of another name is no matter", async () => {
    const { home } = place();
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

  test("a log that a program was reading is left over, and emptied by a second purge", async () => {
    const { home } = place();
    const path = join(home, "goals_1.sqlite");
    const program = new Sqlite(path);
    program.pragma("journal_mode = WAL");
    program.exec("UPDATE thread_goals SET thread_id = thread_id");
    const reader = new Sqlite(path);
    reader.exec("BEGIN; SELECT * FROM thread_goals");
    const first = await planFor(home, id);
    await eraseAll(first);
    expect(await residueOf(first)).toEqual([`${path}-wal, which a program was reading`]);
    reader.close();
    const second = await planFor(home, id);
    expect(second.stores.map(({ name }) => name)).toEqual(["what the log of goals_1.sqlite still holds of it"]);
    expect(await eraseAll(second)).toEqual([["what the log of goals_1.sqlite still holds of it", "erased"]]);
    expect([await residueOf(second), (await planFor(home, id)).stores]).toEqual([[], []]);
    program.close();
  });

  test("a database that is a link is not opened", async () => {
    const { home } = place();
    const away = join(home, "../away");
    await mkdir(away);
    for (const end of ["", "-wal", "-shm"]) await rename(join(home, `goals_1.sqlite${end}`), join(away, `goals_1.sqlite${end}`)).catch(() => undefined);
    await symlink(join(away, "goals_1.sqlite"), join(home, "goals_1.sqlite"));
    const before = await treeOf(away);
    const plan = await planFor(home, id);
    expect(new Map(await eraseAll(plan)).get("its goal")).toBe("it is a symbolic link");
    expect(await treeOf(away)).toEqual(before);
    expect(await residueOf(plan)).toEqual([`${join(home, "goals_1.sqlite")}: it is a symbolic link`]);
  });

  test("databases that the configuration keeps elsewhere are found there", async () => {
    const { home } = place();
    const elsewhere = join(home, "../databases");
    await mkdir(elsewhere);
    for (const name of (await treeOf(home)).keys()) if (/\.sqlite(-wal|-shm)?$/.test(name)) await rename(name, join(elsewhere, name.slice(home.length)));
    await put(join(home, "config.toml"), `model = "m"\nsqlite_home = "${elsewhere}"\n[features]\n`);
    await eraseAll(await planFor(home, id));
    expect(await holding(elsewhere, marker)).toEqual([]);
  });
});
