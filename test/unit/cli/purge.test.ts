import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStage } from "../../support/stage.ts";
import type { Listed, Stage } from "../../support/stage.ts";

// `session-warden purge` on what a stand-in Claude Code has kept, beside a neighbour in the same folder and in the same history file.

let stage: Stage;
let neighbour: Listed;
beforeAll(async () => {
  stage = await openStage();
  neighbour = await ended("neighbour");
});
afterAll(() => stage[Symbol.asyncDispose]());

/** A conversation with a store of every kind, whose session has been stopped. */
async function ended(name: string): Promise<Listed> {
  const session = await stage.startInPane(name, "claude", { subject: `subject of ${name}` });
  const id = session.conversation_id ?? "none";
  const config = join(stage.home, ".claude");
  mkdirSync(join(config, "file-history", id), { recursive: true });
  writeFileSync(join(config, "file-history", id, "a@v1"), `old text of ${name}`);
  mkdirSync(join(config, "paste-cache"), { recursive: true });
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  writeFileSync(join(config, "paste-cache", `${hash}.txt`), `pasted into ${name}`);
  const line = {
    display: `typed into ${name}`,
    pastedContents: { 1: { id: 1, type: "text", contentHash: hash } },
    timestamp: 1,
    project: stage.work,
    sessionId: id,
  };
  appendFileSync(join(config, "history.jsonl"), `${JSON.stringify(line)}\n`);
  expect((await stage.warden(["stop", session.key, "--yes"])).code).toBe(0);
  return session;
}

interface Purge {
  readonly status: string;
  readonly purge_result: string | null;
  readonly message: string;
  readonly purged: readonly { readonly store: string; readonly outcome: string; readonly residue: readonly string[] }[];
  readonly stores: readonly { readonly path: string; readonly bytes: number | null; readonly belongs_because: string }[];
}

async function purge(key: string, ...flags: readonly string[]): Promise<Purge & { readonly code: number | undefined }> {
  const { code, stdout } = await stage.warden(["purge", key, "--json", ...flags]);
  return { ...(JSON.parse(stdout) as Purge), code };
}

/** Where a text stands, in a name or in the bytes, but for the receipt that is the proof. */
function whereIs(text: string): readonly string[] {
  return filesBelow(stage.home)
    .filter((path) => path.includes(text) || readFileSync(path).includes(text))
    .map((path) => relative(stage.home, path))
    .filter((path) => !path.endsWith("journal.jsonl"));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

function hashes(of: Listed): ReadonlyMap<string, string> {
  const own = filesBelow(join(stage.home, ".claude")).filter((path) => path.includes(of.conversation_id ?? "none"));
  return new Map(own.map((path) => [path, createHash("sha256").update(readFileSync(path)).digest("hex")]));
}

test("the plan is shown and nothing is done without --yes; with it all is gone, and the neighbour is as it was", async () => {
  const session = await ended("mine");
  const id = session.conversation_id ?? "none";
  const before = hashes(neighbour);
  const all = whereIs(id);

  expect(await purge(session.key, "--dry-run")).toMatchObject({ code: 0, status: "plan" });
  const asked = await purge(session.key);
  expect(asked).toMatchObject({ code: 3, status: "needs_confirmation" });
  expect(asked.stores.length).toBeGreaterThanOrEqual(4);
  expect(asked.stores.every(({ belongs_because: why }) => why !== "")).toBe(true);
  expect(whereIs(id)).toEqual(all);
  expect(await purge(session.title, "--yes")).toMatchObject({ code: 3, status: "needs_confirmation", session_id: session.key });
  expect(whereIs(id)).toEqual(all);

  const done = await purge(session.key, "--yes");
  expect(done).toMatchObject({ code: 0, status: "success", purge_result: "complete" });
  expect(done.purged.every(({ outcome, residue }) => outcome === "erased" && residue.length === 0)).toBe(true);
  for (const text of [id, "subject of mine", "typed into mine", "pasted into mine", "old text of mine"]) expect(whereIs(text)).toEqual([]);
  expect(hashes(neighbour)).toEqual(before);
  expect(whereIs("typed into neighbour")).toEqual([".claude/history.jsonl"]);
  expect(whereIs("pasted into neighbour")).toHaveLength(1);

  const listed = (await stage.list()).filter(({ status }) => status === "purged");
  expect(listed).toMatchObject([{ conversation_id: null, agent: "claude" }]);
  expect(await purge(listed[0]?.key ?? "none", "--yes")).toMatchObject({ code: 1, status: "refused", purge_result: "unsupported" });
});

test("what lives is refused; stop --purge-conversation ends it first, and asks for --yes", async () => {
  const session = await stage.startInPane("living", "claude", { subject: "subject of living" });
  expect(await purge(session.key, "--yes")).toMatchObject({ code: 1, status: "refused", purge_result: "blocked" });
  const asked = await stage.warden(["stop", session.key, "--purge-conversation"]);
  expect(asked).toMatchObject({ code: 3 });
  expect(asked.stdout).toContain(session.conversation_id);

  const { code, stdout } = await stage.warden(["stop", session.key, "--purge-conversation", "--yes", "--json"]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { purge_result: "complete", termination_method: "graceful", captured_id: session.conversation_id }]);
  expect(whereIs(session.conversation_id ?? "none")).toEqual([]);
});

// Between the stores themselves each step is a fact of theirs; here it is once before, amid and behind them.
const faults = ["begun", "erase 1", "erase 3", "look", "erase 5", "recorded purged", "done"] as const;
test.each(faults)("killed at “%s”: a second purge completes it, and the neighbour is as it was", async (fault) => {
  // A test that is tried again must not meet what its first try has left.
  const name = `cut at ${fault} ${crypto.randomUUID().slice(0, 8)}`;
  const session = await ended(name);
  const id = session.conversation_id ?? "none";
  const before = hashes(neighbour);
  const cut = await stage.warden(["purge", session.key, "--yes"], { SESSION_WARDEN_FAULT: fault });
  expect([cut.signal, cut.stderr]).toEqual(["SIGKILL", ""]);

  const seen = (await stage.list()).find(({ key }) => key === session.key);
  const isTold = fault === "recorded purged" || fault === "done";
  expect(seen?.status).toBe(isTold ? "purged" : "stopped");
  if (!isTold) expect(await purge(session.key, "--yes")).toMatchObject({ code: 0, purge_result: "complete" });
  for (const text of [id, `subject of ${name}`, `typed into ${name}`, `pasted into ${name}`]) expect(whereIs(text)).toEqual([]);
  expect(hashes(neighbour)).toEqual(before);
});

test("its neighbour can still be taken up again", async () => {
  expect((await stage.list()).find(({ key }) => key === neighbour.key)).toMatchObject({ status: "stopped", resumable: true });
});
