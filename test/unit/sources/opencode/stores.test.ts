import { expect, test } from "vitest";
import type { Facet } from "../../../../src/core/facet.ts";
import type { ServerLook } from "../../../../src/sources/opencode/look.ts";
import { storesOn } from "../../../../src/sources/opencode/stores.ts";
import { aTurn } from "../../../support/facets.ts";
import type { Answering } from "../../../support/fakeServer.ts";
import { json, playOpencode, webPage } from "../../../support/playedOpencode.ts";
import type { PlayedOpencode } from "../../../support/playedOpencode.ts";
import { lookAtPlayed } from "../../../support/serverLooks.ts";

const { signal } = new AbortController();
const id = "ses_root";
const facet: Facet = aTurn({ key: `opencode:${id}` });
const dies: Answering = (_, response) => void response.destroy();

async function keeping(directory = "/app"): Promise<PlayedOpencode> {
  const played = await playOpencode();
  played.sessions.set(id, { directory });
  return played;
}

/** Looked at afresh, on all that are played. */
function storesOf(looks: readonly ServerLook[], ...played: readonly PlayedOpencode[]) {
  const runs = ({ busy, active }: PlayedOpencode): boolean => busy.has(id) || active.has(id);
  return storesOn(facet, looks, async () => {
    const where = played.find(runs);
    return where && `it still runs on ${where.origin}`;
  });
}

function onlyOne(looks: readonly ServerLook[], ...played: readonly PlayedOpencode[]) {
  const [store, ...others] = storesOf(looks, ...played);
  if (!store || others.length > 0) throw new Error(`${others.length + (store ? 1 : 0)} stores`);
  return store;
}

const deletes = (played: PlayedOpencode): readonly string[] => played.calls("DELETE");

test("an idle one is deleted with its sub-agents, and nothing of it is found afterwards", async () => {
  await using played = await keeping();
  played.sessions.set("ses_child", { directory: "/app", parentID: id });
  const store = onlyOne([await lookAtPlayed(played)], played);
  expect(store.belongsBecause).toBe(`the server lists it as ${id}, and deletes the session of its sub-agent with it`);
  expect(await store.erase(signal)).toEqual({ kind: "erased" });
  expect(await store.residue(signal)).toEqual([]);
  expect([deletes(played), [...played.sessions]]).toEqual([[`DELETE /session/${id}?directory=/app`], []]);
  expect(played.undeclared()).toEqual([]);
});

test.each(["busy", "active"] as const)("what runs is not deleted, since it would run on unseen: %s", async (engine) => {
  await using played = await keeping();
  const store = onlyOne([await lookAtPlayed(played)], played);
  if (engine === "busy") played.busy.set(id, "/app");
  else played.active.add(id);
  expect(await store.erase(signal)).toEqual({ kind: "blocked", reason: `it still runs on ${played.origin}` });
  expect(deletes(played)).toEqual([]);
});

test("what another server on the same database runs is not deleted through this one", async () => {
  await using lists = await keeping();
  await using runs = await playOpencode();
  runs.busy.set(id, "/app");
  const store = onlyOne([await lookAtPlayed(lists), await lookAtPlayed(runs)], lists, runs);
  expect(await store.erase(signal)).toEqual({ kind: "blocked", reason: `it still runs on ${runs.origin}` });
  expect([deletes(lists), deletes(runs)]).toEqual([[], []]);
});

test.each<[string, Answering]>([
  ["true, and has it still", json(true)],
  ["a web page", webPage],
  ["an error", json({}, 500)],
  ["nothing, and ends the connection", dies],
  ["a 404 that is not OpenCode's", json({ error: "no" }, 404)],
])("a delete that is answered with %s has not deleted it", async (_what, answer) => {
  await using played = await keeping();
  const store = onlyOne([await lookAtPlayed(played)], played);
  played.instead.set("DELETE /session/{}", answer);
  const erased = await store.erase(signal);
  expect([erased.kind, (await store.residue(signal)).length > 0]).toEqual([_what.startsWith("true") ? "erased" : "blocked", true]);
});

test("deleted already is gone, and not said to be deleted here", async () => {
  await using played = await keeping();
  const store = onlyOne([await lookAtPlayed(played)], played);
  played.sessions.clear();
  expect(await store.erase(signal)).toEqual({ kind: "absent" });
  expect(await store.residue(signal)).toEqual([]);
});

test.each<[string, (played: PlayedOpencode) => unknown, string]>([
  [
    "the server still gives it",
    (played) => played.instead.set("GET /session/{}", json({ id, directory: "/app", title: "", time: { created: 1, updated: 1 } })),
    "still has it",
  ],
  ["a list still has it", (played) => played.sessions.set(id, { directory: "/app" }), "still lists it"],
  ["a list still has a sub-agent of it", (played) => played.sessions.set("ses_child", { directory: "/app", parentID: id }), "still lists it"],
  ["it runs on", (played) => played.busy.set(id, "/app"), "it still runs on"],
  ["it runs on in the second engine", (played) => played.active.add(id), "it still runs on"],
  ["nobody can tell whether it is listed", (played) => played.instead.set("GET /experimental/session", dies), "ended the connection"],
  ["nobody can tell whether it is there", (played) => played.instead.set("GET /session/{}", webPage), "without such a call"],
])("it is not gone while %s", async (_what, spoil, says) => {
  await using played = await keeping();
  const store = onlyOne([await lookAtPlayed(played)], played);
  expect(await store.erase(signal)).toEqual({ kind: "erased" });
  spoil(played);
  expect((await store.residue(signal)).join(", ")).toContain(says);
});

test("of servers on one database the one that has its folder open is asked to delete it", async () => {
  await using closed = await keeping("/deep");
  await using open = await keeping("/deep");
  const store = onlyOne([await lookAtPlayed(closed), await lookAtPlayed(open, {}, ["/deep"])]);
  expect(await store.erase(signal)).toEqual({ kind: "erased" });
  expect([deletes(closed), deletes(open)]).toEqual([[], [`DELETE /session/${id}?directory=/deep`]]);
  // The other lists it still: it is on a database of its own, as it turns out.
  expect(await store.residue(signal)).toEqual([`${closed.origin} still lists it`]);
});

test("one that nobody lists is asked for everywhere, so that nobody is left who has it", async () => {
  await using one = await playOpencode();
  await using other = await playOpencode();
  const stores = storesOf([await lookAtPlayed(one), await lookAtPlayed(other)], one, other);
  expect(stores.map(({ path }) => path)).toEqual([one.origin, other.origin]);
  for (const store of stores) expect([await store.erase(signal), await store.residue(signal)]).toEqual([{ kind: "absent" }, []]);
  expect([deletes(one).length, deletes(other).length]).toEqual([1, 1]);
});

test("where no server is known there is no store, so that nothing is said to be deleted", () => {
  expect(storesOf([])).toEqual([]);
});
