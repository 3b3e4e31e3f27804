import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eraseAll, erased } from "../../system/erase/whole.ts";
import { aPerson, id, keptOf, neighbourId, promptLine, put, words } from "./keptTree.ts";

test.each(["beside the history", "without it"])("a history that a killed rewriting has left goes with its neighbours' lines, %s", async (where) => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const history = join(home, "history.jsonl");
  put(history, promptLine(neighbourId, "neighbour"));
  put(`${history}.0e9bbd2f-7c13-4d0e-9a3a-6d1a4c3f1e55.tmp`, promptLine(neighbourId, "neighbour") + promptLine(id, words));
  if (where === "without it") rmSync(history);
  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect([stores.map(({ path }) => path), leftAlone]).toEqual([[history], []]);
  expect(await eraseAll(stores)).toEqual([erased]);
  expect(readdirSync(home)).toEqual(where === "without it" ? [] : ["history.jsonl"]);
  expect(await keptOf({ home, cwd })).toEqual({ stores: [], leftAlone: [] });
});
