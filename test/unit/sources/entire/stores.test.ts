import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionRecord } from "../../../../src/core/facet.ts";
import type { Kept } from "../../../../src/core/store.ts";
import { aState, git, goText, ownerOf, soon, stateFolderOf, writeState } from "../../../support/entire.ts";
import type { StateOf } from "../../../support/entire.ts";
import { aPeer, aPlace, gone } from "../../../support/entirePlace.ts";
import type { Place } from "../../../support/entirePlace.ts";

const ended: StateOf = { phase: "ended", ended_at: "2026-09-20T09:00:00Z" };

async function keptOf({ source, look }: Place): Promise<Kept> {
  const kept = await source.stores?.(await look(), soon());
  if (!kept) throw new Error("the source has no stores");
  return kept;
}
async function onlyStore(place: Place) {
  const { stores } = await keptOf(place);
  const [store, ...others] = stores;
  if (!store || others.length > 0) throw new Error(`${stores.length} stores`);
  return store;
}
function put(place: Place, ...names: readonly string[]): void {
  for (const name of names) writeFileSync(join(stateFolderOf(place.app), name), "x");
}
const there = (place: Place): readonly string[] => readdirSync(stateFolderOf(place.app)).sort();

test("its state and what is beside it go, and nothing of another whose id begins like it", async () => {
  await using place = await aPlace(ended);
  const others = ["a.b.json", "a.b.model", "a.txt", "a.json.bak", "a.json.x.y.tmp", "ab.json", "ab.json.0f.tmp", "b.agent"];
  put(place, ...others, "a.model", "a.agent", "a.banner", "a.json.00ff.tmp");
  const store = await onlyStore(place);
  expect([store.path, store.bytes]).toEqual([place.path, goText(aState("a", { owner: ownerOfGone, ...ended })).length + 4]);
  expect([await store.erase(soon()), await store.residue(soon()), there(place)]).toEqual([{ kind: "erased" }, [], [...others].sort()]);
  expect(existsSync(join(place.app, ".git/entire-session-locks/a.lock"))).toBe(true);
});
const ownerOfGone = ownerOf({ pid: gone.pid, start: { kind: "ticks", ticks: gone.start } });

test("one that is open, and whose owner is gone, goes as well; done again there is nothing of it", async () => {
  await using place = await aPlace();
  const asSeen = await place.look();
  const store = await onlyStore(place);
  expect([await store.erase(soon()), there(place)]).toEqual([{ kind: "erased" }, []]);
  expect([await store.erase(soon()), await store.residue(soon())]).toEqual([{ kind: "absent" }, []]);
  expect((await place.source.stores?.(asSeen, soon()))?.stores).toEqual([]);
});

test("where somebody was killed amid it, the rest goes the second time", async () => {
  await using place = await aPlace(ended);
  put(place, "a.model", "a.banner");
  const asSeen = await place.look();
  rmSync(place.path);
  const [store] = (await place.source.stores?.(asSeen, soon()))?.stores ?? [];
  expect([await store?.erase(soon()), there(place)]).toEqual([{ kind: "erased" }, []]);
});

test.each<[string, StateOf, string]>([
  ["a session that was taken up again", { phase: "active", owner: ownerOf({ pid: gone.pid, start: { kind: "ticks", ticks: "2" } }) }, "it was taken up again"],
  ["one that was moved", { ...ended, adopted_into_worktree_path: "/elsewhere" }, "it was moved to another place"],
  ["one that is imported", { ...ended, kind: "imported" }, "it is imported, and read only"],
  ["what can't be read", { session_id: "b" }, "its state file can't be read, and is left alone"],
])("%s is left whole", async (_what, meanwhile, reason) => {
  await using place = await aPlace(ended);
  put(place, "a.model");
  const store = await onlyStore(place);
  writeFileSync(place.path, goText(aState("a", meanwhile)));
  expect([await store.erase(soon()), await store.residue(soon()), there(place)]).toEqual([
    { kind: "blocked", reason },
    [join(stateFolderOf(place.app), "a.model"), place.path],
    ["a.json", "a.model"],
  ]);
});

