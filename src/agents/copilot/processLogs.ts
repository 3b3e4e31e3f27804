import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { blocked, lookAt } from "../../system/erase/confined.ts";
import { storesAt } from "../../system/erase/files.ts";
import { isAbsence, listIfPresent } from "../../system/files.ts";
import { isHeldByAppender } from "../../system/heldOpen.ts";
import { findStats } from "../../system/ownFile.ts";

/** Each process writes one log. It is the conversation's own if the process had no other, and is gone. */
export async function logsOf(home: string, id: string): Promise<Kept> {
  const folder = join(home, "logs");
  const stores: Store[] = [];
  const outputs: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const name of await listIfPresent(folder)) {
    const path = join(folder, name);
    const log = logName.test(name) ? await readLog(home, path, id) : undefined;
    if (!log?.namesIt) continue;
    const why = await whyNotOwn({ root: home, path }, id);
    if (why !== undefined) {
      leftAlone.push({ name: "a log that names it", path, why, holds: "id" });
      continue;
    }
    const beside = await outputsBeside(folder, name);
    outputs.push(...beside.stores);
    leftAlone.push(...beside.leftAlone);
    for (const store of await storesAt({
      root: home,
      path,
      name: "the log of its process",
      belongsBecause: "the process that wrote it had no other conversation",
    })) {
      stores.push({
        ...store,
        async erase(signal) {
          const now = await whyNotOwn({ root: home, path }, id);
          return now === undefined ? store.erase(signal) : blocked(now);
        },
      });
    }
  }
  // By the logs one finds what lies beside them.
  return { stores: [...outputs, ...stores], leftAlone };
}

/**
 * Long outputs of tools, in the folder for temporary files; they are gone when the process leaves, unless it is killed. Another process may have had the same
 * number before it, or since its log was last written.
 */
async function outputsBeside(folder: string, log: string): Promise<Kept> {
  const [, since = "", pid = ""] = logName.exec(log) ?? [];
  const logs = (await listIfPresent(folder)).filter((name) => logName.exec(name)?.[2] === pid);
  const sinces = logs.map((name) => Number(logName.exec(name)?.[1]));
  const next = Math.min(...sinces.filter((each) => each > Number(since)));
  const written = logs.filter((_, at) => sinces[at] === Number(since)).map(async (name) => Number((await findStats(join(folder, name)))?.mtimeMs ?? 0));
  const last = Math.max(...(await Promise.all(written))) + writtenWithinMs;
  const stores: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const file of await listIfPresent(tmpdir())) {
    const found = /^(\d+)-copilot-tool-output-(\d+)-[0-9a-f-]{36}\.txt$/.exec(file);
    const at = Number(found?.[1]);
    if (found?.[2] !== pid || at < Number(since) || at >= next) continue;
    const output = { name: "a long output of a tool", path: join(tmpdir(), file) };
    const belongsBecause = "its name holds the process, which had no other conversation";
    if (at <= last) stores.push(...(await storesAt({ ...output, root: tmpdir(), belongsBecause })));
    else leftAlone.push({ ...output, why: "another process may have had the same number since its log was last written", holds: "text" });
  }
  return { stores, leftAlone };
}
const logName = /^process-(\d+)-(\d+)(-ahp[0-9a-f-]*)?(\.\d+)?\.log$/;
const writtenWithinMs = 5_000;

/** Undefined: it is the conversation's own. */
async function whyNotOwn(log: { readonly root: string; readonly path: string }, id: string): Promise<string | undefined> {
  const target = await lookAt(log);
  // What can't be deleted is a store all the same, and says why.
  if (target.kind !== "file") return undefined;
  const read = await readLog(log.root, log.path, id);
  if (!read) return undefined;
  if (read.others.size > 0) return "its process had other conversations too";
  await using file = await open(log.path, "r");
  return (await isHeldByAppender(file)) ? "its process lives, and may have gone on to another conversation" : undefined;
}

interface Log {
  readonly namesIt: boolean;
  readonly others: ReadonlySet<string>;
}

/** A uuid is a conversation's where it speaks of a session, or if there is such a conversation. */
async function readLog(home: string, path: string, id: string): Promise<Log | undefined> {
  const state = join(home, "session-state");
  const locks = await listIfPresent(join(state, ".session-operation-locks"));
  const known = new Set([...(await listIfPresent(state)), ...locks.map((name) => basename(name, ".lock"))]);
  const sessions = new Set<string>();
  let namesIt = false;
  try {
    await using file = await open(path, "r");
    if (!(await file.stat()).isFile()) return undefined;
    const input = file.createReadStream({ encoding: "utf8", autoClose: false });
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      namesIt ||= line.includes(id);
      for (const [uuid] of line.matchAll(anyUuid)) if (known.has(uuid)) sessions.add(uuid);
      for (const [, uuid = ""] of line.matchAll(sessionUuid)) sessions.add(uuid);
    }
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  sessions.delete(id);
  return { namesIt, others: sessions };
}
const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const anyUuid = new RegExp(uuid, "g");
const sessionUuid = new RegExp(`(?:session(?:[ _]?id)?|workspace initialized)["']?[:=]? ?["']?(${uuid})`, "gi");