test("one whose owner is not known to be gone is left whole", async () => {
  await using place = await aPlace({ owner: null });
  const store = await onlyStore(place);
  expect([await store.erase(soon()), there(place)]).toEqual([
    { kind: "blocked", reason: "Entire has it as open, and its owner is not known to be gone" },
    ["a.json"],
  ]);
});

test("while the program has its lock nothing is deleted", async () => {
  await using place = await aPlace(ended);
  const store = await onlyStore(place);
  await aPeer("hold", place);
  expect([await store.erase(soon()), there(place)]).toEqual([{ kind: "blocked", reason: "Entire is at work on it" }, ["a.json"]]);
});

test("what only bears the name is not followed, and then nothing is deleted", async () => {
  await using place = await aPlace(ended);
  const elsewhere = join(place.app, "precious");
  writeFileSync(elsewhere, "x");
  symlinkSync(elsewhere, join(stateFolderOf(place.app), "a.model"));
  const store = await onlyStore(place);
  expect([await store.erase(soon()), there(place), readFileSync(elsewhere, "utf8")]).toEqual([
    { kind: "blocked", reason: "a.model is a symbolic link" },
    ["a.json", "a.model"],
    "x",
  ]);
});

test("a cancelled deletion deletes nothing", async () => {
  await using place = await aPlace(ended);
  const store = await onlyStore(place);
  expect([(await store.erase(AbortSignal.abort())).kind, there(place)]).toEqual(["blocked", ["a.json"]]);
});

test("an id that could lead elsewhere has no stores", async () => {
  await using place = await aPlace(ended);
  const asSeen: SessionRecord = { ...(await place.look()), key: "entire:../a@000000" };
  expect(await place.source.stores?.(asSeen, soon())).toEqual({ stores: [], leftAlone: [] });
});

test("what stays is named only where it is there", async () => {
  await using place = await aPlace(ended);
  expect((await keptOf(place)).leftAlone.map(({ name, holds }) => [name, holds])).toEqual([["Entire's lock of it", "id"]]);
});

test("what stays in the worktree, its log and the checkpoints is named, with where it is", async () => {
  await using place = await aPlace();
  const id = "a-1";
  writeState(place.app, aState(id, { ...ended, worktree_path: place.app }));
  mkdirSync(join(place.app, ".entire/metadata", id), { recursive: true });
  mkdirSync(join(place.app, ".entire/logs"));
  writeFileSync(join(place.app, ".entire/logs/entire.log"), `session ${id}\n`);
  writeFileSync(join(place.app, ".entire/logs/other.log"), "nothing\n");
  writeFileSync(join(place.app, "metadata.json"), JSON.stringify({ session_id: id }));
  git(place.app, "add", "metadata.json");
  git(place.app, "commit", "-q", "-m", "checkpoint");
  git(place.app, "update-ref", "refs/heads/entire/checkpoints/v1", "HEAD");
  git(place.app, "update-ref", "refs/heads/entire/1234567-abcdef", "HEAD~1");
  const kept = await place.source.stores?.(await place.look(id), soon());
  expect(kept?.leftAlone.map(({ name, path, why, holds }) => [name, path.slice(place.app.length), why, holds])).toEqual([
    ["Entire's copy of its transcript", `/.entire/metadata/${id}`, "nothing in a worktree is deleted", "text"],
    ["Entire's log", "/.entire/logs/entire.log", "it tells of other sessions too", "id"],
    ["Entire's checkpoints", "/.git", "refs/heads/entire/checkpoints/v1 names it: that is the repository's own history, and may have been pushed", "text"],
    ["Entire's lock of it", `/.git/entire-session-locks/${id}.lock`, expect.any(String), "id"],
  ]);
  expect(execFileSync("git", ["-C", place.app, "for-each-ref", "--format=%(refname)", "refs/heads/entire"], { encoding: "utf8" }).split("\n").length).toBe(3);
});

test("where git can't tell, that is said", async () => {
  await using place = await aPlace(ended);
  const asSeen = await place.look();
  mkdirSync(join(place.app, ".git/refs/heads/entire"), { recursive: true });
  writeFileSync(join(place.app, ".git/refs/heads/entire/broken"), `${"1".repeat(40)}\n`);
  const { leftAlone = [] } = (await place.source.stores?.(asSeen, soon())) ?? {};
  expect(leftAlone[0]?.why).toMatch(/^git could not be asked whether they hold it: /);
});
